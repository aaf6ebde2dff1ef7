/** What the history of a metric says: its trend, and what it may come to. Computed in floating point, exact figures are the metrics' own. */
import { formatBtc } from '../../core/amount.ts';
import type { analysisJobs } from '../../core/analytics/analyse.ts';
import { LEVELS } from '../../core/analytics/forecast.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { boundaries, DAY_MS } from '../../core/metrics/local-time.ts';
import { METRICS, type Metric, type MetricName, type Unit } from '../../core/metrics/metric-table.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { forecastJobs } from '../../engines/forecasting/forecast-job.ts';
import type { Store } from '../../store/store.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { createForecasts } from './kept-forecasts.ts';
import { recordsBehind } from './records-behind.ts';

interface Span {
  readonly interval: 'hour' | 'day';
  readonly count: number;
  /** Intervals in which a history may repeat itself. */
  readonly periods: readonly number[];
}

const LENGTH_MS = { hour: DAY_MS / 24, day: DAY_MS };
const DAY_OF_HOURS = 24;
const WEEK_OF_DAYS = 7;
const TREND_RANGES = {
  '24h': { interval: 'hour', count: 24, periods: [] },
  '7d': { interval: 'hour', count: 168, periods: [DAY_OF_HOURS] },
  '30d': { interval: 'day', count: 30, periods: [WEEK_OF_DAYS] },
  '90d': { interval: 'day', count: 90, periods: [WEEK_OF_DAYS] },
  '1y': { interval: 'day', count: 365, periods: [WEEK_OF_DAYS] },
} as const satisfies Record<string, Span>;
/** How far a prediction goes, and the history that it is made of. */
const HORIZONS = {
  '24h': { interval: 'hour', steps: 24, count: 192, periods: [DAY_OF_HOURS] },
  '7d': { interval: 'day', steps: 7, count: 180, periods: [WEEK_OF_DAYS] },
  '30d': { interval: 'day', steps: 30, count: 180, periods: [WEEK_OF_DAYS] },
} as const satisfies Record<string, Span & { steps: number }>;
export const RANGES = Object.keys(TREND_RANGES) as [keyof typeof TREND_RANGES];
export const HORIZON_NAMES = Object.keys(HORIZONS) as [keyof typeof HORIZONS];

/** Of fewer intervals a trend says nothing. */
const LEAST_OF_TREND = 8;
/** And a prediction, unless it goes further than half of that. */
const LEAST_OF_PREDICTION = 20;

interface Asked {
  readonly metric: MetricName;
  readonly timezone: string;
}

interface Context {
  readonly accountId: AccountId;
  readonly credential: RequestContext['credential'];
  readonly signal?: AbortSignal | undefined;
}

interface Dependencies {
  readonly store: Pick<Store, 'read'>;
  readonly metrics: Pick<Metrics, 'detailed' | 'earliest'>;
  readonly computing: Computing<typeof analysisJobs & typeof forecastJobs>;
  readonly clock: () => number;
}

/** In satoshis, or as the metric has it. */
const numberOf = (value: string | null, unit: Unit): number => Number(unit === 'btc' ? value?.replace('.', '') : value);

const DECIMALS = 1e6;
/** An estimate as a decimal string: of satoshis in BTC, else with at most six decimals. */
const estimateOf =
  (unit: Unit) =>
  (value: number): string =>
    unit === 'btc' ? formatBtc(BigInt(Math.round(value))) : `${Math.round(value * DECIMALS) / DECIMALS}`;

