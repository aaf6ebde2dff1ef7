/**
 * One map of a PSBT as it stands on the wire: its entries in their order, keys and values as bytes. Nothing is lost that was read, known
 * or not; the meaning of a value is in the field table (fields.ts) and its readers (input-fields.ts, output-fields.ts).
 */
export interface PsbtEntry {
  /** The key's type: a compact size, so up to 64 bits on the wire; what is above 2^53 is refused when read. */
  readonly type: number;
  /** What follows the type within the key; empty for most fields. */
  readonly keyData: Uint8Array;
  readonly value: Uint8Array;
}

const NO_KEY_DATA = new Uint8Array(0);

/** Copy it (`clone`) before changing what you were given: roles answer a new PSBT and leave theirs as it is. */
export class PsbtMap {
  /** In the order of the wire. What is set anew goes to its place by key, ascending. */
  readonly entries: PsbtEntry[];

  constructor(entries: PsbtEntry[] = []) {
    this.entries = entries;
  }

  clone(): PsbtMap {
    return new PsbtMap(this.entries.slice());
  }

  /** The value of the key, or null. */
  get(type: number, keyData: Uint8Array = NO_KEY_DATA): Uint8Array | null {
    for (const entry of this.entries) if (entry.type === type && sameBytes(entry.keyData, keyData)) return entry.value;
    return null;
  }

  has(type: number): boolean {
    for (const entry of this.entries) if (entry.type === type) return true;
    return false;
  }

  /** Every entry of a type, in order. */
  all(type: number): PsbtEntry[] {
    return this.entries.filter((entry) => entry.type === type);
  }

  /** Replaces the value where the key is there; else puts it before the first greater key. */
  set(type: number, value: Uint8Array, keyData: Uint8Array = NO_KEY_DATA): void {
    const { entries } = this;
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

  /** Every entry of the type, or the one with this key data. */
  remove(type: number, keyData?: Uint8Array): void {
    const kept = this.entries.filter(
      (entry) => entry.type !== type || (keyData !== undefined && !sameBytes(entry.keyData, keyData)),
    );
    this.entries.splice(0, this.entries.length, ...kept);
  }
}

/** By type, then by key data, as bytes. */
export function compareKeys(a: Omit<PsbtEntry, 'value'>, b: Omit<PsbtEntry, 'value'>): number {
  return a.type - b.type || Buffer.compare(a.keyData, b.keyData);
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a === b || (a.length === b.length && (a.length === 0 || Buffer.compare(a, b) === 0));
