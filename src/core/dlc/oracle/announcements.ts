import { ecc } from '../../keys/ecc.ts';
import type { Dialect } from '../dialect.ts';
import { announcementHash } from './message-hash.ts';
import { type OracleTools, verifySignature } from './schnorr.ts';

/**
 * The oracle's signature (64 bytes, BIP340) of an event, given as its whole TLV (serializeOracleEvent; dlcspecs Oracle.md). With a nonce
 * of BIP340's, from fresh randomness: none of the event's. The key is the caller's to zero.
 */
export const signAnnouncement = (
  privateKey: Uint8Array,
  oracleEvent: Uint8Array,
  dialect: Dialect,
  tools: OracleTools,
): Uint8Array =>
  (tools.ecc ?? ecc).signSchnorr(announcementHash(oracleEvent, dialect), privateKey, tools.randomBytes(32));

/** False for anything malformed. */
export const verifyAnnouncement = (
  signature: Uint8Array,
  publicKey: Uint8Array,
  oracleEvent: Uint8Array,
  dialect: Dialect,
): boolean => verifySignature(announcementHash(oracleEvent, dialect), publicKey, signature);
