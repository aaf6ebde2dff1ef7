/** As much of CBOR (RFC 8949) as animated URs need: unsigned numbers below 2^53, byte strings, one array of them. */

/** A reader over bytes. Each method answers null where what it is asked for does not stand next. */
export class CborReader {
  private readonly bytes: Uint8Array;
  private offset = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get done(): boolean {
    return this.offset === this.bytes.length;
  }

  uint(): number | null {
    return this.head(0);
  }

  /** The number of members. */
  array(): number | null {
    return this.head(4);
  }

  byteString(): Uint8Array | null {
    const length = this.head(2);
    if (length === null || length > this.bytes.length - this.offset) return null;
    this.offset += length;
    return this.bytes.subarray(this.offset - length, this.offset);
  }

  /** The value of a definite head of the major type. */
  private head(major: number): number | null {
    const first = this.bytes[this.offset];
    if (first === undefined || first >> 5 !== major) return null;
    const info = first & 0x1f;
    if (info < 24) {
      this.offset += 1;
      return info;
    }
    if (info > 27) return null;
    const size = 2 ** (info - 24);
    if (this.offset + 1 + size > this.bytes.length) return null;
    let value = 0;
    for (let at = 1; at <= size; at++) value = value * 256 + (this.bytes[this.offset + at] as number);
    if (!Number.isSafeInteger(value)) return null;
    this.offset += 1 + size;
    return value;
  }
}

/** A byte string in its shortest form. */
export function cborByteString(content: Uint8Array): Buffer {
  const { length } = content;
  const head =
    length < 24
      ? Buffer.of(0x40 | length)
      : length < 0x100
        ? Buffer.of(0x58, length)
        : length < 0x10000
          ? Buffer.of(0x59, length >> 8, length & 0xff)
          : Buffer.of(0x5a, length >>> 24, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff);
  return Buffer.concat([head, content]);
}
