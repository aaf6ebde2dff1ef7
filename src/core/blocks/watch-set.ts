const MIN_SLOTS = 1024;
/** Above two thirds full the table doubles. */
const FULL = (slots: number): number => Math.floor((slots * 2) / 3);

/**
 * A set of byte strings (scriptPubKeys, outpoints), held as salted 64-bit fingerprints in open addressing: 12 to 24 bytes an entry, no
 * object per entry, a look-up without allocation. What was added is always found; what was not is found by chance once in 2^64 / size
 * tries, so a hit is checked against the database. The salt (16 secret random bytes) makes the collisions of one process of no use
 * against another.
 */
export function createWatchSet(salt: Uint8Array, expected = 0) {
  if (salt.length < 16) throw new RangeError('a watch set needs 16 random bytes');
  const view = new DataView(salt.buffer, salt.byteOffset, salt.byteLength);
  const seeds = [0, 4, 8, 12].map((at) => view.getUint32(at, true)) as [number, number, number, number];
  let slots = MIN_SLOTS;
  while (FULL(slots) < expected) slots *= 2;
  let mask = slots - 1;
  // Two words a slot: high and low half of the fingerprint; both zero means empty (a fingerprint of zero becomes 1).
  let table = new Uint32Array(slots * 2);
  let size = 0;
  // The fingerprint of the latest call to `fingerprint`: kept here so that no call allocates.
  let high = 0;
  let low = 0;

  /** Two murmur3-style lanes with different seeds and multipliers over the same words; 64 bits in all. */
  function fingerprint(bytes: Uint8Array, start: number, end: number): void {
    let a = seeds[0];
    let b = seeds[1];
    let i = start;
    for (; i + 4 <= end; i += 4) {
      const word =
        (bytes[i] as number) |
        ((bytes[i + 1] as number) << 8) |
        ((bytes[i + 2] as number) << 16) |
        ((bytes[i + 3] as number) << 24);
      a = mix(a ^ Math.imul(word ^ seeds[2], 0xcc9e2d51), 0x1b873593);
      b = mix(b ^ Math.imul(word ^ seeds[3], 0x85ebca6b), 0xc2b2ae35);
    }
    let rest = 0;
    for (let shift = 0; i < end; i++, shift += 8) rest |= (bytes[i] as number) << shift;
    const length = end - start;
    a = mix(a ^ Math.imul(rest ^ seeds[2], 0xcc9e2d51), 0x1b873593) ^ length;
    b = mix(b ^ Math.imul(rest ^ seeds[3], 0x85ebca6b), 0xc2b2ae35) ^ Math.imul(length, 0x9e3779b1);
    high = avalanche(a + Math.imul(b, 0x27d4eb2f));
    low = avalanche(b ^ Math.imul(high, 0x165667b1));
    if (high === 0 && low === 0) low = 1;
  }

  /** The slot that holds the fingerprint, or the empty one where it belongs. */
  function slotOf(h: number, l: number): number {
    let slot = l & mask;
    for (;;) {
      const at = slot * 2;
      const tableHigh = table[at] as number;
      const tableLow = table[at + 1] as number;
      if ((tableHigh === h && tableLow === l) || (tableHigh === 0 && tableLow === 0)) return at;
      slot = (slot + 1) & mask;
    }
  }

  function grow(): void {
    const old = table;
    mask = mask * 2 + 1;
    table = new Uint32Array((mask + 1) * 2);
    for (let at = 0; at < old.length; at += 2) {
      const h = old[at] as number;
      const l = old[at + 1] as number;
      if (h === 0 && l === 0) continue;
      const to = slotOf(h, l);
      table[to] = h;
      table[to + 1] = l;
    }
  }

  return {
    get size() {
      return size;
    },
    /** Memory of the table in bytes. */
    get byteLength() {
      return table.byteLength;
    },
    add(bytes: Uint8Array, start: number = 0, end: number = bytes.length) {
      fingerprint(bytes, start, end);
      const at = slotOf(high, low);
      if (table[at] !== 0 || table[at + 1] !== 0) return;
      table[at] = high;
      table[at + 1] = low;
      size++;
      if (size > FULL(mask + 1)) grow();
    },
    has(bytes: Uint8Array, start: number, end: number) {
      fingerprint(bytes, start, end);
      const at = slotOf(high, low);
      return table[at] !== 0 || table[at + 1] !== 0;
    },
    clear() {
      mask = MIN_SLOTS - 1;
      table = new Uint32Array(MIN_SLOTS * 2);
      size = 0;
    },
  };
}

export type WatchSet = ReturnType<typeof createWatchSet>;

function mix(value: number, multiplier: number): number {
  const rotated = (value << 15) | (value >>> 17);
  return Math.imul(rotated, multiplier) + 0xe6546b64;
}

function avalanche(value: number): number {
  let v = value ^ (value >>> 16);
  v = Math.imul(v, 0x85ebca6b);
  v ^= v >>> 13;
  v = Math.imul(v, 0xc2b2ae35);
  return (v ^ (v >>> 16)) >>> 0;
}
