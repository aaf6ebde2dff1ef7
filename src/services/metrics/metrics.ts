/** Metrics of an account, from sums that are kept with its records: what a question costs depends on what it asks for, not on the history. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { inParts, MINUTES_KEPT_MS, type Piece, piecesOf, REQUESTS_KEPT_MS } from '../../core/metrics/buckets.ts';
import { boundaries, DAY_MS, INTERVALS, type Interval } from '../../core/metrics/local-time.ts';
import {
  formatValue,
  type Group,
  METRIC_NAMES,
  METRICS,
  type MetricName,
  type MetricSource,
  SOURCES,
  type Sums,
} from '../../core/metrics/metric-table.ts';
import { inBatches } from '../../scheduling/in-batches.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { FoundSums } from '../../store/repositories/metric-sums.ts';
import type { Store } from '../../store/store.ts';

export const MOST_BUCKETS = 1_000;
const MOST_WALLETS = 50;
/** Of a bucket and a wallet each. */
const MOST_VALUES = 10_000;
/** Kept buckets that one statement reads of. */
const AT_ONCE = 150;
/** How many rows a bucket has at least where there is much: of each operation and status, or duration and status. */
const KINDS: Readonly<Record<MetricSource, number>> = { transaction: 1, contract: 1, approval: 15, request: 15 };
/** Of a job. */
const SWEPT = 500;
/** There have been no coins before. */
const GENESIS = Date.parse('2009-01-03T00:00:00Z');
/** A month may have 28 days. */
const LENGTH_MS: Readonly<Record<Interval, number>> = {
  ...{ minute: 60_000, hour: 3_600_000, day: DAY_MS, week: 7 * DAY_MS, month: 28 * DAY_MS },
};
/** How many intervals there are where nothing says from when. */
const USUAL: Readonly<Record<Interval, number>> = { minute: 60, hour: 24, day: 30, week: 12, month: 12 };

const QUARTER_MS = 900_000;
export const SUMMARY_RANGES = ['24h', '7d', '30d'] as const;
type SummaryRange = (typeof SUMMARY_RANGES)[number];
const RANGES_MS: Readonly<Record<SummaryRange, number>> = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS };

export interface MetricQuery {
  readonly metric: MetricName;
  readonly interval: Interval;
  readonly timezone: string;
  /** Epoch milliseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly walletId?: WalletId | undefined;
  readonly groupBy?: Group | undefined;
}

export interface MetricBucket {
  readonly start: number;
  readonly end: number;
  readonly value: string;
  readonly groups?: Readonly<Record<string, string>>;
  /** It is not over. */
  readonly partial: boolean;
}

const refuse = (field: string, message: string): never => {
  throw new DomainError('invalid_value', message, { field: `query.${field}` });
};

function starts({ interval, timezone, ...asked }: MetricQuery, now: number): number[] {
  const to = Math.min(asked.to ?? now, now);
  const from = asked.from ?? Math.max(to - USUAL[interval] * LENGTH_MS[interval], GENESIS);
  if (from < GENESIS) refuse('from', 'must not be before 2009-01-03, when the first block was mined');
  if (from >= to) refuse('from', 'must be earlier than `to` and than now');
  const fits = (one: Interval): boolean => (to - from) / LENGTH_MS[one] <= MOST_BUCKETS;
  const found = fits(interval) ? boundaries(from, to, interval, timezone) : [];
  if (!fits(interval) || found.length > MOST_BUCKETS + 1) {
    const next = INTERVALS.slice(INTERVALS.indexOf(interval) + 1).find(fits) ?? 'month';
    refuse('interval', `must give at most ${MOST_BUCKETS} buckets: ask for ${next}, or for a shorter time`);
  }
  if (interval === 'minute' && from < now - MINUTES_KEPT_MS)
    refuse('interval', `must be hour or longer: minutes are kept for ${MINUTES_KEPT_MS / DAY_MS} days`);
  if (from < earliest(asked.metric, now))
    refuse('from', `must be later: requests are kept for ${REQUESTS_KEPT_MS / DAY_MS} days`);
  return found;
}

/** From when there is something to ask for. */
const earliest = (metric: MetricName, now: number): number =>
  METRICS[metric].source === 'request' ? now - REQUESTS_KEPT_MS : GENESIS;

