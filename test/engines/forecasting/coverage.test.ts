/** Forecasts of ten series of known parameters: as many of the values that come lie within each interval as it says. */
import { describe, expect, it } from 'vitest';
import { forecastOf, LEVELS } from '../../../src/core/analytics/forecast.ts';
import { FROM_ZERO, WEEKLY } from '../../builders/forecast-models.ts';
import { normals, uniforms } from '../../builders/random-series.ts';

type Series = (normal: () => number, uniform: () => number) => () => number;

const counted = (next: (i: number) => number): (() => number) => {
  let i = 0;
  return () => next(i++);
};
const SERIES: Readonly<Record<string, Series>> = {
  noise: (normal) => () => 50 + 5 * normal(),
  'a random walk': (normal) => {
    let level = 100;
    return () => (level += normal());
  },
  'ETS(A,N,N), alpha 0.3': (normal) => {
    let level = 50;
    return () => {
      const error = 3 * normal();
      level += 0.3 * error;
      return level + 0.7 * error;
    };
  },
  'an autoregression of 0.7': (normal) => {
    let state = 0;
    return () => {
      state = 0.7 * state + 3 * normal();
      return 50 + state;
    };
  },
  'a line': (normal) => counted((i) => 50 + 0.5 * i + 4 * normal()),
  'a week': (normal) => counted((i) => 100 + 20 * Math.sin((2 * Math.PI * i) / 7) + 5 * normal()),
  'a growing week': (normal) => counted((i) => 100 + 0.3 * i + (i % 7 === 0 ? 25 : 0) + 3 * normal()),
  'counts (Poisson, 3)': (_, uniform) => () => {
    let count = 0;
    for (let left = uniform(); left > Math.exp(-3); left *= uniform()) count++;
    return count;
  },
  'amounts (lognormal)': (normal) => () => Math.exp(2 + normal()),
  'idle, then active': (normal) => counted((i) => (i < 70 ? 0 : 40 + 5 * normal())),
  'a step': (normal) => counted((i) => (i < 50 ? 10 : 30) + 2 * normal()),
};
const RUNS = 25;
const LENGTH = 120;
const STEPS = 7;

describe('Intervals of forecasts', () => {
  it.each(Object.entries(SERIES))('hold what they say: %s', (_, series) => {
    const normal = normals(7);
    const uniform = uniforms(8);
    const held = new Map(LEVELS.map((level) => [level, 0]));
    let errors = 0;
    let naiveErrors = 0;
    for (let run = 0; run < RUNS; run++) {
      const next = series(normal, uniform);
      const past = Array.from({ length: LENGTH }, next);
      const { points } = forecastOf(past, STEPS, WEEKLY, FROM_ZERO) ?? expect.fail();
      for (const { point, intervals } of points) {
        const came = next();
        errors += Math.abs(came - point);
        naiveErrors += Math.abs(came - (past.at(-1) as number));
        for (const level of LEVELS)
          if (intervals[level][0] <= came && came <= intervals[level][1]) held.set(level, (held.get(level) ?? 0) + 1);
      }
    }
    // Of 175 values, of which those of one run resemble each other: three standard errors of 25 to 100 independent ones.
    const share = (level: (typeof LEVELS)[number]): number => (held.get(level) ?? 0) / (RUNS * STEPS);
    expect(Math.abs(share(50) - 0.5)).toBeLessThan(0.15);
    expect(Math.abs(share(80) - 0.8)).toBeLessThan(0.13);
    expect(Math.abs(share(95) - 0.95)).toBeLessThan(0.08);
    // Nothing beats the last value of a random walk.
    expect(errors / naiveErrors).toBeLessThan(1.15);
  });
});
