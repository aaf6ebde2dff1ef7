import { MalformedDataError } from './malformed-data-error.ts';

/** Bitcoin Core's MAX_SIZE: no count or length in a block or transaction is above it. */
const MAX_COMPACT_SIZE = 0x02000000;

/** Reads little-endian values from bytes, never past their end. Throws MalformedDataError. */
export class ByteCursor {
  readonly bytes: Uint8Array;
  offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.bytes = bytes;
    this.offset = offset;
  }

  get remaining(): number {
    return this.bytes.length - this.offset;
  }

  uint8(what: string): number {
    if (this.offset >= this.bytes.length) throw this.truncated(what);
    return this.bytes[this.offset++] as number;
  }

  uint32(what: string): number {
    const { bytes, offset } = this;
    if (offset + 4 > bytes.length) throw this.truncated(what);
    this.offset = offset + 4;
    return readUint32(bytes, offset);
  }

  int64(what: string): bigint {
    const low = this.uint32(what);
    const high = this.uint32(what);
    return (BigInt(high | 0) << 32n) | BigInt(low);
  }

  /** Steps over `length` bytes; answers where they start. */
  skip(length: number, what: string): number {
    const start = this.offset;
    if (length > this.bytes.length - start) throw this.truncated(what);
    this.offset = start + length;
    return start;
  }

  take(length: number, what: string): Uint8Array {
    const start = this.skip(length, what);
    return this.bytes.subarray(start, this.offset);
  }

  /** A compact size, in its shortest form only, as Bitcoin Core requires. */
  compactSize(what: string): number {
    const { bytes, offset } = this;
    const first = this.uint8(what);
    if (first < 0xfd) return first;
    let value: number;
    let least: number;
    if (first === 0xfd) {
      const start = this.skip(2, what);
      value = (bytes[start] as number) | ((bytes[start + 1] as number) << 8);
      least = 0xfd;
    } else if (first === 0xfe) {
      value = this.uint32(what);
      least = 0x10000;
    } else {
      const low = this.uint32(what);
      value = this.uint32(what) * 0x100000000 + low;
      least = 0x100000000;
    }
    if (value < least) throw new MalformedDataError(`${what} is not in its shortest form`, offset);
    if (value > MAX_COMPACT_SIZE) throw new MalformedDataError(`${what} is too large: ${value}`, offset);
    return value;
  }

  /** A count of things that take at least `leastBytes` each: refused at once where the bytes cannot hold so many. */
  count(leastBytes: number, what: string): number {
    const start = this.offset;
    const count = this.compactSize(what);
    if (count * leastBytes > this.remaining)
      throw new MalformedDataError(`${what} says ${count}, more than the bytes that follow can hold`, start);
    return count;
  }

  truncated(what: string): MalformedDataError {
    return new MalformedDataError(`the data ends within ${what}`, this.bytes.length);
  }
}

export function readUint32(bytes: Uint8Array, offset: number): number {
  return (
    ((bytes[offset] as number) |
      ((bytes[offset + 1] as number) << 8) |
      ((bytes[offset + 2] as number) << 16) |
      ((bytes[offset + 3] as number) << 24)) >>>
    0
  );
}
