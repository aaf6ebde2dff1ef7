/** What a transaction or contract counts for, as it stands with it. */
import type { CountedSum } from '../../core/policies/policy.ts';

/** As the triggers read it. Amounts fit: all coins that there can be are less than 2^53 satoshis. */
export const countsColumn = {
  load: (stored: string): CountedSum[] =>
    (JSON.parse(stored) as [string, string, number, number, number][]).map(
      ([scope, subject, hour, amountSats, count]) => ({ scope, subject, hour, amountSats: BigInt(amountSats), count }),
    ),
  store: (counts: readonly CountedSum[]): string =>
    JSON.stringify(
      counts.map(({ scope, subject, hour, amountSats, count }) => [scope, subject, hour, Number(amountSats), count]),
    ),
};

/** Each scope, subject and hour once, in the order of the key: what a replacement inherits may be of the same ones. */
export function addedUp(counts: readonly CountedSum[]): CountedSum[] {
  const sums = new Map<string, CountedSum>();
  for (const sum of counts) {
    const key = JSON.stringify([sum.scope, sum.subject, sum.hour]);
    const { amountSats = 0n, count = 0 } = sums.get(key) ?? {};
    sums.set(key, { ...sum, amountSats: amountSats + sum.amountSats, count: count + sum.count });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
