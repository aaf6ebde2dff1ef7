import { createHash, hash } from 'node:crypto';

/** BIP340: a tagged hash starts with the tag's own hash, twice. 64 bytes. */
export function tagPrefix(tag: string): Uint8Array {
  const tagHash = createHash('sha256').update(tag).digest();
  return Uint8Array.from([...tagHash, ...tagHash]);
}

/** 32 bytes. */
export const taggedHash = (prefix: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array =>
  hash('sha256', Buffer.concat([prefix, ...parts]), 'buffer');
