import { hash } from 'node:crypto';
import type { Dialect } from '../dialect.ts';
import { taggedHash, tagPrefix } from '../tagged-hash.ts';

const TAGS = {
  announcement: tagPrefix('DLC/oracle/announcement/v0'),
  attestation: tagPrefix('DLC/oracle/attestation/v0'),
};

/**
 * What an oracle signs to attest an outcome, 32 bytes: BIP340's tagged hash of the text (dlcspecs Oracle.md, Signing Algorithm); in the
 * vectors' dialect its plain SHA-256. The text in normal form C, as UTF-8.
 */
export function attestationHash(outcome: string, dialect: Dialect): Uint8Array {
  const text = Buffer.from(outcome.normalize('NFC'), 'utf8');
  return dialect === 'tagged' ? taggedHash(TAGS.attestation, text) : hash('sha256', text, 'buffer');
}

/**
 * What an oracle signs to announce an event, 32 bytes. `oracleEvent` is the whole TLV (55330), as serializeOracleEvent makes it: hashed
 * with its type and length under a tag; in the vectors' dialect without them, plainly.
 */
export function announcementHash(oracleEvent: Uint8Array, dialect: Dialect): Uint8Array {
  return dialect === 'tagged'
    ? taggedHash(TAGS.announcement, oracleEvent)
    : hash('sha256', oracleEvent.subarray(headerSize(oracleEvent)), 'buffer');
}

/** Of a TLV: type and length are bigsizes. */
const headerSize = (tlv: Uint8Array): number => {
  const type = bigSizeLength(tlv[0]);
  return type + bigSizeLength(tlv[type]);
};

const bigSizeLength = (first = 0): number => (first < 0xfd ? 1 : first === 0xfd ? 3 : first === 0xfe ? 5 : 9);
