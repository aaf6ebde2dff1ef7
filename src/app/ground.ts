import type { Logger } from 'pino';
import type { Config } from '../config.ts';

/** What everything is opened with; `opened` closes it again, last opened first. */
export interface Ground {
  config: Config;
  log: Logger;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  opened: AsyncDisposableStack;
}
