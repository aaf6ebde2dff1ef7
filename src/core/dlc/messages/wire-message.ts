/** What offer, accept and sign messages have in common (dlcspecs Messaging.md, "Wire Messages"): a u16 type, then a protocol version. */
import { DlcMessageError } from './message-error.ts';
import { MessageReader } from './message-reader.ts';
import { MessageWriter } from './message-writer.ts';

const PROTOCOL_VERSION = 1;

/** Behind the type and the version, which must be `type` and 1. */
export function openMessage(bytes: Uint8Array, name: string, type: number): MessageReader {
  const reader = new MessageReader(bytes, name);
  const found = reader.u16('type');
  if (found !== type) throw new DlcMessageError(name, 'type', 0, `is ${found}, and must be ${type}`);
  const start = reader.offset;
  const version = reader.u32('protocol_version');
  // dlcdevkit also reads offers of before there was a version; nobody writes them.
  if (version !== PROTOCOL_VERSION)
    throw reader.problem('protocol_version', start, `is ${version}, and only ${PROTOCOL_VERSION} is known`);
  return reader;
}

export const beginMessage = (type: number, version: number, expectedBytes?: number): MessageWriter =>
  new MessageWriter(expectedBytes).u16(type, 'type').u32(version, 'protocol_version');
