/** What is kept of stretches of time, read a little at a time, and how it is written. */
import type { AccountId } from '../../core/ids.ts';
import { inParts, piecesBefore, piecesOf } from '../../core/metrics/buckets.ts';
import { formatValue, type Metric } from '../../core/metrics/metric-table.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { FoundSums } from '../../store/repositories/metric-sums.ts';
import type { Repositories } from '../../store/store.ts';

/** Rows of kept buckets that one statement reads. */
const AT_ONCE = 150;
/** Number of what lies before the first stretch. */
const BEFORE = -1;

interface Asked {
  readonly metric: Metric;
  /** Where each stretch begins, and where the last one ends. */
  readonly at: readonly number[];
  /** Of requests, credentials. */
  readonly wallets?: readonly string[] | undefined;
}

/** Of each stretch; of a level, of all up to its end. */
export async function readSums(
  read: Pick<Repositories, 'metricSums'>,
  accountId: AccountId,
  { metric, at, wallets }: Asked,
): Promise<FoundSums[][]> {
  const most = Math.ceil(AT_ONCE / metric.kinds / (wallets?.length ?? 1));
  const pieces = at.slice(1).flatMap((end, n) => piecesOf(n, at[n] as number, end, most));
  if (metric.level) pieces.push(...piecesBefore(BEFORE, at[0] as number));
  const before: FoundSums[] = [];
  const found = at.slice(1).map((): FoundSums[] => []);
  const pause = createYielder();
  for (const part of inParts(pieces, most)) {
    const asked = { source: metric.source, pieces: part, wallets };
    for (const sums of await read.metricSums.of(accountId, asked))
      (sums.at === BEFORE ? before : found[sums.at])?.push(sums);
    await pause();
  }
  return metric.level ? levels(before, found) : found;
}

function levels(before: readonly FoundSums[], changes: readonly FoundSums[][]): FoundSums[][] {
  const kept = new Map<string, FoundSums>();
  const add = (more: readonly FoundSums[]): void => {
    for (const one of more) {
      const { items = 0n, amountSats = 0n, feeSats = 0n } = kept.get(one.ofId) ?? {};
      const sum = { items: items + one.items, amountSats: amountSats + one.amountSats, feeSats: feeSats + one.feeSats };
      kept.set(one.ofId, { ...one, ...sum });
    }
  };
  add(before);
  return changes.map((more) => {
    add(more);
    return [...kept.values()].filter(({ items }) => items !== 0n);
  });
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
