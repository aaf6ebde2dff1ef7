import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWatchSet } from '../../../src/core/blocks/watch-set.ts';

const SALT = Uint8Array.from({ length: 16 }, (_, i) => i * 17);

const numbered = (n: number, length = 36) => {
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setUint32(0, n, true);
  return bytes;
};

describe('WatchSet', () => {
  it('finds whatever was added, wherever the bytes lie', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 50 }),
        fc.uint8Array({ maxLength: 9 }),
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        (items, prefix, salt) => {
          const set = createWatchSet(salt);
          for (const item of items) set.add(item);
          const distinct = new Set(items.map((item) => Buffer.from(item).toString('hex')));
          expect(set.size).toBe(distinct.size);
          for (const item of items) {
            const inside = Buffer.concat([prefix, item, Buffer.from([9])]);
            expect(set.has(inside, prefix.length, prefix.length + item.length)).toBe(true);
          }
        },
      ),
    );
  });

  it('tells apart what is shorter, longer, or differs in one bit', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(), (item, at) => {
        const set = createWatchSet(SALT);
        set.add(item);
        const flipped = Uint8Array.from(item);
        flipped[(at >> 3) % item.length]! ^= 1 << (at & 7);
        expect(set.has(flipped, 0, flipped.length)).toBe(false);
        expect(set.has(item, 0, item.length - 1)).toBe(false);
        const longer = Buffer.concat([item, Buffer.alloc(1)]);
        expect(set.has(longer, 0, longer.length)).toBe(false);
      }),
    );
  });

  it('grows past its first size without losing anything or finding strangers, in 12 to 24 bytes an entry', () => {
    const set = createWatchSet(SALT);
    const count = 200_000;
    for (let i = 0; i < count; i++) set.add(numbered(i));
    expect(set.size).toBe(count);
    let missed = 0;
    let strangers = 0;
    for (let i = 0; i < count; i++) {
      if (!set.has(numbered(i), 0, 36)) missed++;
      if (set.has(numbered(i + count), 0, 36)) strangers++;
    }
    expect(missed).toBe(0);
    expect(strangers).toBe(0);
    expect(set.byteLength / count).toBeLessThanOrEqual(24);
  });

  it('sized for what is expected, it never has to grow', () => {
    const set = createWatchSet(SALT, 10_000);
    const before = set.byteLength;
    for (let i = 0; i < 10_000; i++) set.add(numbered(i));
    expect(set.byteLength).toBe(before);
  });

  it('adding twice counts once, and clearing forgets', () => {
    const set = createWatchSet(SALT);
    set.add(numbered(1));
    set.add(numbered(1));
    expect(set.size).toBe(1);
    set.clear();
    expect(set.size).toBe(0);
    expect(set.has(numbered(1), 0, 36)).toBe(false);
  });

  it('needs a salt', () => {
    expect(() => createWatchSet(new Uint8Array(8))).toThrow(RangeError);
  });
});
