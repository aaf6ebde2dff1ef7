/** Oracle events and announcements (dlcspecs Messaging.md, Oracle.md): TLV records with u16 counts, the same in both dialects. */
import type { EventDescriptor, OracleAnnouncement, OracleEvent } from '../oracle-event.ts';
import { MessageReader } from './message-reader.ts';
import { MessageWriter } from './message-writer.ts';

export const ORACLE_EVENT_TYPE = 55330;
export const ANNOUNCEMENT_TYPE = 55332;
const ENUM_EVENT_TYPE = 55302;
const DIGITS_EVENT_TYPE = 55306;

/** A record of type 55332 and nothing else. Throws DlcMessageError. */
export function parseAnnouncement(bytes: Uint8Array): OracleAnnouncement {
  const reader = new MessageReader(bytes, 'announcement');
  const announcement = readAnnouncement(reader, '');
  reader.done();
  return announcement;
}

export const serializeAnnouncement = (announcement: OracleAnnouncement): Uint8Array =>
  new MessageWriter()
    .record(
      ANNOUNCEMENT_TYPE,
      new MessageWriter()
        .fixed(announcement.signature, 64, 'signature')
        .fixed(announcement.publicKey, 32, 'public_key')
        .bytes(serializeOracleEvent(announcement.event))
        .done(),
    )
    .done();

/** The same but for the signature: an oracle may sign one event again. */
export const isSameEvent = (one: OracleAnnouncement, other: OracleAnnouncement): boolean =>
  Buffer.compare(one.publicKey, other.publicKey) === 0 &&
  Buffer.compare(serializeOracleEvent(one.event), serializeOracleEvent(other.event)) === 0;

/** With the record's header: what `tagged` announcements sign. `oracleEventBody` is it without. */
export const serializeOracleEvent = (event: OracleEvent): Uint8Array =>
  new MessageWriter().record(ORACLE_EVENT_TYPE, oracleEventBody(event)).done();

/** What announcements of the dialect `dlcspecs-vectors` sign. */
function oracleEventBody(event: OracleEvent): Uint8Array {
  const writer = new MessageWriter();
  return writer
    .list16(event.nonces, 'nonces', (nonce) => writer.fixed(nonce, 32, 'nonces'))
    .u32(event.maturityEpoch, 'maturity_epoch')
    .bytes(serializeDescriptor(event.descriptor))
    .text(event.eventId, 'event_id')
    .done();
}

export const readAnnouncement = (reader: MessageReader, field: string): OracleAnnouncement =>
  reader.record(ANNOUNCEMENT_TYPE, field, () => ({
    signature: reader.take(64, 'signature'),
    publicKey: reader.xOnlyPoint('public_key'),
    event: readEvent(reader, 'event'),
  }));

const readEvent = (reader: MessageReader, field: string): OracleEvent =>
  reader.record(ORACLE_EVENT_TYPE, field, () => {
    const start = reader.offset;
    const nonces = reader.items(reader.count16(32, 'nonces'), 'nonces', () => reader.xOnlyPoint(''));
    const maturityEpoch = reader.u32('maturity_epoch');
    const descriptor = readDescriptor(reader);
    const eventId = reader.text('event_id');
    const expected = noncesOf(descriptor);
    if (nonces.length !== expected)
      throw reader.problem(
        'nonces',
        start,
        `are ${nonces.length}, and the event is attested by ${expected} signatures`,
      );
    return { nonces, maturityEpoch, descriptor, eventId };
  });

/** How many nonces an event of this kind has: one, or one for each digit and for the sign. */
export const noncesOf = (descriptor: EventDescriptor): number =>
  descriptor.kind === 'enum' ? 1 : descriptor.digits + (descriptor.signed ? 1 : 0);

function readDescriptor(reader: MessageReader): EventDescriptor {
  const start = reader.offset;
  const type = reader.bigSize('descriptor');
  if (type === BigInt(ENUM_EVENT_TYPE))
    return reader.recordBody('descriptor', () => ({
      kind: 'enum',
      outcomes: reader.items(reader.count16(1, 'outcomes'), 'outcomes', () => reader.text('')),
    }));
  if (type === BigInt(DIGITS_EVENT_TYPE))
    return reader.recordBody('descriptor', () => ({
      kind: 'digits',
      base: reader.u16('base'),
      signed: reader.bool('is_signed'),
      unit: reader.text('unit'),
      precision: reader.int32('precision'),
      digits: reader.u16('nb_digits'),
    }));
  throw reader.problem(
    'descriptor',
    start,
    `is of type ${type}, neither an enumeration (${ENUM_EVENT_TYPE}) nor digits (${DIGITS_EVENT_TYPE})`,
  );
}

function serializeDescriptor(descriptor: EventDescriptor): Uint8Array {
  const body = new MessageWriter();
  if (descriptor.kind === 'enum') {
    body.list16(descriptor.outcomes, 'outcomes', (outcome) => body.text(outcome, 'outcomes'));
    return new MessageWriter().record(ENUM_EVENT_TYPE, body.done()).done();
  }
  body
    .u16(descriptor.base, 'base')
    .bool(descriptor.signed)
    .text(descriptor.unit, 'unit')
    .int32(descriptor.precision, 'precision')
    .u16(descriptor.digits, 'nb_digits');
  return new MessageWriter().record(DIGITS_EVENT_TYPE, body.done()).done();
}
