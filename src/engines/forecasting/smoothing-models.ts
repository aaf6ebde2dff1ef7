import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AutoETS, initSync as loadEts } from '@bsull/augurs/ets';
import { initSync as loadMstl, MSTL } from '@bsull/augurs/mstl';
import type { ForecastModel, Outlook } from '../../core/analytics/forecast.ts';

/** The bounds that augurs gives are the point and so many standard deviations. */
const Z_95 = 1.959963984540054;
let loaded = false;

/** Compiled once in a thread, when first wanted. */
function load(): void {
  if (loaded) return;
  const wasm = (part: string): Buffer =>
    readFileSync(fileURLToPath(new URL(`${part}_bg.wasm`, import.meta.resolve(`@bsull/augurs/${part}`))));
  loadEts({ module: wasm('ets') });
  loadMstl({ module: wasm('mstl') });
  loaded = true;
}

interface Fitted {
  fit(values: Float64Array): void;
  predict(steps: number, level: number): { point: number[]; intervals?: { upper: number[] } | undefined };
  free(): void;
}

function outlookOf(make: () => Fitted, values: readonly number[], steps: number): Outlook | null {
  load();
  const model = make();
  try {
    // Satoshis by the billion: its optimizer takes steps of about one.
    const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    model.fit(Float64Array.from(values, (value) => value / scale));
    const { point, intervals } = model.predict(steps, 0.95);
    if (intervals === undefined || !point.every(Number.isFinite) || !intervals.upper.every(Number.isFinite))
      return null;
    return {
      point: point.map((value) => value * scale),
      deviation: intervals.upper.map((upper, i) => ((upper - (point[i] as number)) * scale) / Z_95),
    };
  } catch {
    // It found no model, which it says by throwing.
    return null;
  } finally {
    model.free();
  }
}

/** Exponential smoothing with additive errors; without a trend, with one or with a damped one (Holt), by AICc. */
export const smoothing: ForecastModel = {
  name: 'ets',
  least: 10,
  ahead: (values, steps) => outlookOf(() => new AutoETS(1, 'AZN'), values, steps),
};

/** The same for what is left when the season is taken away (MSTL: STL by loess; Bandara, Hyndman and Bergmeir 2021). */
export const seasonalSmoothing = (period: number): ForecastModel => ({
  name: 'seasonal_ets',
  least: Math.max(10, 2 * period + 1),
  ahead: (values, steps) => outlookOf(() => MSTL.ets([period]), values, steps),
});
