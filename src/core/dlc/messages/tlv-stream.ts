import type { MessageReader } from './message-reader.ts';

/**
 * What follows a message's fields: records with strictly ascending types (BOLT 1). None is defined by dlcspecs, so one with an even type,
 * which must be understood, is refused; the others are kept as they came.
 */
export function readTlvStream(reader: MessageReader): Uint8Array {
  const start = reader.offset;
  let last = -1n;
  while (reader.remaining > 0) {
    const at = reader.offset;
    const type = reader.bigSize('tlvs');
    if (type <= last) throw reader.problem('tlvs', at, `type ${type} follows type ${last}: types must ascend`);
    if (type % 2n === 0n) throw reader.problem('tlvs', at, `type ${type} is even, and no such record is known`);
    reader.prefixed('tlvs');
    last = type;
  }
  return reader.bytes.subarray(start, reader.offset);
}
