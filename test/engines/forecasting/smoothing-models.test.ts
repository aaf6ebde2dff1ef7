import { describe, expect, it } from 'vitest';
import { forecastOf, type Outlook } from '../../../src/core/analytics/forecast.ts';
import { seasonalSmoothing, smoothing } from '../../../src/engines/forecasting/smoothing-models.ts';
import { FROM_ZERO, WEEKLY } from '../../builders/forecast-models.ts';
import vectors from '../../vectors/analytics.json' with { type: 'json' };

const { nile, huron, deaths } = vectors.series;

describe('Exponential smoothing', () => {
  // R's optimizer ends at other initial values: half a percent of the point's doubt, and its denominator of the deviation is n - 2.
  it.each([nile, huron])("forecasts as R's ets", ({ values, ets }) => {
    const { point, deviation } = smoothing.ahead(values, 5) as Outlook;
    const spread = (ets.upper95[0] as number) - ets.point;
    for (const [i, upper] of ets.upper95.entries()) {
      expect(Math.abs((point[i] as number) - ets.point)).toBeLessThan(0.005 * spread);
      expect(Math.abs((point[i] as number) + 1.959964 * (deviation[i] as number) - upper)).toBeLessThan(0.025 * spread);
    }
  });

  it("forecasts a season nearly as R's ets", () => {
    const { point } = seasonalSmoothing(12).ahead(deaths.values, 12) as Outlook;
    const off = point.map((value, i) => Math.abs(value / (deaths.ets.point[i] as number) - 1));
    expect(Math.max(...off)).toBeLessThan(0.015);
  });

  it('does not depend on the unit', () => {
    const of = (unit: number) =>
      (
        smoothing.ahead(
          nile.values.map((v) => v * unit),
          3,
        ) as Outlook
      ).point.map((v) => v / unit);
    expect(of(1e11)).toEqual(of(1).map((v) => expect.closeTo(v, 6)));
  });
});

describe('A forecast', () => {
  it.each<[string, number[]]>([
    ['no value', []],
    ['one value', [5]],
    ['too few to test a forecast', Array.from({ length: 20 }, (_, i) => i)],
  ])('of %s is refused', (_, values) => {
    expect(forecastOf(values, 7, WEEKLY, FROM_ZERO)).toBeNull();
  });

  it('of a constant series is that constant, without any doubt', () => {
    const { points, backtest } = forecastOf(new Array(60).fill(4), 7, WEEKLY, FROM_ZERO) ?? expect.fail();
    expect(
      points.every(({ point, intervals }) => point === 4 && intervals[95][0] === 4 && intervals[95][1] === 4),
    ).toBe(true);
    expect(Object.values(backtest.errors)).toContain(0);
  });

  it('of a step goes on at the new level, and of what falls to 0 is never below it', () => {
    const step = Array.from({ length: 80 }, (_, i) => (i < 40 ? 10 : 30) + (i % 3));
    for (const { point } of forecastOf(step, 7, WEEKLY, FROM_ZERO)?.points ?? expect.fail()) {
      expect(point).toBeGreaterThan(29);
      expect(point).toBeLessThan(33);
    }
    const falling = Array.from({ length: 60 }, (_, i) => 60 - i);
    const { points } = forecastOf(falling, 7, WEEKLY, FROM_ZERO) ?? expect.fail();
    expect(points.map(({ point }) => point)).toEqual(
      points.map(({ intervals }) => expect.closeTo(Math.max(0, intervals[95][0]), -1)),
    );
    expect(points.at(-1)?.point).toBe(0);
  });

  it('of a series with gaps keeps its season', () => {
    const gaps = Array.from({ length: 84 }, (_, i) => (i % 7 < 5 ? 100 + (i % 4) : 0));
    const { model, points } = forecastOf(gaps, 7, WEEKLY, FROM_ZERO) ?? expect.fail();
    expect(model).toMatch(/^seasonal/);
    expect(points.map(({ point }) => point > 50)).toEqual([true, true, true, true, true, false, false]);
  });
});
