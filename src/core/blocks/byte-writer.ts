/** Appends little-endian values to a buffer that grows as needed: the opposite of ByteCursor. */
import { writeCompactSize } from './compact-size.ts';

export class ByteWriter {
  private buffer: Buffer;
  private length = 0;

  constructor(expectedBytes = 256) {
    this.buffer = Buffer.allocUnsafe(expectedBytes);
  }

  uint8(value: number): this {
    this.room(1);
    this.length = this.buffer.writeUInt8(value, this.length);
    return this;
  }

  uint32(value: number): this {
    this.room(4);
    this.length = this.buffer.writeUInt32LE(value >>> 0, this.length);
    return this;
  }

  int64(value: bigint): this {
    this.room(8);
    this.length = this.buffer.writeBigInt64LE(value, this.length);
    return this;
  }

  compactSize(value: number): this {
    this.room(9);
    this.length = writeCompactSize(this.buffer, this.length, value);
    return this;
  }

  bytes(value: Uint8Array): this {
    this.room(value.length);
    this.buffer.set(value, this.length);
    this.length += value.length;
    return this;
  }

  /** The bytes of a hex string. */
  hex(value: string): this {
    this.room(value.length >> 1);
    this.length += this.buffer.write(value, this.length, 'hex');
    return this;
  }

  /** A 32-byte hash given in display order. */
  hash(display: string): this {
    const start = this.length;
    this.hex(display);
    this.buffer.subarray(start, this.length).reverse();
    return this;
  }

  /** Length, then bytes. */
  prefixed(value: Uint8Array): this {
    return this.compactSize(value.length).bytes(value);
  }

  /** Length, then the bytes of a hex string. */
  prefixedHex(value: string): this {
    return this.compactSize(value.length >> 1).hex(value);
  }

  /** What was written, without a copy: the writer is done then. */
  done(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private room(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + more));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
  }
}
