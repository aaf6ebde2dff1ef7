/** Metrics of an account, from sums that are kept with its records: what a question costs depends on what it asks for, not on the history. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { GENESIS, MINUTES_KEPT_MS, REQUESTS_KEPT_MS } from '../../core/metrics/buckets.ts';
import { isCustom } from '../../core/metrics/custom-metric.ts';
import { boundaries, DAY_MS, INTERVALS, type Interval } from '../../core/metrics/local-time.ts';
import { type CustomName, type Group, METRICS, type Metric, type MetricName } from '../../core/metrics/metric-table.ts';
import { inBatches } from '../../scheduling/in-batches.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { FoundSums } from '../../store/repositories/metric-sums.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { assertOfHours, assertSeesCredentials, credentialsOf, withOther } from './by-credential.ts';
import { createCustomMetrics, findCustom } from './custom-metrics.ts';
import { grouped, readSums, written } from './read-sums.ts';
import { type SummaryRange, summaryOf } from './summary.ts';

export const MOST_BUCKETS = 1_000;
const MOST_WALLETS = 50;
/** Of a bucket and a wallet each. */
const MOST_VALUES = 10_000;
/** Of a job. */
const SWEPT = 500;
/** A month may have 28 days. */
const LENGTH_MS: Readonly<Record<Interval, number>> = {
  ...{ minute: 60_000, hour: 3_600_000, day: DAY_MS, week: 7 * DAY_MS, month: 28 * DAY_MS },
};
/** How many intervals there are where nothing says from when. */
const USUAL: Readonly<Record<Interval, number>> = { minute: 60, hour: 24, day: 30, week: 12, month: 12 };

export interface MetricQuery {
  readonly metric: MetricName | CustomName;
  readonly interval: Interval;
  readonly timezone: string;
  /** Epoch milliseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly walletId?: WalletId | undefined;
  readonly groupBy?: Group | undefined;
  /** Whose values group_by=label groups by. */
  readonly label?: string | undefined;
}

export interface MetricBucket {
  readonly start: number;
  readonly end: number;
  /** Null where nothing can be said. */
  readonly value: string | null;
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
    refuse('from', `must be later: requests and custom metrics are kept for ${REQUESTS_KEPT_MS / DAY_MS} days`);
  return found;
}

/** From when there is something to ask for. */
const earliest = (metric: MetricName | CustomName, now: number): number =>
  isCustom(metric) || METRICS[metric].source === 'request' ? now - REQUESTS_KEPT_MS : GENESIS;

