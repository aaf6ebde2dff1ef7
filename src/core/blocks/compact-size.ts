/** Bytes of a compact size by the value that it holds. */
export const compactSizeLength = (value: number): number =>
  value < 0xfd ? 1 : value <= 0xffff ? 3 : value <= 0xffffffff ? 5 : 9;

/** The same by its first byte, as of BOLT 1's BigSize. */
export const compactSizeLengthFrom = (first: number): number =>
  first < 0xfd ? 1 : first === 0xfd ? 3 : first === 0xfe ? 5 : 9;

/** Writes a compact size at `at`; answers where it ends. */
export function writeCompactSize(into: Buffer, at: number, value: number): number {
  if (value < 0xfd) {
    into[at] = value;
    return at + 1;
  }
  if (value <= 0xffff) return into.writeUInt16LE(value, into.writeUInt8(0xfd, at));
  if (value <= 0xffffffff) return into.writeUInt32LE(value, into.writeUInt8(0xfe, at));
  return into.writeBigUInt64LE(BigInt(value), into.writeUInt8(0xff, at));
}

export function compactSize(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(compactSizeLength(value));
  writeCompactSize(bytes, 0, value);
  return bytes;
}
