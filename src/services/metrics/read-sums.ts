/** What is kept of stretches of time, read a little at a time, and how it is written. */
import type { AccountId, WalletId } from '../../core/ids.ts';
import { inParts, piecesOf } from '../../core/metrics/buckets.ts';
import { formatValue, type Metric } from '../../core/metrics/metric-table.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { FoundSums } from '../../store/repositories/metric-sums.ts';
import type { Repositories } from '../../store/store.ts';

/** Rows of kept buckets that one statement reads. */
const AT_ONCE = 150;

interface Asked {
  readonly metric: Metric;
  /** Where each stretch begins, and where the last one ends. */
  readonly at: readonly number[];
  readonly wallets?: readonly WalletId[] | undefined;
}

/** Of each stretch. */
export async function readSums(
  read: Pick<Repositories, 'metricSums'>,
  accountId: AccountId,
  { metric, at, wallets }: Asked,
): Promise<FoundSums[][]> {
  const most = Math.ceil(AT_ONCE / metric.kinds / (wallets?.length ?? 1));
  const pieces = at.slice(1).flatMap((end, n) => piecesOf(n, at[n] as number, end, most));
  const found = at.slice(1).map((): FoundSums[] => []);
  const pause = createYielder();
  for (const part of inParts(pieces, most)) {
    const asked = { source: metric.source, pieces: part, wallets };
    for (const sums of await read.metricSums.of(accountId, asked)) found[sums.at]?.push(sums);
    await pause();
  }
  return found;
}

type Values<M extends Metric> = ReturnType<M['of']> extends bigint ? string : string | null;

export function written<M extends Metric>({ of, unit }: M, sums: readonly FoundSums[]): Values<M> {
  const value = of(sums);
  return (value === null ? null : formatValue(value, unit)) as Values<M>;
}

/** By what `key` says of each; what it says '' of is in none. */
export function grouped(metric: Metric, sums: readonly FoundSums[], key: (of: FoundSums) => string) {
  const groups = Map.groupBy(sums, key);
  groups.delete('');
  return Object.fromEntries([...groups].map(([group, of]) => [group, written(metric, of) ?? '']));
}
