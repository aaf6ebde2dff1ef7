/** Bitcoin's hashes, by Node's one-shot hash: the quickest here, quicker than bitcoinjs-lib's, which are written in JavaScript. */
import { hash } from 'node:crypto';

export const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');

export const ripemd160 = (bytes: Uint8Array): Buffer => hash('ripemd160', bytes, 'buffer');

/** SHA-256 twice: of blocks and transactions, in internal byte order. */
export const hash256 = (bytes: Uint8Array): Buffer => sha256(sha256(bytes));

/** RIPEMD-160 of SHA-256: of keys and redeem scripts. 20 bytes. */
export const hash160 = (bytes: Uint8Array): Buffer => ripemd160(sha256(bytes));

/** BIP340: a tagged hash starts with the tag's own hash, twice. 64 bytes. */
export function tagPrefix(tag: string): Buffer {
  const tagHash = hash('sha256', tag, 'buffer');
  return Buffer.concat([tagHash, tagHash]);
}

/** BIP340's hash under a tag, of parts one after the other. */
export function taggedHash(tag: string): (...parts: readonly Uint8Array[]) => Buffer {
  const prefix = tagPrefix(tag);
  return (...parts) => sha256(Buffer.concat([prefix, ...parts]));
}
