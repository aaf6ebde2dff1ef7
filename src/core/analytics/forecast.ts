import { mean, quantile } from 'simple-statistics';

export const LEVELS = [50, 80, 95] as const;
/** Standard deviations to either side that hold such a share of a normal distribution. */
const Z: Readonly<Record<Level, number>> = { 50: 0.6744897501960817, 80: 1.2815515655446004, 95: 1.959963984540054 };
export type Level = (typeof LEVELS)[number];

/** What a model says of the next values; `deviation` is the standard deviation that it expects of each. */
export interface Outlook {
  readonly point: readonly number[];
  readonly deviation: readonly number[];
}

export interface ForecastModel {
  readonly name: string;
  /** Least values that it can be fitted to. */
  readonly least: number;
  /** Fits it to all values; null where nothing fits. */
  ahead(values: readonly number[], steps: number): Outlook | null;
}

/** Values outside of these cannot be; counts and amounts are never below 0. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export interface Forecast {
  readonly model: string;
  readonly points: readonly {
    readonly point: number;
    readonly intervals: Readonly<Record<Level, readonly [number, number]>>;
  }[];
  readonly backtest: {
    /** How often it was forecast from the past, and compared with what came then. */
    readonly origins: number;
    /** Mean absolute error of each model. */
    readonly errors: Readonly<Record<string, number>>;
    /** Share of what came that lay in each interval of the model, before they were widened. */
    readonly coverage: Readonly<Record<Level, number>>;
  };
}

const MAX_ORIGINS = 16;
/**
 * The next `steps` values by the model that did best when it forecast the later half of the series from what came before (rolling origin), and
 * intervals as wide as its errors were then. A model replaces one before it in `models` only if its error is smaller: put the plainest first.
 * Null where no model can be fitted at two origins at least.
 */
export function forecastOf(
  values: readonly number[],
  steps: number,
  models: readonly ForecastModel[],
  bounds: Bounds,
): Forecast | null {
  const origins = originsOf(values.length, steps, Math.max(...models.map(({ least }) => least)));
  if (origins.length < 2) return null;
  const tried = models.flatMap((model) => {
    const misses = missesOf(model, values, steps, origins, bounds);
    return misses === null ? [] : [{ model, misses, error: mean(misses.map(({ error }) => Math.abs(error))) }];
  });
  const [first, ...others] = tried;
  if (first === undefined) return null;
  const best = others.reduce((chosen, other) => (other.error < chosen.error ? other : chosen), first);
  const outlook = best.model.ahead(values, steps);
  if (outlook === null) return null;
  // A past that was constant has no deviation of its own: then that of now, else what was missed by.
  const scores = best.misses.map(({ error, deviation }, n) =>
    error === 0 ? 0 : Math.abs(error) / (deviation || outlook.deviation[n % steps] || 1),
  );
  const within = (point: number): number => Math.min(bounds.max, Math.max(bounds.min, point));
  return {
    model: best.model.name,
    points: outlook.point.map((point, i) => ({
      point: within(point),
      intervals: byLevel((level) => {
        const half = (outlook.deviation[i] as number) * widthOf(scores, origins.length, level);
        return [within(point - half), within(point + half)] as const;
      }),
    })),
    backtest: {
      origins: origins.length,
      errors: Object.fromEntries(tried.map(({ model, error }) => [model.name, error])),
      coverage: byLevel((level) => scores.filter((score) => score <= Z[level]).length / scores.length),
    },
  };
}

const byLevel = <Of>(of: (level: Level) => Of): Record<Level, Of> => ({ 50: of(50), 80: of(80), 95: of(95) });

/** Lengths of the pasts that are forecast from, evenly over the later half of the series. */
function originsOf(length: number, steps: number, least: number): number[] {
  const from = Math.max(least, Math.floor(length / 2));
  const to = length - steps;
  const count = Math.min(MAX_ORIGINS, to - from + 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) =>
    Math.round(count === 1 ? to : from + (i * (to - from)) / (count - 1)),
  );
}

interface Miss {
  readonly error: number;
  readonly deviation: number;
}

/** What the model was wrong by, at every step from every origin. Null where it cannot be fitted at one. */
function missesOf(
  model: ForecastModel,
  values: readonly number[],
  steps: number,
  origins: readonly number[],
  { min, max }: Bounds,
): Miss[] | null {
  const misses: Miss[] = [];
  for (const origin of origins) {
    const outlook = model.ahead(values.slice(0, origin), steps);
    if (outlook === null) return null;
    for (const [i, point] of outlook.point.entries())
      misses.push({
        error: (values[origin + i] as number) - Math.min(max, Math.max(min, point)),
        deviation: outlook.deviation[i] as number,
      });
  }
  return misses;
}

/**
 * In standard deviations: as wide as its errors were (split conformal). From few origins they look smaller than they are, since the model was
 * chosen for them: then no narrower than of a normal distribution.
 */
function widthOf(scores: readonly number[], origins: number, level: Level): number {
  const seen = quantile([...scores], Math.min(1, (level / 100) * (1 + 1 / scores.length)));
  return origins < MAX_ORIGINS ? Math.max(Z[level], seen) : seen;
}
