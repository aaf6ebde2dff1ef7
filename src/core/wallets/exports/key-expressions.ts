import { DomainError } from '../../errors.ts';
import { withChecksum, withoutChecksum } from '../descriptor-checksum.ts';

/** A key of a wallet's descriptors: the same extended key, or musig() of such, for receiving and for change, by one step of difference. */
export interface BranchedKey {
  /** `[73c5da0a/84h/1h/0h]tpub…`, the origin being optional, or `musig(key,key,…)` of such. */
  readonly key: string;
  readonly receiving: number;
  readonly change: number;
}

const EXTENDED = "(?:\\[[0-9a-fA-F]{8}(?:\\/\\d+[h'H]?)*\\])?[xt]pub[1-9A-HJ-NP-Za-km-z]+";
const KEY = new RegExp(`(${EXTENDED}|musig\\(${EXTENDED}(?:,${EXTENDED})*\\))\\/(\\d+)\\/\\*`);

/**
 * Receiving and change descriptor read as one. Throws `not_representable` where there is no change branch, or the two differ by more
 * than one step in each key: no format of wallets for other devices can say such a thing.
 */
export function branchedDescriptor(descriptors: { external: string; internal: string | null }) {
  const { external, internal } = descriptors;
  if (internal === null) throw notRepresentable('the wallet has no change branch');
  // Of every key three parts come between the pieces: itself and its step.
  const [ours, theirs] = [external, internal].map((text) => withoutChecksum(text).split(KEY)) as [string[], string[]];
  const pieces: string[] = [];
  const keys: BranchedKey[] = [];
  for (let at = 0; at < ours.length; at += 3) {
    const [piece, key, step] = ours.slice(at, at + 3) as [string, string | undefined, string | undefined];
    if (theirs[at] !== piece || theirs[at + 1] !== key)
      throw notRepresentable('its branches differ in more than one step');
    pieces.push(piece);
    if (key !== undefined) keys.push({ key, receiving: Number(step), change: Number(theirs[at + 2]) });
  }
  if (ours.length !== theirs.length) throw notRepresentable('its branches differ in more than one step');
  if (keys.length === 0 || pieces.some((piece) => /[xt]pub|\b0[23][0-9a-fA-F]{64}/.test(piece)))
    throw notRepresentable('not every key of it is an extended one with a step for receiving or change and a wildcard');
  return {
    /** Text between the keys: one piece more than there are keys. */
    pieces,
    keys,
  };
}

export type BranchedDescriptor = ReturnType<typeof branchedDescriptor>;

/** The pieces with what stands for each key between them. */
export const rejoined = (
  { pieces, keys }: BranchedDescriptor,
  write: (key: BranchedKey, index: number) => string,
): string => pieces.map((piece, at) => piece + (keys[at] ? write(keys[at], at) : '')).join('');

/** One descriptor for both branches (BIP389), with checksum; the external one where there is no other. */
export function combinedDescriptor(descriptors: { external: string; internal: string | null }): string {
  if (descriptors.internal === null) return descriptors.external;
  const branched = branchedDescriptor(descriptors);
  return withChecksum(rejoined(branched, ({ key, receiving, change }) => `${key}/<${receiving};${change}>/*`));
}

export const notRepresentable = (why: string): DomainError =>
  new DomainError('not_representable', `this wallet cannot be written in that format: ${why}`, { field: 'format' });

/** The extended keys that one is made of: itself, and of musig() those within it. */
export const extendedKeysOf = ({ key }: BranchedKey): string[] => key.replace(/^musig\((.*)\)$/, '$1').split(',');

/** Hardened steps of a key's origin as BIP129 and BIP388 write them, which everybody reads. */
export const apostrophes = (key: string): string =>
  key.replace(/^\[[^\]]*\]/, (origin) => origin.replaceAll(/[hH]/g, "'"));
