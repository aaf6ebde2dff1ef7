import type { ForecastModel } from './forecast.ts';

/** What came last comes again; its error grows with the root of the steps (Hyndman and Athanasopoulos, 5.5). */
export const naive: ForecastModel = {
  name: 'naive',
  least: 3,
  ahead(values, steps) {
    const last = values.at(-1) as number;
    const sigma = rootMeanSquare(values.slice(1).map((value, i) => value - (values[i] as number)));
    return each(steps, (i) => ({ point: last, deviation: sigma * Math.sqrt(i + 1) }));
  },
};

/** What came a period ago comes again. */
export const seasonalNaive = (period: number): ForecastModel => ({
  name: 'seasonal_naive',
  least: 2 * period,
  ahead(values, steps) {
    const season = values.slice(-period);
    const sigma = rootMeanSquare(values.slice(period).map((value, i) => value - (values[i] as number)));
    return each(steps, (i) => ({
      point: season[i % period] as number,
      deviation: sigma * Math.sqrt(Math.floor(i / period) + 1),
    }));
  },
});

/** The mean of all, where a series wanders around one. */
export const average: ForecastModel = {
  name: 'mean',
  least: 3,
  ahead(values, steps) {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const sigma = rootMeanSquare(values.map((value) => value - mean)) * Math.sqrt(values.length / (values.length - 1));
    return each(steps, () => ({ point: mean, deviation: sigma * Math.sqrt(1 + 1 / values.length) }));
  },
};

const rootMeanSquare = (errors: readonly number[]): number =>
  Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);

const each = (steps: number, of: (i: number) => { point: number; deviation: number }) => {
  const all = Array.from({ length: steps }, (_, i) => of(i));
  return { point: all.map(({ point }) => point), deviation: all.map(({ deviation }) => deviation) };
};
