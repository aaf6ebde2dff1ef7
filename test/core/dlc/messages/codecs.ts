/** Every codec of a folder in one form, for tests that hold for all of them. */
import type { Dialect } from '../../../../src/core/dlc/dialect.ts';
import { parseAccept, serializeAccept } from '../../../../src/core/dlc/messages/accept.ts';
import { parseAnnouncement, serializeAnnouncement } from '../../../../src/core/dlc/messages/announcement.ts';
import { parseAttestation, serializeAttestation } from '../../../../src/core/dlc/messages/attestation.ts';
import { parseOffer, serializeOffer } from '../../../../src/core/dlc/messages/offer.ts';
import { parseSign, serializeSign } from '../../../../src/core/dlc/messages/sign.ts';

export interface Codec<T> {
  readonly name: string;
  parse(bytes: Uint8Array, dialect: Dialect): T;
  serialize(message: T, dialect: Dialect): Uint8Array;
}

export const OFFER = { name: 'offer', parse: parseOffer, serialize: serializeOffer };
export const ACCEPT = { name: 'accept', parse: parseAccept, serialize: serializeAccept };
export const SIGN = { name: 'sign', parse: parseSign, serialize: serializeSign };
export const ANNOUNCEMENT = { name: 'announcement', parse: parseAnnouncement, serialize: serializeAnnouncement };
export const ATTESTATION = { name: 'attestation', parse: parseAttestation, serialize: serializeAttestation };
