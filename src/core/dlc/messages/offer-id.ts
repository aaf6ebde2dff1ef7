import { hash } from 'node:crypto';
import type { Dialect } from '../dialect.ts';

/**
 * What tells an offer from every other: SHA-256 of its dialect and of all its bytes, hex. Nothing in an offer is signed by whoever makes
 * it, and whoever passes it on may change it and keep its temporary contract id: two offers of one such id are two offers.
 */
export const offerIdOf = (offer: Uint8Array, dialect: Dialect): string =>
  hash('sha256', Buffer.concat([Buffer.from(`${dialect}\n`), offer]), 'hex');

/** Type, version, flags and chain hash stand before it. */
const TEMPORARY_ID_AT = 2 + 4 + 1 + 32;

/** The temporary contract id of an offer, hex, unread: of other bytes it is whatever stands there. */
export const temporaryIdOf = (offer: Uint8Array): string =>
  Buffer.from(offer.subarray(TEMPORARY_ID_AT, TEMPORARY_ID_AT + 32)).toString('hex');