/** `lag`: blocks between the follower and the tip; null where it is not known. */
export function createMetrics(deps: {
  store: Pick<Store, 'read' | 'write'>;
  clock: () => number;
  lag: () => number | null;
}) {
  const { store, clock, lag } = deps;

  /** Wallets or credentials to ask for besides the whole account; undefined where it is asked by neither. */
  async function askedOf(accountId: AccountId, { walletId, groupBy }: MetricQuery, at: readonly number[]) {
    const buckets = at.length - 1;
    if (groupBy === 'credential') {
      assertOfHours(at);
      const credentials = await credentialsOf(store.read, accountId, at[0] as number);
      checkValues(credentials.length + 1, buckets);
      return credentials;
    }
    const { wallets } = store.read;
    if (walletId !== undefined) {
      if ((await wallets.find(accountId, walletId)) !== null) return [walletId];
      throw new DomainError('not_found', 'there is no such wallet', { field: 'query.wallet_id' });
    }
    if (groupBy !== 'wallet') return undefined;
    const page = await wallets.list(accountId, {}, { limit: MOST_WALLETS, offset: 0 });
    if (page.total > MOST_WALLETS)
      refuse('group_by', `must not be wallet: the account has more than ${MOST_WALLETS}. Ask for each by wallet_id`);
    checkValues(page.total, buckets);
    return page.data.map((wallet) => wallet.walletId);
  }

  return {
    custom: createCustomMetrics({ store, clock }),
    /** Throws `forbidden` where the figures of credentials are not for the caller. */
    async detailed(query: MetricQuery, { accountId, credential }: Pick<RequestContext, 'accountId' | 'credential'>) {
      const { metric: name, groupBy, walletId } = query;
      const custom = isCustom(name) ? await findCustom(store.read, accountId, name) : undefined;
      const metric: Metric = custom?.metric ?? METRICS[name as MetricName];
      check(query, metric, custom?.keys ?? []);
      if (groupBy === 'credential') assertSeesCredentials(credential);
      const now = clock();
      const at = starts(query, now);
      if (groupBy === 'label') checkValues(custom?.values(query.label ?? '') ?? 0, at.length - 1);
      const known = await askedOf(accountId, query, at);
      const wallets = walletId === undefined && known !== undefined ? ['', ...known] : known;
      const keys = {
        ...{ wallet: (one) => one.ofId, status: (one) => one.status, type: (one) => one.type },
        credential: (one) => one.ofId,
        label: (one) => custom?.labelOf(one.type, query.label ?? '') ?? '',
      } satisfies Record<Group, (one: FoundSums) => string>;
      const pause = createYielder();
      const data: MetricBucket[] = [];
      for (const [n, sums] of (await readSums(store.read, accountId, { metric, at, wallets })).entries()) {
        const [start, end] = [at[n] as number, at[n + 1] as number];
        const all = wallets?.[0] === '' ? sums.filter((one) => one.ofId === '') : sums;
        const of = groupBy === 'credential' ? withOther(sums) : sums;
        const groups = groupBy === undefined ? {} : { groups: grouped(metric, of, keys[groupBy]) };
        data.push({ start, end, value: written(metric, all), ...groups, partial: end > now });
        await pause();
      }
      return { ...query, unit: metric.unit, from: at[0] as number, to: at.at(-1) as number, data };
    },
    summary: async (range: SummaryRange, { accountId }: { accountId: AccountId }) => ({
      ...(await summaryOf(store, accountId, { range, now: clock() })),
      followerLag: lag(),
    }),
    earliest: (metric: MetricName): number => earliest(metric, clock()),
    /**
     * Deletes what nobody may ask for any more. A day longer than said, since clocks of processes differ; of what is read by months, a month
     * more.
     */
    async sweep() {
      const [minutes, others] = [clock() - MINUTES_KEPT_MS - DAY_MS, clock() - REQUESTS_KEPT_MS - 33 * DAY_MS];
      const before = (at: number): number => Math.floor(at / 60_000);
      const each = (job: (tx: Repositories) => Promise<number>) => inBatches(SWEPT, () => store.write(job));
      return (
        (await each((tx) => tx.metricSums.deleteMinutes(before(minutes), SWEPT))) +
        (await each((tx) => tx.metricSums.deleteRequests(before(others), SWEPT))) +
        (await each((tx) => tx.metricSums.deleteCustom(before(others), SWEPT))) +
        (await each((tx) => tx.customMetrics.deleteBefore(others - 2 * DAY_MS, SWEPT))) +
        (await each((tx) => tx.requestCredentials.deleteBefore(others - 2 * DAY_MS, SWEPT)))
      );
    },
  };
}

function checkValues(groups: number, buckets: number): void {
  if (groups * buckets > MOST_VALUES)
    refuse('interval', `must give at most ${Math.floor(MOST_VALUES / groups)} buckets: there are ${groups} groups`);
}

function check(
  { metric: name, interval, groupBy, walletId, label }: MetricQuery,
  { groups }: Metric,
  keys: readonly string[],
): void {
  if (groupBy !== undefined && !groups.includes(groupBy))
    refuse('group_by', `must be ${groups.join(' or ')} for ${name}, or absent`);
  if (walletId !== undefined && !groups.includes('wallet'))
    refuse('wallet_id', `must be absent: ${name} is not of wallets`);
  if (groupBy === 'credential' && interval === 'minute')
    refuse('interval', 'must be hour or longer with group_by=credential: requests of credentials are kept by the hour');
  if (groupBy !== 'label' && label !== undefined) refuse('label', 'must be absent without group_by=label');
  if (groupBy === 'label' && !keys.includes(label ?? ''))
    refuse(
      'label',
      keys.length === 0 ? `must be absent: ${name} has no labels` : `must be a label of ${name}: ${keys.join(', ')}`,
    );
}

export type Metrics = ReturnType<typeof createMetrics>;