/** `lag`: blocks between the follower and the tip; null where it is not known. */
export function createMetrics(deps: {
  store: Pick<Store, 'read' | 'write'>;
  clock: () => number;
  lag: () => number | null;
}) {
  const { store, clock, lag } = deps;

  /** What is kept of the pieces, read a little at a time. */
  async function sumsOf(
    accountId: AccountId,
    {
      source,
      pieces,
      wallets,
    }: { source: MetricSource; pieces: readonly Piece[]; wallets?: readonly WalletId[] | undefined },
  ): Promise<FoundSums[]> {
    const found: FoundSums[] = [];
    const pause = createYielder();
    for (const part of inParts(pieces, Math.ceil(AT_ONCE / KINDS[source] / (wallets?.length ?? 1)))) {
      found.push(...(await store.read.metricSums.of(accountId, { source, pieces: part, wallets })));
      await pause();
    }
    return found;
  }

  /** Those to ask for besides the whole account; undefined where it is not asked by wallet. */
  async function walletsOf(accountId: AccountId, { walletId, groupBy }: MetricQuery, buckets: number) {
    const { wallets } = store.read;
    if (walletId !== undefined) {
      if ((await wallets.find(accountId, walletId)) !== null) return [walletId];
      throw new DomainError('not_found', 'there is no such wallet', { field: 'query.wallet_id' });
    }
    if (groupBy !== 'wallet') return undefined;
    const page = await wallets.list(accountId, {}, { limit: MOST_WALLETS, offset: 0 });
    if (page.total > MOST_WALLETS)
      refuse('group_by', `must not be wallet: the account has more than ${MOST_WALLETS}. Ask for each by wallet_id`);
    if (page.total * buckets > MOST_VALUES)
      refuse('interval', `must give at most ${Math.floor(MOST_VALUES / page.total)} buckets of ${page.total} wallets`);
    return page.data.map((wallet) => wallet.walletId);
  }

  return {
    async detailed(query: MetricQuery, { accountId }: { accountId: AccountId }) {
      const { metric: name, groupBy, walletId } = query;
      const metric = METRICS[name];
      if (groupBy !== undefined && !(metric.groups as readonly Group[]).includes(groupBy))
        refuse('group_by', `must be ${metric.groups.join(' or ')} for ${name}, or absent`);
      if (walletId !== undefined && !(metric.groups as readonly Group[]).includes('wallet'))
        refuse('wallet_id', `must be absent: ${name} is not of wallets`);
      const now = clock();
      const at = starts(query, now);
      const known = await walletsOf(accountId, query, at.length - 1);
      const wallets = walletId === undefined && known !== undefined ? ['' as WalletId, ...known] : known;
      const pieces = at.slice(1).flatMap((end, n) => piecesOf(n, at[n] as number, end));
      const found = at.slice(1).map((): FoundSums[] => []);
      for (const sums of await sumsOf(accountId, { source: metric.source, pieces, wallets }))
        found[sums.at]?.push(sums);
      const pause = createYielder();
      const data: MetricBucket[] = [];
      for (const [n, sums] of found.entries()) {
        const [start, end] = [at[n] as number, at[n + 1] as number];
        const all = groupBy === 'wallet' ? sums.filter((one) => one.walletId === '') : sums;
        data.push({ start, end, value: written(name, all), ...groupsOf(name, sums, groupBy), partial: end > now });
        await pause();
      }
      return { ...query, unit: metric.unit, from: at[0] as number, to: at.at(-1) as number, data };
    },
    /** The range up to the end of this quarter of an hour, and the one before it. */
    async summary(range: SummaryRange, { accountId }: { accountId: AccountId }) {
      const to = Math.ceil(clock() / QUARTER_MS) * QUARTER_MS;
      const [from, first] = [to - RANGES_MS[range], to - 2 * RANGES_MS[range]];
      const pieces = [...piecesOf(0, first, from), ...piecesOf(1, from, to)];
      const found = new Map<MetricSource, FoundSums[]>();
      for (const source of SOURCES) found.set(source, await sumsOf(accountId, { source, pieces }));
      const metrics = METRIC_NAMES.map((name) => summarized(name, found.get(METRICS[name].source) ?? []));
      return { range, from, to, metrics, followerLag: lag() };
    },
    earliest: (metric: MetricName): number => earliest(metric, clock()),
    /** Deletes what nobody may ask for any more. A day longer than said: clocks of processes differ. */
    async sweep() {
      const before = (kept: number): number => Math.floor((clock() - kept - DAY_MS) / 60_000);
      const [minutes, requests] = [before(MINUTES_KEPT_MS), before(REQUESTS_KEPT_MS)];
      const deleted = await inBatches(SWEPT, () => store.write((tx) => tx.metricSums.deleteMinutes(minutes, SWEPT)));
      return (
        deleted + (await inBatches(SWEPT, () => store.write((tx) => tx.metricSums.deleteRequests(requests, SWEPT))))
      );
    },
  };
}

const written = (name: MetricName, sums: readonly Sums[]): string =>
  formatValue(METRICS[name].of(sums), METRICS[name].unit);

function summarized(name: MetricName, its: readonly FoundSums[]) {
  const { unit, of } = METRICS[name];
  const [before, now] = [its.filter(({ at }) => at === 0), its.filter(({ at }) => at === 1)];
  const change = formatValue(of(now) - of(before), unit);
  const byStatus = groupsOf(name, now, 'status').groups ?? {};
  return { name, unit, value: written(name, now), before: written(name, before), change, byStatus };
}

function groupsOf(name: MetricName, sums: readonly FoundSums[], groupBy: Group | undefined) {
  if (groupBy === undefined) return {};
  const key = { wallet: 'walletId', status: 'status', type: 'type' } as const;
  const groups = Map.groupBy(sums, (one) => one[key[groupBy]]);
  groups.delete('');
  return { groups: Object.fromEntries([...groups].map(([group, of]) => [group, written(name, of)])) };
}

export type Metrics = ReturnType<typeof createMetrics>;
