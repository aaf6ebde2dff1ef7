import { describe, expect, it } from 'vitest';
import { anomaliesIn } from '../../../src/core/analytics/anomalies.ts';
import { autocorrelations, seasonalFigures, seasonalityOf } from '../../../src/core/analytics/seasonality.ts';
import { movingAverage, trendOf } from '../../../src/core/analytics/trend.ts';
import { normals } from '../../builders/random-series.ts';
import vectors from '../../vectors/analytics.json' with { type: 'json' };

const { nile, huron, deaths } = vectors.series;

describe('Trend', () => {
  it.each(Object.entries(vectors.series))('of %s: SciPy and the normal approximation', (_, series) => {
    const { slope, low, high, pValue, tau } = trendOf(series.values, 1);
    expect([slope, low, high]).toEqual([series.slope, series.low, series.high].map((v) => expect.closeTo(v, 9)));
    const pairs = (series.values.length * (series.values.length - 1)) / 2;
    expect(tau).toBeCloseTo(series.s / pairs, 12);
    expect(pValue).toBeCloseTo(series.p, 6);
  });

  it.each([0, 0.5, 0.8])('is seldom seen where there is none, and its interval holds it (autoregression %d)', (phi) => {
    const normal = normals(1);
    const runs = 300;
    let seen = 0;
    let held = 0;
    for (let run = 0; run < runs; run++) {
      let state = 0;
      const noise = Array.from({ length: 90 }, () => (state = phi * state + normal()));
      if (trendOf(noise).pValue < 0.05) seen++;
      const { low, high } = trendOf(noise.map((value, i) => value + 0.05 * i));
      if (low <= 0.05 && high >= 0.05) held++;
    }
    // 5 % and 95 %, with three standard errors and what the correction leaves; uncorrected, 0.8 would be seen in more than half.
    expect(seen / runs).toBeLessThan(0.11);
    expect(held / runs).toBeGreaterThan(0.89);
  });

  it('is not moved by an outlier, and a constant series has none', () => {
    const line = Array.from({ length: 30 }, (_, i) => 2 * i);
    expect(trendOf(line.with(10, 1e9)).slope).toBeCloseTo(2, 9);
    expect(trendOf(new Array(10).fill(7))).toEqual({ slope: 0, low: 0, high: 0, pValue: expect.closeTo(1, 6), tau: 0 });
  });
});

describe('Seasonality', () => {
  it("autocorrelations are R's", () => {
    expect(autocorrelations(nile.values, 10)).toEqual(nile.acf.map((r) => expect.closeTo(r, 9)));
  });

  it('finds a year of months, and none in a series without', () => {
    expect(seasonalityOf(deaths.values, deaths.slope, [7, 12])).toMatchObject({ period: 12 });
    expect(seasonalityOf(huron.values, huron.slope, [7, 12])).toBeNull();
    const normal = normals(2);
    const found = Array.from({ length: 200 }, () => Array.from({ length: 60 }, normal)).filter(
      (noise) => seasonalityOf(noise, 0, [7, 24]) !== null,
    );
    expect(found.length).toBeLessThan(20);
  });

  it('says what each phase adds', () => {
    const season = [5, -3, -2];
    const values = Array.from({ length: 30 }, (_, i) => 100 + (season[i % 3] as number));
    expect(seasonalFigures(values.with(3, 9_999), 3)).toEqual(season);
  });
});

describe('Anomalies and averages', () => {
  it('finds what is far from what was expected, by its own index', () => {
    const normal = normals(3);
    const values = Array.from({ length: 100 }, () => 50 + normal());
    const found = anomaliesIn(values.with(40, 90).with(70, 20), new Array(100).fill(50));
    expect(found.map(({ at }) => at)).toEqual([40, 70]);
    expect(found[0]?.score).toBeGreaterThan(25);
    expect(anomaliesIn(new Array(20).fill(3), new Array(20).fill(3))).toEqual([]);
    // More than half as expected.
    expect(anomaliesIn([0, 0, 0, 0, 0, 0, 0, 0, 9], new Array(9).fill(0)).map(({ at }) => at)).toEqual([8]);
  });

  it('averages the last values', () => {
    expect(movingAverage([1, 2, 3, 4, 8], 3)).toEqual([null, null, 2, 3, 5]);
  });
});
