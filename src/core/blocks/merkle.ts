import { hash256 } from '../hashes.ts';

/** The merkle root of transaction hashes, all in internal order. `mutated`: two equal hashes side by side (CVE-2012-2459). */
export function merkleRoot(hashes: readonly Uint8Array[]): { root: Buffer; mutated: boolean } {
  if (hashes.length === 0) throw new RangeError('the merkle root of no transaction');
  let mutated = false;
  let level = Buffer.concat(hashes);
  while (level.length > 32) {
    const pairs = Math.ceil(level.length / 64);
    const next = Buffer.allocUnsafe(pairs * 32);
    for (let i = 0; i < pairs; i++) {
      const left = level.subarray(i * 64, i * 64 + 32);
      const single = level.length < (i + 1) * 64;
      const right = single ? left : level.subarray(i * 64 + 32, i * 64 + 64);
      if (!single && left.equals(right)) mutated = true;
      next.set(hash256(single ? Buffer.concat([left, left]) : level.subarray(i * 64, i * 64 + 64)), i * 32);
    }
    level = next;
  }
  return { root: Buffer.from(level), mutated };
}
