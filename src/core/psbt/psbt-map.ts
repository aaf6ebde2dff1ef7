import { compactSizeLength, writeCompactSize } from '../blocks/compact-size.ts';
import { KeyValueCursor } from './codec/key-value.ts';

/**
 * One map of a PSBT as it stands on the wire: its entries in their order, keys and values as bytes. Nothing is lost that was read, known
 * or not; the meaning of a value is in the field table (codec/fields.ts) and its readers (codec/input-fields.ts, codec/output-fields.ts).
 */
export interface PsbtEntry {
  /** The key's type: a compact size, so up to 64 bits on the wire; what is above 2^53 is refused when read. */
  readonly type: number;
  /** What follows the type within the key; empty for most fields. */
  readonly keyData: Uint8Array;
  readonly value: Uint8Array;
}

const NO_KEY_DATA = new Uint8Array(0);

/** Checked bytes of a map, without the zero byte that ends it; `bytes[end]` is that zero byte. */
interface Wire {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * Copy it (`clone`) before changing what you were given: roles answer a new PSBT and leave theirs as it is. A map that was parsed stays
 * the bytes it was read from until somebody asks for its entries or changes it, so that large PSBTs cost no object per field.
 */
export class PsbtMap {
  private list: PsbtEntry[] | null;
  private wire: Wire | null;

  constructor(entries: PsbtEntry[] = []) {
    this.list = entries;
    this.wire = null;
  }

  /** The map whose pairs are bytes[start, end), already checked; bytes[end] is the zero byte that ends it. */
  static onWire(bytes: Uint8Array, start: number, end: number): PsbtMap {
    const map = new PsbtMap();
    map.list = null;
    map.wire = { bytes, start, end };
    return map;
  }

  /** In the order of the wire. What is set anew goes to its place by key, ascending. */
  get entries(): readonly PsbtEntry[] {
    this.list ??= [...this.pairs()];
    return this.list;
  }

  clone(): PsbtMap {
    if (this.wire === null) return new PsbtMap((this.list as PsbtEntry[]).slice());
    return PsbtMap.onWire(this.wire.bytes, this.wire.start, this.wire.end);
  }

  /** The value of the key, or null. Linear in the map: index what you ask for again and again. */
  get(type: number, keyData: Uint8Array = NO_KEY_DATA): Uint8Array | null {
    if (this.list !== null) {
      for (const entry of this.list) if (entry.type === type && sameBytes(entry.keyData, keyData)) return entry.value;
      return null;
    }
    const cursor = this.cursor();
    const { bytes } = cursor;
    while (cursor.next())
      if (cursor.type === type && sameBytes(keyData, bytes, cursor.keyDataStart, cursor.keyEnd))
        return bytes.subarray(cursor.valueStart, cursor.valueEnd);
    return null;
  }

  has(type: number): boolean {
    if (this.list !== null) {
      for (const entry of this.list) if (entry.type === type) return true;
      return false;
    }
    const cursor = this.cursor();
    while (cursor.next()) if (cursor.type === type) return true;
    return false;
  }

  /** Every entry of a type, in order. */
  all(type: number): PsbtEntry[] {
    if (this.list !== null) return this.list.filter((entry) => entry.type === type);
    const found: PsbtEntry[] = [];
    const cursor = this.cursor();
    while (cursor.next()) if (cursor.type === type) found.push(entryAt(cursor));
    return found;
  }

  /** Every entry in order, made as it is asked for: for going through a large map once. */
  *pairs(): Generator<PsbtEntry, void, undefined> {
    if (this.list !== null) {
      yield* this.list;
      return;
    }
    const cursor = this.cursor();
    while (cursor.next()) yield entryAt(cursor);
  }

  /** Replaces the value where the key is there; else puts it before the first greater key. Linear; for many, `setAll`. */
  set(type: number, value: Uint8Array, keyData: Uint8Array = NO_KEY_DATA): void {
    const entries = this.own();
    const entry = { type, keyData, value };
    let place = entries.length;
    for (let at = 0; at < entries.length; at++) {
      const order = compareKeys(entries[at] as PsbtEntry, entry);
      if (order === 0) {
        entries[at] = entry;
        return;
      }
      if (order > 0 && place === entries.length) place = at;
    }
    entries.splice(place, 0, entry);
  }

