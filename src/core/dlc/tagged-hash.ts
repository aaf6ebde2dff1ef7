import { createHash } from 'node:crypto';

/** BIP340: a tagged hash starts with the tag's own hash, twice. 64 bytes. */
export function tagPrefix(tag: string): Uint8Array {
  const hash = createHash('sha256').update(tag).digest();
  return Uint8Array.from([...hash, ...hash]);
}

/** 32 bytes. */
export const taggedHash = (prefix: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256').update(prefix);
  for (const part of parts) hash.update(part);
  return hash.digest();
};