export function createAnalytics({ store, metrics, computing, clock }: Dependencies) {
  const forecastOf = createForecasts(computing);

  /** Whole intervals up to now, the last `count` of which are asked for; those before them are there to compare with. */
  async function historyOf({ metric, timezone }: Asked, { interval, count }: Span, least: number, context: Context) {
    // A day more, since the interval that is not over takes the place of one, and a day may have 25 hours.
    const [wanted, earliest] = [clock() - 2 * count * LENGTH_MS[interval] - DAY_MS, metrics.earliest(metric)];
    const from = Math.max(wanted, earliest);
    const { unit, data } = await metrics.detailed({ metric, interval, timezone, from }, context);
    const whole = data.filter(({ partial }) => !partial);
    const all = whole.map(({ start, end, value }) => ({ start, end, value: numberOf(value, unit) }));
    const earlier = all.slice(-2 * count, -count);
    // A part of it, of what is not kept so long, is nothing to compare with.
    const before = earliest > wanted ? null : earlier;
    const range = all.slice(-count);
    // An account that has just begun has no zeros before that.
    const begins = earlier.some(({ value }) => value !== 0) ? 0 : range.findIndex(({ value }) => value !== 0);
    const buckets = begins < 0 ? [] : range.slice(begins);
    if (buckets.length < least) throw notEnough(metric, interval, buckets.length, least);
    return { unit, before, buckets, values: buckets.map(({ value }) => value) };
  }

  return {
    /** Of ratios and durations, `change` compares means, of levels the last ones, of all else sums. Throws `not_enough_data`. */
    async trend({ range, ...asked }: Asked & { range: keyof typeof TREND_RANGES }, context: Context) {
      const span: Span = TREND_RANGES[range];
      const { unit, before, buckets, values } = await historyOf(asked, span, LEAST_OF_TREND, context);
      const { trend, ...found } = await computing.run('analytics.analyse', { values, periods: span.periods }, context);
      const text = estimateOf(unit);
      const { level }: Metric = METRICS[asked.metric];
      const total = (of: readonly { value: number }[]): number => {
        if (level) return of.at(-1)?.value ?? 0;
        return (
          of.reduce((sum, { value }) => sum + value, 0) /
          (unit === 'ratio' || unit === 'ms' ? Math.max(1, of.length) : 1)
        );
      };
      const figures = found.anomalies.map(({ at, ...anomaly }) => ({
        ...(buckets[at] as (typeof buckets)[number]),
        ...anomaly,
      }));
      const {
        of: recordsOf,
        withheld,
        named,
      } = await recordsBehind(store.read, { metric: asked.metric, figures }, context);
      const [now, then] = [total(buckets), before === null ? null : total(before)];
      return {
        ...asked,
        ...{ range, unit, interval: span.interval },
        trend: {
          ...{ slope: text(trend.slope), low: text(trend.low), high: text(trend.high) },
          ...{ pValue: trend.pValue, tau: trend.tau },
          direction: trend.pValue < 0.05 && trend.low * trend.high > 0 ? (trend.slope > 0 ? 'up' : 'down') : 'none',
        } as const,
        change: {
          current: text(now),
          ...(then === null
            ? { previous: null, absolute: null, relative: null }
            : { previous: text(then), absolute: text(now - then), relative: then === 0 ? null : (now - then) / then }),
        },
        seasonality: found.seasonality,
        movingAverageOver: found.movingAverage.window,
        ...{ recordsOf, recordsWithheld: withheld },
        anomalies: figures.map(({ start, end, value, expected, score }) => {
          const { ids, all } = named.get(start) ?? { ids: null, all: null };
          return {
            start,
            end,
            value: text(value),
            expected: text(expected),
            score,
            records: ids,
            recordsComplete: all,
          };
        }),
        data: buckets.map(({ start, value }, i) => {
          const average = found.movingAverage.values[i] ?? null;
          return { start, value: text(value), movingAverage: average === null ? null : text(average) };
        }),
      };
    },

    /** Throws `not_enough_data`. */
    async prediction({ horizon, ...asked }: Asked & { horizon: keyof typeof HORIZONS }, context: Context) {
      const { steps, ...span } = HORIZONS[horizon];
      const least = Math.max(LEAST_OF_PREDICTION, 2 * steps);
      const { unit, buckets, values } = await historyOf(asked, span, least, context);
      const bounds = { min: 0, max: Number.MAX_SAFE_INTEGER };
      const given = { values, steps, period: span.periods[0], bounds };
      const forecast = await forecastOf(given, context);
      if (forecast === null) throw notEnough(asked.metric, span.interval, buckets.length, least);
      const text = estimateOf(unit);
      const ends = (buckets.at(-1) as (typeof buckets)[number]).end;
      const starts = boundaries(ends, ends + (steps + 1) * LENGTH_MS[span.interval], span.interval, asked.timezone);
      const { model, backtest } = forecast;
      return {
        ...asked,
        ...{ horizon, unit, interval: span.interval, model },
        history: buckets.length,
        backtest: {
          origins: backtest.origins,
          error: text(backtest.errors[model] as number),
          naiveError: text(backtest.errors.naive as number),
          errors: Object.fromEntries(Object.entries(backtest.errors).map(([name, error]) => [name, text(error)])),
          coverage: LEVELS.map((level) => ({ level, share: backtest.coverage[level] })),
        },
        data: forecast.points.map(({ point, intervals }, i) => ({
          start: starts[i] as number,
          point: text(point),
          intervals: LEVELS.map((level) => ({
            level,
            low: text(intervals[level][0]),
            high: text(intervals[level][1]),
          })),
        })),
      };
    },
  };
}

export type Analytics = ReturnType<typeof createAnalytics>;

const notEnough = (metric: MetricName, interval: string, there: number, least: number): DomainError =>
  new DomainError(
    'not_enough_data',
    `${metric} has ${there} complete ${interval}s of history; this takes at least ${least}`,
    { field: 'query.metric' },
  );
