/** Metrics of an account, from sums that are kept with its records: what a question costs depends on what it asks for, not on the history. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { inParts, MINUTES_KEPT_MS, piecesOf } from '../../core/metrics/buckets.ts';
import { boundaries, DAY_MS, INTERVALS, type Interval } from '../../core/metrics/local-time.ts';
import { type Group, METRICS, type MetricName } from '../../core/metrics/metric-table.ts';
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
/** Their buckets have a row for each operation and status. */
const KINDS_OF_APPROVAL = 15;
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
  return found;
}

export function createMetrics({ store, clock }: { store: Pick<Store, 'read' | 'write'>; clock: () => number }) {
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
      const pause = createYielder();
      const atOnce = metric.source === 'approval' ? AT_ONCE / KINDS_OF_APPROVAL : AT_ONCE;
      for (const part of inParts(pieces, Math.ceil(atOnce / (wallets?.length ?? 1)))) {
        const asked = { source: metric.source, pieces: part, wallets };
        for (const sums of await store.read.metricSums.of(accountId, asked)) found[sums.at]?.push(sums);
        await pause();
      }
      const data = found.map((sums, n): MetricBucket => {
        const [start, end] = [at[n] as number, at[n + 1] as number];
        const all = groupBy === 'wallet' ? sums.filter((one) => one.walletId === '') : sums;
        return { start, end, value: metric.of(all), ...groupsOf(name, sums, groupBy), partial: end > now };
      });
      return { ...query, unit: metric.unit, from: at[0] as number, to: at.at(-1) as number, data };
    },
    /** Deletes minutes that nobody may ask for any more. A day longer than said: clocks of processes differ. */
    sweep: () => {
      const before = Math.floor((clock() - MINUTES_KEPT_MS - DAY_MS) / 60_000);
      return inBatches(SWEPT, () => store.write((tx) => tx.metricSums.deleteMinutes(before, SWEPT)));
    },
  };
}

function groupsOf(name: MetricName, sums: readonly FoundSums[], groupBy: Group | undefined) {
  if (groupBy === undefined) return {};
  const key = { wallet: 'walletId', status: 'status', type: 'type' } as const;
  const groups = Map.groupBy(sums, (one) => one[key[groupBy]]);
  groups.delete('');
  return { groups: Object.fromEntries([...groups].map(([group, of]) => [group, METRICS[name].of(of)])) };
}

export type Metrics = ReturnType<typeof createMetrics>;
