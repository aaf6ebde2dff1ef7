import { DomainError } from '../../errors.ts';
import { textProblem } from './wire-text.ts';

const MAX_U64 = 0xffff_ffff_ffff_ffffn;

/**
 * Appends big-endian fields: the opposite of MessageReader. A value that does not fit its field is refused with `invalid_value`, naming the
 * field, never cut.
 */
export class MessageWriter {
  private buffer: Buffer;
  private length = 0;

  constructor(expectedBytes = 1024) {
    this.buffer = Buffer.alloc(expectedBytes);
  }

  u8(value: number, field: string): this {
    this.fits(value, 0, 0xff, field);
    this.room(1);
    this.length = this.buffer.writeUInt8(value, this.length);
    return this;
  }

  u16(value: number, field: string): this {
    this.fits(value, 0, 0xffff, field);
    this.room(2);
    this.length = this.buffer.writeUInt16BE(value, this.length);
    return this;
  }

  u32(value: number, field: string): this {
    this.fits(value, 0, 0xffff_ffff, field);
    this.room(4);
    this.length = this.buffer.writeUInt32BE(value, this.length);
    return this;
  }

  int32(value: number, field: string): this {
    this.fits(value, -0x8000_0000, 0x7fff_ffff, field);
    this.room(4);
    this.length = this.buffer.writeInt32BE(value, this.length);
    return this;
  }

  u64(value: bigint, field: string): this {
    if (value < 0n || value > MAX_U64) throw refusal(field, `${value} does not fit 64 bits`);
    this.room(8);
    this.length = this.buffer.writeBigUInt64BE(value, this.length);
    return this;
  }

  double(value: number): this {
    this.room(8);
    this.length = this.buffer.writeDoubleBE(value, this.length);
    return this;
  }

  bool(value: boolean): this {
    this.room(1);
    this.length = this.buffer.writeUInt8(value ? 1 : 0, this.length);
    return this;
  }

  bigSize(value: number): this {
    this.room(9);
    const { buffer, length } = this;
    if (value < 0xfd) this.length = buffer.writeUInt8(value, length);
    else if (value <= 0xffff) this.length = buffer.writeUInt16BE(value, buffer.writeUInt8(0xfd, length));
    else this.length = buffer.writeUInt32BE(value, buffer.writeUInt8(0xfe, length));
    return this;
  }

  bytes(value: Uint8Array): this {
    this.room(value.length);
    this.buffer.set(value, this.length);
    this.length += value.length;
    return this;
  }

  /** Bytes of a length that the field has. */
  fixed(value: Uint8Array, length: number, field: string): this {
    if (value.length !== length) throw refusal(field, `has ${value.length} bytes, and must have ${length}`);
    return this.bytes(value);
  }

  prefixed(value: Uint8Array): this {
    return this.bigSize(value.length).bytes(value);
  }

  /** A script after its u16 length. */
  script(value: Uint8Array, field: string): this {
    return this.u16(value.length, field).bytes(value);
  }

  text(value: string, field: string): this {
    const problem = textProblem(value);
    if (problem !== null) throw refusal(field, problem);
    return this.prefixed(Buffer.from(value, 'utf8'));
  }

  list<T>(items: readonly T[], write: (item: T, index: number) => void): this {
    this.bigSize(items.length);
    items.forEach(write);
    return this;
  }

  /** A list after a u16 count, as in the oracle's messages. */
  list16<T>(items: readonly T[], field: string, write: (item: T, index: number) => void): this {
    this.u16(items.length, field);
    items.forEach(write);
    return this;
  }

  /** A TLV record. */
  record(type: number, body: Uint8Array): this {
    return this.bigSize(type).prefixed(body);
  }

  /** What was written, without a copy: the writer is done then. */
  done(): Uint8Array {
    return new Uint8Array(this.buffer.buffer, this.buffer.byteOffset, this.length);
  }

  private fits(value: number, least: number, most: number, field: string): void {
    if (!Number.isInteger(value) || value < least || value > most)
      throw refusal(field, `${value} is not a whole number from ${least} to ${most}`);
  }

  private room(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const larger = Buffer.alloc(Math.max(this.buffer.length * 2, this.length + more));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
  }
}

/** A value that its field in a message cannot hold. */
export const refusal = (field: string, problem: string): DomainError =>
  new DomainError('invalid_value', `${field}: ${problem}.`, { field });
