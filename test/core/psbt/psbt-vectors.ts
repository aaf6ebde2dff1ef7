/** The vectors of BIP174, BIP370 and BIP371. */
import { vectorRows } from '../../vectors/rows.ts';

export interface PsbtVector {
  /** The BIP and the place among its vectors. */
  readonly name: string;
  /** `unsafe`: what a signer must refuse; `role`: BIP174's example, step by step; `signed`: has all its taproot signatures. */
  readonly kind: string;
  readonly b64: string;
}

const rows = vectorRows('psbts');
const vectorsOf = (bip: string): readonly PsbtVector[] =>
  rows
    .filter(([of]) => of === bip)
    .map(([, kind = '', b64 = ''], at) => ({ name: `BIP${bip}, number ${at + 1}, ${kind}`, kind, b64 }));

export const VECTORS = { bip174: vectorsOf('174'), bip370: vectorsOf('370'), bip371: vectorsOf('371') };

export const isInvalid = ({ kind }: PsbtVector): boolean => kind === 'invalid';

/** What parses: the valid ones, those of roles, and those that only a signer must refuse. */
export const parsing: readonly PsbtVector[] = Object.values(VECTORS)
  .flat()
  .filter((row) => !isInvalid(row));
