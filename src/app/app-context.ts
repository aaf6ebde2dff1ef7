import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { AddSeries } from '../metrics/series.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Background } from './background.ts';

/** What everything is opened with; `disposables` closes it again, last opened first. */
export interface AppContext {
  config: Config;
  log: Logger;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  disposables: AsyncDisposableStack;
  /** What runs beside requests is added here by whoever brings it. */
  background: Background;
  /** What Prometheus is shown of them, likewise. */
  metrics: { add(...series: readonly AddSeries[]): void };
  /** null: off. */
  tracing: Tracing | null;
}
