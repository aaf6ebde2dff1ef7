/** Durations in classes of which two are an octave: sums of them merge, and a percentile is known to within a factor of 1.5. */

/** Upper bounds, milliseconds: 1, 2, 3, 4, 6, 8, 12, … */
const BOUNDS = [...new Set(Array.from({ length: 32 }, (_, n) => Math.ceil(2 ** (n / 2))))];

/** The bound of the class that a duration belongs to, the last for all that is longer. */
export const boundOf = (ms: number): number => BOUNDS.find((bound) => ms <= bound) ?? (BOUNDS.at(-1) as number);

/** The bound that so many percent of what is counted do not exceed; 0 where nothing is. */
export function percentile(
  percent: bigint,
  counts: readonly { readonly bound: number; readonly items: bigint }[],
): bigint {
  const all = counts.reduce((sum, { items }) => sum + items, 0n);
  let left = (all * percent + 99n) / 100n;
  for (const { bound, items } of counts.toSorted((a, b) => a.bound - b.bound)) {
    left -= items;
    if (left <= 0n && items > 0n) return BigInt(bound);
  }
  return 0n;
}
