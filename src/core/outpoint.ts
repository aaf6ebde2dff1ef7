import type { Brand } from './brand.ts';

/** Transaction id as people write it: 64 hex digits, the reverse of the hash's byte order. */
export type Txid = Brand<string, 'Txid'>;
/** Block hash as people write it: 64 hex digits, big-endian. */
export type BlockHash = Brand<string, 'BlockHash'>;

export interface Outpoint {
  readonly txid: Txid;
  readonly vout: number;
}

const HASH = /^[0-9a-f]{64}$/;

export const isTxid = (text: string): text is Txid => HASH.test(text);

/** A txid in lower case. Throws TypeError on anything but 64 hex digits: callers validate first. */
export function txid(text: string): Txid {
  const lower = text.toLowerCase();
  if (!HASH.test(lower)) throw new TypeError('a txid is 64 hex digits');
  return lower as Txid;
}

export function blockHash(text: string): BlockHash {
  const lower = text.toLowerCase();
  if (!HASH.test(lower)) throw new TypeError('a block hash is 64 hex digits');
  return lower as BlockHash;
}

/** "txid:vout", the field's usual text form of an outpoint. */
export const outpointKey = (outpoint: Outpoint): string => `${outpoint.txid}:${outpoint.vout}`;

/** Display hex of a 32-byte hash in internal byte order. */
export const displayHash = (internal: Uint8Array): string => Buffer.from(internal).reverse().toString('hex');
/** Internal byte order of a display hash. */
export const internalHash = (display: string): Buffer => Buffer.from(display, 'hex').reverse();
