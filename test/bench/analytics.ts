/**
 * What trends and predictions cost a worker thread: CPU time of each range and horizon over series with a season and noise, in turn; and what a
 * prediction of an unchanged history costs, which is kept
 */
import { analysisJobs } from '../../src/core/analytics/analyse.ts';
import type { AccountId } from '../../src/core/ids.ts';
import { type ForecastParams, forecastJobs } from '../../src/engines/forecasting/forecast-job.ts';
import { createForecasts } from '../../src/services/analytics/kept-forecasts.ts';

const ROUNDS = 5;
const TRENDS = { '24h': 24, '7d': 168, '30d': 30, '90d': 90, '1y': 365 };
const HORIZONS = { '24h': [192, 24, 24], '7d': [180, 7, 7], '30d': [180, 30, 7] } as const;

let seed = 1;
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}
const series = (count: number, period: number): number[] =>
  Array.from({ length: count }, (_, at) =>
    Math.round(1e8 * (5 + at / count + 2 * Math.sin((2 * Math.PI * at) / period) + random())),
  );

const forecast = createForecasts({
  run: async (_job: string, given: ForecastParams) => forecastJobs['analytics.forecast'](given),
} as never);
const context = { accountId: 'acc_bench' as AccountId };
const bounds = { min: 0, max: Number.MAX_SAFE_INTEGER };

const cases: [string, () => unknown][] = [
  ...Object.entries(TRENDS).map(([range, count]): [string, () => unknown] => [
    `trend ${range}`,
    () => analysisJobs['analytics.analyse']({ values: series(count, 7), periods: count === 168 ? [24] : [7] }),
  ]),
  ...Object.entries(HORIZONS).flatMap(([horizon, [count, steps, period]]): [string, () => unknown][] => {
    const kept = { values: series(count, period), steps, period, bounds };
    return [
      [`prediction ${horizon}`, () => forecast({ ...kept, values: series(count, period) }, context)],
      [`prediction ${horizon}, kept`, () => forecast(kept, context)],
    ];
  }),
];

const times = new Map<string, number[]>();
for (let round = 0; round <= ROUNDS; round++)
  for (const [name, work] of cases) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    // The first loads and compiles.
    if (round > 0) times.set(name, [...(times.get(name) ?? []), (user + system) / 1000]);
  }
for (const [name, each] of times) {
  const sorted = each.toSorted((a, b) => a - b);
  const [least, median] = [sorted[0] as number, sorted[Math.floor(sorted.length / 2)] as number];
  console.log(`${name.padEnd(24)} CPU ${median.toFixed(1).padStart(8)} ms (least ${least.toFixed(1)})`);
}
