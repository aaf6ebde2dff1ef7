/** Metrics of an account's own: their points are added to the sums, and kept no longer. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import {
  customMetric,
  customName,
  EARLIEST_MS,
  type Kind,
  LATEST_MS,
  type Labels,
  labelsKey,
  labelsOf,
  MOST_NAMES,
  MOST_POINTS,
  MOST_SERIES,
  partsOf,
} from '../../core/metrics/custom-metric.ts';
import { DAY_MS } from '../../core/metrics/local-time.ts';
import type { CustomName } from '../../core/metrics/metric-table.ts';
import type { MetricSeries } from '../../store/repositories/custom-metrics.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';

export interface NewPoint {
  readonly name: string;
  readonly kind?: Kind | undefined;
  readonly value: string;
  readonly labels: Labels;
  /** Epoch milliseconds. */
  readonly at?: number | undefined;
}

const refuse = (
  code: 'invalid_value' | 'state_conflict' | 'too_large' | 'not_representable',
  field: string,
  message: string,
): never => {
  throw new DomainError(code, message, { field });
};

function kindOf({ name, kind }: NewPoint, known: MetricSeries | undefined): Kind {
  if (kind === undefined)
    return known?.kind ?? refuse('invalid_value', 'kind', 'must be counter or gauge in the first point of a metric');
  if (known !== undefined && known.kind !== kind)
    refuse('state_conflict', 'kind', `must be ${known.kind}, as the first point of ${name} has it, or absent`);
  return kind;
}

/** Keeps to what an account may have. It is locked. */
async function roomFor(
  tx: Repositories,
  { accountId, name, day }: Pick<MetricSeries, 'accountId' | 'name' | 'day'>,
  known: readonly MetricSeries[],
  is: MetricSeries | undefined,
) {
  const there = await tx.customMetrics.totals(accountId, day);
  if (there.points >= MOST_POINTS)
    refuse('too_large', 'value', `the account has sent ${MOST_POINTS} points today: send more from 00:00 UTC on`);
  if (known.length === 0 && there.names >= MOST_NAMES)
    refuse('too_large', 'name', `the account has ${MOST_NAMES} metrics: use one of them, with labels`);
  if (is === undefined && there.series >= MOST_SERIES)
    refuse(
      'too_large',
      'labels',
      `the account's metrics have ${MOST_SERIES} sets of labels: use those that ${name} had before`,
    );
  return there.last + 1;
}

export function createCustomMetrics({ store, clock }: { store: Pick<Store, 'read' | 'write'>; clock: () => number }) {
  return {
    /** Throws `invalid_value`, `state_conflict`, `too_large`, `time_out_of_range`. */
    add(given: NewPoint, context: RequestContext) {
      const { accountId } = context;
      const { name, value } = given;
      const now = clock();
      const at = given.at ?? now;
      if (at < now - LATEST_MS || at > now + EARLIEST_MS)
        throw new DomainError(
          'time_out_of_range',
          `must be of the last ${LATEST_MS / DAY_MS} days, and at most ${EARLIEST_MS / 60_000} minutes ahead`,
          { field: 'at' },
        );
      const labels = labelsKey(given.labels);
      const day = now - (now % DAY_MS);
      return store.write(async (tx) => {
        await tx.accounts.lock(accountId);
        const known = await tx.customMetrics.all(accountId, name);
        const kind = kindOf(given, known[0]);
        if (kind === 'counter' && value.startsWith('-'))
          refuse('invalid_value', 'value', 'must not be negative: a counter counts up');
        const is = known.find((one) => one.labels === labels);
        const next = await roomFor(tx, { accountId, name, day }, known, is);
        const record = is ?? { accountId, name, labels, kind, series: next, day, points: 1 };
        if (is === undefined) await tx.customMetrics.insert(record);
        else await tx.customMetrics.count(is, { day, points: is.day === day ? is.points + 1 : 1 });
        const source = customName(name);
        const minute = Math.floor(at / 60_000);
        await tx.metricSums.addPoint({ accountId, source, series: record.series, minute, ...partsOf(value) });
        const result = { metric: source, kind, value, labels: given.labels, at };
        await recordRequest(tx, context, { result, target: source });
        return result;
      });
    },
    /** By name, with the keys of its labels. */
    async list(accountId: AccountId) {
      const all = Map.groupBy(await store.read.customMetrics.all(accountId), ({ name }) => name);
      return [...all]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, series]) => described(name, series));
    },
  };
}

const keysOf = (series: readonly MetricSeries[]): string[] =>
  [...new Set(series.flatMap(({ labels }) => [...labelsOf(labels).keys()]))].toSorted();

function described(name: string, series: readonly MetricSeries[]) {
  const { kind } = series[0] as MetricSeries;
  const { unit, meaning, groups } = customMetric(customName(name), kind, series.length);
  return { name: customName(name), unit, meaning, groupBy: groups, labels: keysOf(series) };
}

/** How it is read, and which value of a label the rows of a type have. Throws `not_found`. */
export async function findCustom(read: Pick<Repositories, 'customMetrics'>, accountId: AccountId, source: CustomName) {
  const series = await read.customMetrics.all(accountId, source.slice(customName('').length));
  const [first] = series;
  if (first === undefined)
    throw new DomainError(
      'not_found',
      `there is no such metric: POST /api/v1/metrics/custom makes it with its first point`,
      { field: 'query.metric' },
    );
  const labels = new Map(series.map((one) => [`${one.series}`, labelsOf(one.labels)]));
  return {
    metric: customMetric(source, first.kind, series.length),
    keys: keysOf(series),
    labelOf: (type: string, key: string): string => labels.get(type)?.get(key) ?? '',
    /** How many values of a label there are. */
    values: (key: string): number => new Set([...labels.values()].map((one) => one.get(key))).size,
  };
}
