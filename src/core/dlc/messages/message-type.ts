import { MESSAGE_TYPE } from '../dlc-messages.ts';
import { ANNOUNCEMENT_TYPE, ORACLE_EVENT_TYPE } from './announcement.ts';
import { ATTESTATION_TYPE } from './attestation.ts';
import { DlcMessageError } from './message-error.ts';
import { MessageReader } from './message-reader.ts';

export type MessageKind = 'offer' | 'accept' | 'sign' | 'announcement' | 'oracle_event' | 'attestation';

const WIRE_MESSAGES: ReadonlyMap<number, MessageKind> = new Map([
  [MESSAGE_TYPE.offer, 'offer'],
  [MESSAGE_TYPE.accept, 'accept'],
  [MESSAGE_TYPE.sign, 'sign'],
]);

const RECORDS: ReadonlyMap<bigint, MessageKind> = new Map([
  [BigInt(ANNOUNCEMENT_TYPE), 'announcement'],
  [BigInt(ORACLE_EVENT_TYPE), 'oracle_event'],
  [BigInt(ATTESTATION_TYPE), 'attestation'],
]);

/** What the bytes say they are: a message by its u16 type, or a record of an oracle by its BigSize type. Throws DlcMessageError. */
export function readMessageType(bytes: Uint8Array): MessageKind {
  const type = new MessageReader(bytes, 'message').u16('type');
  const kind = WIRE_MESSAGES.get(type) ?? (bytes[0] === 0xfd ? RECORDS.get(recordType(bytes)) : undefined);
  if (kind === undefined)
    throw new DlcMessageError(
      'message',
      'type',
      0,
      `is ${type}: no offer, accept or sign message, announcement or attestation`,
    );
  return kind;
}

const recordType = (bytes: Uint8Array): bigint => new MessageReader(bytes, 'message').bigSize('type');
