/** Vectors of the BIPs, which lie beside the project where they are there at all. */
import { existsSync, readFileSync } from 'node:fs';

export interface PsbtVector {
  /** The heading that it stands under. */
  readonly sec: string;
  readonly case: string;
  readonly b64: string;
}

/** null where the vectors are not there. */
export function psbtVectors(bip: '0174' | '0370' | '0371'): readonly PsbtVector[] | null {
  const file = new URL(`../../../../shared/vectors/psbt/bip${bip}.json`, import.meta.url);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PsbtVector[]) : null;
}

export const VECTORS = {
  bip174: psbtVectors('0174'),
  bip370: psbtVectors('0370'),
  bip371: psbtVectors('0371'),
};

export const all: readonly PsbtVector[] = Object.values(VECTORS).flatMap((rows) => rows ?? []);
export const vectorsAreThere = all.length > 0;

export const isInvalid = ({ sec }: PsbtVector): boolean => sec.startsWith('The following are invalid');

/** What parses: the valid ones, those of roles, and those that only a signer must refuse. */
export const parsing: readonly PsbtVector[] = all.filter((row) => !isInvalid(row));
