import { PsbtError, type PsbtPlace } from '../psbt-error.ts';

/**
 * Fields that are read at the most, of all PSBTs of a request together: 25 for each of 10,000 inputs. Ten megabytes of fields without
 * content would be more than a million, and each costs as much time as one with content.
 */
export const MAX_FIELDS = 250_000;

/** How many fields may still be read; one for all that is read together. */
export interface FieldBudget {
  left: number;
}

/** The innermost layer of BIP174: one key-value pair after the other, told by where its parts lie, without an object of any of them. */
export class KeyValueCursor {
  readonly bytes: Uint8Array;
  offset: number;
  /** Which map is being read: what an error names. */
  map: PsbtPlace['map'] = 'global';
  index = 0;

  /** Of the pair that `next` has just stepped over. */
  type = 0;
  keyStart = 0;
  keyDataStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;

  private readonly budget: FieldBudget | null;

  /** `budget`: of bytes that nobody has read before. */
  constructor(bytes: Uint8Array, offset: number, budget: FieldBudget | null = null) {
    this.bytes = bytes;
    this.offset = offset;
    this.budget = budget;
  }

  get place(): PsbtPlace {
    const { map, index } = this;
    return map === 'global' ? { map } : { map, index };
  }

  /** Steps over the next pair; false at the map's end, which is stepped over, too. Throws PsbtError. */
  next(): boolean {
    const { bytes } = this;
    const keyLength = this.compactSize(bytes.length, "a key's length");
    if (keyLength === 0) return false;
    if (this.budget !== null && --this.budget.left < 0) throw this.tooManyFields();
    const keyStart = this.offset;
    const keyEnd = keyStart + keyLength;
    if (keyEnd > bytes.length) throw this.truncated(`a key of ${keyLength} bytes`);
    const type = this.compactSize(keyEnd, "a key's type");
    this.type = type;
    this.keyStart = keyStart;
    this.keyDataStart = this.offset;
    this.keyEnd = keyEnd;
    this.offset = keyEnd;
    const valueLength = this.compactSize(bytes.length, "a value's length");
    const valueStart = this.offset;
    const valueEnd = valueStart + valueLength;
    if (valueEnd > bytes.length) throw this.truncated(`a value of ${valueLength} bytes`);
    this.valueStart = valueStart;
    this.valueEnd = valueEnd;
    this.offset = valueEnd;
    return true;
  }

  /** A compact size in its shortest form that ends at `limit` or before. */
  private compactSize(limit: number, what: string): number {
    const { bytes, offset } = this;
    if (offset >= limit) throw this.truncated(what);
    const first = bytes[offset] as number;
    if (first < 0xfd) {
      this.offset = offset + 1;
      return first;
    }
    const width = first === 0xfd ? 2 : first === 0xfe ? 4 : 8;
    if (offset + 1 + width > limit) {
      if (limit < bytes.length)
        throw new PsbtError('key_without_type', `a key holds its whole type, a compact size, at byte ${offset}`, this);
      throw this.truncated(what);
    }
    const value = littleEndian(bytes, offset + 1, width);
    if (value < MIN[width]!)
      throw new PsbtError(
        'non_minimal_size',
        `${what} must be a compact size in its shortest form, at byte ${offset}`,
        this,
      );
    if (value > Number.MAX_SAFE_INTEGER)
      throw new PsbtError('invalid_key_data', `${what} must be below 2^53, at byte ${offset}`, this);
    this.offset = offset + 1 + width;
    return value;
  }

  private tooManyFields(): PsbtError {
    return new PsbtError(
      'too_many_fields',
      `PSBTs are read that have up to ${MAX_FIELDS} fields, all of one request together`,
      this,
    );
  }

  private truncated(what: string): PsbtError {
    return new PsbtError(
      'truncated',
      `the bytes end within ${what}, at byte ${this.offset} of ${this.bytes.length}: give the whole PSBT`,
      this,
    );
  }
}

/** The least value that needs so many bytes. */
const MIN: Readonly<Record<number, number>> = { 2: 0xfd, 4: 0x10000, 8: 0x100000000 };

function littleEndian(bytes: Uint8Array, start: number, width: number): number {
  let value = 0;
  for (let at = start + width - 1; at >= start; at--) value = value * 0x100 + (bytes[at] as number);
  return value;
}
