/** Pushes in their shortest form (BIP62 rule 3), as CScript's operator<< writes numbers and data. */

/** Data of up to 75 bytes behind its length, more behind OP_PUSHDATA1, 2 or 4; numbers that have an opcode become that. */
export function pushData(data: Uint8Array): Buffer {
  const { length } = data;
  const only = data[0] as number;
  if (length === 0) return Buffer.of(0);
  if (length === 1 && only >= 1 && only <= 16) return Buffer.of(0x50 + only);
  if (length === 1 && only === 0x81) return Buffer.of(0x4f);
  if (length <= 75) return Buffer.concat([Buffer.of(length), data]);
  if (length <= 0xff) return Buffer.concat([Buffer.of(0x4c, length), data]);
  const header = Buffer.alloc(length <= 0xffff ? 3 : 5);
  header[0] = length <= 0xffff ? 0x4d : 0x4e;
  header.writeUIntLE(length, 1, header.length - 1);
  return Buffer.concat([header, data]);
}

/** A number as scripts hold it: OP_0, OP_1NEGATE, OP_1 to OP_16, or minimal little-endian sign and magnitude. */
export function pushNumber(value: number): Buffer {
  return pushData(scriptNumber(value));
}

function scriptNumber(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = Math.abs(value); rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  const top = bytes.length - 1;
  if (top >= 0 && (bytes[top] as number) & 0x80) bytes.push(value < 0 ? 0x80 : 0);
  else if (top >= 0 && value < 0) bytes[top] = (bytes[top] as number) | 0x80;
  return Buffer.from(bytes);
}
