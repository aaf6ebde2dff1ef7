import { describe, expect, it } from 'vitest';
import { formatBtc } from '../../../src/core/amount.ts';
import { analysisJobs } from '../../../src/core/analytics/analyse.ts';
import type { AccountId } from '../../../src/core/ids.ts';
import { boundaries } from '../../../src/core/metrics/local-time.ts';
import { forecastJobs } from '../../../src/engines/forecasting/forecast-job.ts';
import { createAnalytics } from '../../../src/services/analytics/analytics.ts';
import type { MetricQuery } from '../../../src/services/metrics/metrics.ts';
import { normals } from '../../builders/random-series.ts';
import { requestContext } from '../../builders/request-context.ts';

const NOW = Date.parse('2026-03-25T10:30:00Z');
const jobs = { ...analysisJobs, ...forecastJobs };
const whose = requestContext({ accountId: 'acc_1' as AccountId });

/** Analytics of an account whose metric is `sats`, counted in intervals back from the one that is not over. */
function analyticsOf(sats: (ago: number) => number, earliest = 0) {
  const detailed = async ({ metric, interval, timezone, from }: MetricQuery) => {
    const at = boundaries(from as number, NOW, interval, timezone);
    const count = at.length - 1;
    const data = at.slice(1).map((end, i) => ({
      ...{ start: at[i] as number, end, partial: end > NOW },
      value: formatBtc(BigInt(sats(count - 1 - i))),
    }));
    return { metric, interval, timezone, unit: 'btc' as const, from: at[0] as number, to: at.at(-1) as number, data };
  };
  const run = async (name: keyof typeof jobs, given: never) => jobs[name](given);
  return createAnalytics({
    store: { read: { recordsBehind: { of: async () => ({ records: [], all: true }) } } as never },
    metrics: { detailed, earliest: () => earliest },
    computing: { run: run as never },
    clock: () => NOW,
  });
}

const asked = { metric: 'volume_out', timezone: 'Europe/Berlin' } as const;

describe('The trend of a metric', () => {
  it('is that of whole intervals, compared with the range before', async () => {
    const analytics = analyticsOf((ago) =>
      ago === 0 ? 1e9 : ago > 30 ? 50_000 : 100_000 - 1_000 * ago + (ago === 9 ? 70_000 : 0),
    );
    const found = await analytics.trend({ ...asked, range: '30d' }, whose);
    expect(found.data).toHaveLength(30);
    expect(found.data.at(-1)).toMatchObject({ start: Date.parse('2026-03-23T23:00:00Z'), value: '0.00099000' });
    expect(found.trend).toMatchObject({ slope: '0.00001000', low: '0.00001000', direction: 'up' });
    expect(found.change).toMatchObject({
      previous: '0.01500000',
      current: '0.02605000',
      relative: expect.closeTo(0.7367, 3),
    });
    expect(found.anomalies).toMatchObject([{ value: '0.00161000', expected: '0.00091000' }]);
  });

  it('of a balance compares the last of each range', async () => {
    const analytics = analyticsOf((ago) => 100_000 - 1_000 * ago);
    const { change } = await analytics.trend({ ...asked, metric: 'balance', range: '30d' }, whose);
    expect(change).toMatchObject({ previous: '0.00069000', current: '0.00099000' });
  });

  it('is compared with nothing where a part of the range before is not kept', async () => {
    const { change } = await analyticsOf(() => 1_000, NOW - 40 * 86_400_000).trend({ ...asked, range: '30d' }, whose);
    expect(change).toEqual({ current: '0.00030000', previous: null, absolute: null, relative: null });
  });

  it('finds the hours of a day', async () => {
    const normal = normals(5);
    const analytics = analyticsOf((ago) => Math.round(1e6 + 4e5 * Math.sin((2 * Math.PI * ago) / 24) + 1e5 * normal()));
    const found = await analytics.trend({ ...asked, range: '7d' }, whose);
    expect(found).toMatchObject({ seasonality: { period: 24 }, movingAverageOver: 24, trend: { direction: 'none' } });
  });

  it('does not take the time before the first record for zeros', async () => {
    const analytics = analyticsOf((ago) => (ago > 12 ? 0 : 70_000 + (ago % 3)));
    const found = await analytics.trend({ ...asked, range: '30d' }, whose);
    expect(found.data).toHaveLength(12);
    expect(found).toMatchObject({ trend: { direction: 'none' }, change: { previous: '0.00000000', relative: null } });
    await expect(
      analyticsOf((ago) => (ago > 7 ? 0 : 1)).trend({ ...asked, range: '30d' }, whose),
    ).rejects.toMatchObject({
      code: 'not_enough_data',
      message: expect.stringContaining('7 complete days of history; this takes at least 8'),
    });
  });
});

describe('A prediction', () => {
  it('begins with the interval that is not over, on days of the time zone', async () => {
    const analytics = analyticsOf((ago) => (ago === 0 ? 9e9 : 1_000_000 + (ago % 7 === 0 ? 500_000 : 0)));
    const found = await analytics.prediction({ ...asked, horizon: '7d' }, whose);
    // The clocks change on March 29.
    expect(found.data.map(({ start }) => new Date(start).toISOString().slice(5, 13))).toEqual([
      '03-24T23',
      '03-25T23',
      '03-26T23',
      '03-27T23',
      '03-28T23',
      '03-29T22',
      '03-30T22',
    ]);
    expect(found.data.map(({ point }) => point)).toEqual(['0.01500000', ...new Array(6).fill('0.01000000')]);
    expect(found).toMatchObject({ model: 'seasonal_naive', history: 180, backtest: { error: '0.00000000' } });
    expect(Number(found.backtest.naiveError)).toBeGreaterThan(0);
  });

  it('of an account that was idle, then active, has bounds that are numbers, above 21,000,000 BTC as well', async () => {
    const normal = normals(6);
    for (const sats of [1e6, 3e15]) {
      const analytics = analyticsOf((ago) => (ago > 100 && ago < 180 ? 0 : Math.round(sats * (1 + 0.2 * normal()))));
      for (const { intervals } of (await analytics.prediction({ ...asked, horizon: '7d' }, whose)).data)
        for (const { low, high } of intervals) {
          expect(Number(low)).toBeLessThanOrEqual(Number(high));
          expect(Number(high)).toBeLessThan((100 * sats) / 1e8);
        }
    }
  });

  it('is refused where the history is shorter than twice the horizon', async () => {
    const analytics = analyticsOf((ago) => (ago > 45 ? 0 : 1_000));
    await expect(analytics.prediction({ ...asked, horizon: '30d' }, whose)).rejects.toMatchObject({
      code: 'not_enough_data',
    });
    expect(await analytics.prediction({ ...asked, horizon: '7d' }, whose)).toMatchObject({ history: 45 });
    await expect(analyticsOf(() => 0).prediction({ ...asked, horizon: '24h' }, whose)).rejects.toMatchObject({
      code: 'not_enough_data',
    });
  });
});
