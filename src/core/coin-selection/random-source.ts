/**
 * Fast randomness for shuffles and searches: not for keys. xoshiro128** (Blackman, Vigna) seeded with 16 bytes of the caller's
 * randomness.
 */
export function createRandomSource(randomBytes: (size: number) => Uint8Array) {
  const seed = Buffer.from(randomBytes(16));
  let a = seed.readUInt32LE(0);
  let b = seed.readUInt32LE(4);
  let c = seed.readUInt32LE(8);
  // All zero would stay zero for ever.
  let d = seed.readUInt32LE(12) || 1;
  let bits = 0;
  let bitsLeft = 0;

  const next = (): number => {
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result;
  };

  const below = (limit: number): number => {
    // Values above the largest multiple of limit would favour small results: draw again.
    const bound = 0x1_0000_0000 - (0x1_0000_0000 % limit);
    let value = next();
    while (value >= bound) value = next();
    return value % limit;
  };

  return {
    bool: () => {
      if (bitsLeft === 0) {
        bits = next();
        bitsLeft = 32;
      }
      const bit = (bits & 1) === 1;
      bits >>>= 1;
      bitsLeft--;
      return bit;
    },
    /** Uniform in [0, limit), limit up to 2^32. */
    below,
    /** In place. */
    shuffle: <T>(items: T[]) => {
      for (let i = items.length - 1; i > 0; i--) {
        const j = below(i + 1);
        [items[i], items[j]] = [items[j]!, items[i]!];
      }
      return items;
    },
  };
}

export type RandomSource = ReturnType<typeof createRandomSource>;
