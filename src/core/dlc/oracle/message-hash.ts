import { compactSizeLengthFrom } from '../../blocks/compact-size.ts';
import { sha256, taggedHash } from '../../hashes.ts';
import type { Dialect } from '../dialect.ts';

const announcementTagged = taggedHash('DLC/oracle/announcement/v0');
const attestationTagged = taggedHash('DLC/oracle/attestation/v0');

/**
 * What an oracle signs to attest an outcome, 32 bytes: BIP340's tagged hash of the text (dlcspecs Oracle.md, Signing Algorithm); in the
 * vectors' dialect its plain SHA-256. The text in normal form C, as UTF-8.
 */
export function attestationHash(outcome: string, dialect: Dialect): Uint8Array {
  const text = Buffer.from(outcome.normalize('NFC'), 'utf8');
  return dialect === 'tagged' ? attestationTagged(text) : sha256(text);
}

/**
 * What an oracle signs to announce an event, 32 bytes. `oracleEvent` is the whole TLV (55330), as serializeOracleEvent makes it: hashed
 * with its type and length under a tag; in the vectors' dialect without them, plainly.
 */
export function announcementHash(oracleEvent: Uint8Array, dialect: Dialect): Uint8Array {
  return dialect === 'tagged' ? announcementTagged(oracleEvent) : sha256(oracleEvent.subarray(headerSize(oracleEvent)));
}

/** Of a TLV: type and length are bigsizes. */
const headerSize = (tlv: Uint8Array): number => {
  const type = compactSizeLengthFrom(tlv[0] ?? 0);
  return type + compactSizeLengthFrom(tlv[type] ?? 0);
};