  /** As `set` for each of them, at the cost of sorting them once. */
  setAll(added: readonly PsbtEntry[]): void {
    if (added.length === 0) return;
    if (added.length === 1) {
      const [entry] = added as [PsbtEntry];
      this.set(entry.type, entry.value, entry.keyData);
      return;
    }
    const byKey = new Map<string, PsbtEntry>();
    for (const entry of added) byKey.set(keyText(entry), entry);
    const entries = this.own();
    for (let at = 0; at < entries.length; at++) {
      const key = keyText(entries[at] as PsbtEntry);
      const replacement = byKey.get(key);
      if (replacement === undefined) continue;
      entries[at] = replacement;
      byKey.delete(key);
    }
    const fresh = [...byKey.values()].sort(compareKeys);
    const merged: PsbtEntry[] = [];
    let next = 0;
    for (const entry of entries) {
      while (next < fresh.length && compareKeys(fresh[next] as PsbtEntry, entry) < 0)
        merged.push(fresh[next++] as PsbtEntry);
      merged.push(entry);
    }
    while (next < fresh.length) merged.push(fresh[next++] as PsbtEntry);
    this.list = merged;
  }

  /** Every entry of the type, or the one with this key data. */
  remove(type: number, keyData?: Uint8Array): void {
    this.keep((entry) => entry.type !== type || (keyData !== undefined && !sameBytes(entry.keyData, keyData)));
  }

  /** Removes every entry for which `wanted` answers false. */
  keep(wanted: (entry: PsbtEntry) => boolean): void {
    this.list = this.own().filter(wanted);
  }

  /** How many bytes `write` writes. */
  get byteLength(): number {
    if (this.wire !== null) return this.wire.end - this.wire.start + 1;
    let length = 1;
    for (const { type, keyData, value } of this.entries) {
      const keyLength = compactSizeLength(type) + keyData.length;
      length += compactSizeLength(keyLength) + keyLength + compactSizeLength(value.length) + value.length;
    }
    return length;
  }

  /** Writes the pairs and the zero byte that ends them at `at`; answers where they end. */
  write(into: Buffer, at: number): number {
    if (this.wire !== null) {
      const { bytes, start, end } = this.wire;
      into.set(bytes.subarray(start, end + 1), at);
      return at + end - start + 1;
    }
    let offset = at;
    for (const { type, keyData, value } of this.entries) {
      offset = writeCompactSize(into, offset, compactSizeLength(type) + keyData.length);
      offset = writeCompactSize(into, offset, type);
      into.set(keyData, offset);
      offset = writeCompactSize(into, offset + keyData.length, value.length);
      into.set(value, offset);
      offset += value.length;
    }
    into[offset] = 0;
    return offset + 1;
  }

  private cursor(): KeyValueCursor {
    const { bytes, start } = this.wire as Wire;
    return new KeyValueCursor(bytes, start);
  }

  /** The entries, to be changed: from here on the map is no view of what it was read from. */
  private own(): PsbtEntry[] {
    const own = this.entries as PsbtEntry[];
    this.wire = null;
    return own;
  }
}

/** By type, then by key data, as bytes. */
export function compareKeys(a: Omit<PsbtEntry, 'value'>, b: Omit<PsbtEntry, 'value'>): number {
  return a.type - b.type || Buffer.compare(a.keyData, b.keyData);
}

/** The key as text: equal for equal keys of one map, and for no others. */
export const keyText = ({ type, keyData }: Omit<PsbtEntry, 'value'>): string =>
  keyData.length === 0
    ? `${type}`
    : `${type}:${Buffer.from(keyData.buffer, keyData.byteOffset, keyData.length).toString('latin1')}`;

function entryAt({ bytes, type, keyDataStart, keyEnd, valueStart, valueEnd }: KeyValueCursor): PsbtEntry {
  return {
    type,
    keyData: keyDataStart === keyEnd ? NO_KEY_DATA : bytes.subarray(keyDataStart, keyEnd),
    value: bytes.subarray(valueStart, valueEnd),
  };
}

/** Whether `a` is bytes[start, end) of `b`. */
function sameBytes(a: Uint8Array, b: Uint8Array, start = 0, end = b.length): boolean {
  const { length } = a;
  if (length !== end - start) return false;
  for (let at = 0; at < length; at++) if (a[at] !== b[start + at]) return false;
  return true;
}
