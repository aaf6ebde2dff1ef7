import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Tracing } from '../tracing/tracing.ts';

/** What everything is opened with; `disposables` closes it again, last opened first. */
export interface AppContext {
  config: Config;
  log: Logger;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  disposables: AsyncDisposableStack;
  /** null: off. */
  tracing: Tracing | null;
}
