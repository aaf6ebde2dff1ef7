import { ecc } from '../../keys/ecc.ts';
import { DlcMessageError } from './message-error.ts';
import { textProblem } from './wire-text.ts';

/**
 * How much one message may hold of what costs time or memory apart from its bytes: elements of lists (an empty witness element is one
 * byte and an object), and points, each of which is checked against the curve. A contract of 60,000 outcomes needs 120,000 and 1.
 */
const MAX_ITEMS = 150_000;
const MAX_POINTS = 10_000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a message's big-endian fields (dlcspecs Messaging.md, "Fundamental Types"), never past the end of the bytes or of the record that
 * is being read. Byte strings are views of the message. Throws DlcMessageError with the path of the field and its offset.
 */
export class MessageReader {
  readonly bytes: Uint8Array;
  readonly message: string;
  offset = 0;
  /** Where the innermost record that is being read ends. */
  private end: number;
  private readonly view: DataView;
  private readonly path: (string | number)[] = [];
  private itemsLeft = MAX_ITEMS;
  private pointsLeft = MAX_POINTS;
  private readonly lifted = new Uint8Array(33).fill(2, 0, 1);

  constructor(bytes: Uint8Array, message: string) {
    this.bytes = bytes;
    this.message = message;
    this.end = bytes.length;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get remaining(): number {
    return this.end - this.offset;
  }

  /** Whatever `read` reads is part of `field`. */
  within<T>(field: string, read: () => T): T {
    this.path.push(field);
    const value = read();
    this.path.pop();
    return value;
  }

  u8(field: string): number {
    return this.bytes[this.step(1, field)] as number;
  }

  u16(field: string): number {
    return this.view.getUint16(this.step(2, field));
  }

  u32(field: string): number {
    return this.view.getUint32(this.step(4, field));
  }

  int32(field: string): number {
    return this.view.getInt32(this.step(4, field));
  }

  u64(field: string): bigint {
    return this.view.getBigUint64(this.step(8, field));
  }

  double(field: string): number {
    return this.view.getFloat64(this.step(8, field));
  }

  /** 0 or 1, nothing else. */
  bool(field: string): boolean {
    const start = this.offset;
    const value = this.u8(field);
    if (value > 1) throw this.problem(field, start, `is ${value}, and must be 0 or 1`);
    return value === 1;
  }

  /** BOLT 1's BigSize in its shortest form. */
  bigSize(field: string): bigint {
    const start = this.offset;
    const first = this.u8(field);
    if (first < 0xfd) return BigInt(first);
    const value = first === 0xfd ? BigInt(this.u16(field)) : first === 0xfe ? BigInt(this.u32(field)) : this.u64(field);
    const least = first === 0xfd ? 0xfdn : first === 0xfe ? 0x10000n : 0x100000000n;
    if (value < least) throw this.problem(field, start, `says ${value}, but not in the shortest form`);
    return value;
  }

  take(length: number, field: string): Uint8Array {
    const start = this.step(length, field);
    return this.bytes.subarray(start, this.offset);
  }

  /** As many bytes as a BigSize says. */
  prefixed(field: string): Uint8Array {
    return this.take(this.count(1, field), field);
  }

  /** A script after its u16 length. */
  script(field: string): Uint8Array {
    return this.take(this.u16(field), field);
  }

  /** UTF-8 in normalization form C after its length in bytes. */
  text(field: string): string {
    const start = this.offset;
    const bytes = this.prefixed(field);
    let text: string;
    try {
      text = utf8.decode(bytes);
    } catch {
      throw this.problem(field, start, 'is not valid UTF-8');
    }
    const problem = textProblem(text);
    if (problem !== null) throw this.problem(field, start, problem);
    return text;
  }

  /** A compressed point of the curve. */
  point(field: string): Uint8Array {
    const start = this.offset;
    const point = this.take(33, field);
    this.countPoint(field, start);
    if (!ecc.isPoint(point)) throw this.problem(field, start, 'is not a compressed point of secp256k1');
    return point;
  }

  /** BIP340's x-only point. */
  xOnlyPoint(field: string): Uint8Array {
    const start = this.offset;
    const x = this.take(32, field);
    this.countPoint(field, start);
    // The same question as isXOnlyPoint's, which has no native answer.
    this.lifted.set(x, 1);
    if (!ecc.isPoint(this.lifted)) throw this.problem(field, start, 'is not the x coordinate of a point of secp256k1');
    return x;
  }

  /** A BigSize that counts things of at least `leastBytes` each, refused where the bytes that are left cannot hold so many. */
  count(leastBytes: number, field: string): number {
    const start = this.offset;
    const count = this.bigSize(field);
    this.checkCount(count, leastBytes, field, start);
    return Number(count);
  }

  /** The same with a u16, as in the oracle's messages. */
  count16(leastBytes: number, field: string): number {
    const start = this.offset;
    const count = this.u16(field);
    this.checkCount(BigInt(count), leastBytes, field, start);
    return count;
  }

  /** `count` things, one after the other. */
  items<T>(count: number, field: string, read: (index: number) => T): T[] {
    this.spend(count, field);
    const items: T[] = [];
    this.path.push(field, 0);
    for (let index = 0; index < count; index++) {
      this.path[this.path.length - 1] = index;
      items.push(read(index));
    }
    this.path.length -= 2;
    return items;
  }

  /** Counts what costs as much as so many elements of a list. */
  spend(count: number, field: string): void {
    this.itemsLeft -= count;
    if (this.itemsLeft < 0)
      throw this.problem(field, this.offset, `has ${count} elements: a message may have ${MAX_ITEMS} in all its lists`);
  }

  /** A TLV record of a known type: type and length as BigSize, then what `read` must use up. */
  record<T>(type: number, field: string, read: () => T): T {
    const start = this.offset;
    const found = this.bigSize(field);
    if (found !== BigInt(type)) throw this.problem(field, start, `is of type ${found}, and must be of type ${type}`);
    return this.recordBody(field, read);
  }

  /** The rest of a record whose type has been read. */
  recordBody<T>(field: string, read: () => T): T {
    const length = this.count(1, field);
    const outerEnd = this.end;
    this.end = this.offset + length;
    const value = this.within(field, read);
    if (this.offset !== this.end)
      throw this.problem(field, this.offset, `has ${this.remaining} bytes more than its fields`);
    this.end = outerEnd;
    return value;
  }

  /** 0: absent; 1: present. */
  optional<T>(field: string, read: () => T): T | null {
    return this.bool(field) ? this.within(field, read) : null;
  }

  /** Of the innermost field that is being read. */
  problem(field: string, offset: number, problem: string): DlcMessageError {
    return new DlcMessageError(this.message, pathText([...this.path, field]), offset, problem);
  }

  done(): void {
    if (this.remaining !== 0)
      throw this.problem('', this.offset, `${this.remaining} bytes follow the end of the ${this.message}`);
  }

  private checkCount(count: bigint, leastBytes: number, field: string, start: number): void {
    if (count * BigInt(leastBytes) > BigInt(this.remaining))
      throw this.problem(
        field,
        start,
        `says ${count}${leastBytes === 1 ? '' : ` of at least ${leastBytes} bytes each`}, and ${this.remaining} bytes follow`,
      );
  }

  private countPoint(field: string, start: number): void {
    if (--this.pointsLeft < 0) throw this.problem(field, start, `a message may hold ${MAX_POINTS} points`);
  }

  private step(length: number, field: string): number {
    const start = this.offset;
    if (length > this.remaining)
      throw this.problem(field, start, `takes ${length} bytes, and ${this.remaining} are left`);
    this.offset = start + length;
    return start;
  }
}

/** contract_info.cases[0].descriptor */
function pathText(path: readonly (string | number)[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (part !== '') text += text === '' ? part : `.${part}`;
  }
  return text;
}
