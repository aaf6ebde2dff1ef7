import { StoreUnavailable } from '../core/errors.ts';
import { createOutage, type OutageLog } from '../outages/outage.ts';

/** What fails now and then among much that works is one outage. */
const CALM_MS = 2_000;

/**
 * Tells the log when the database goes away or takes no writes, and when that is over: here, for all who meet it. `room`: whether more
 * can be written than a page or two. While it says no, a small write that found a place ends no outage.
 */
export function createStoreOutages(deps: {
  log: OutageLog;
  clock: () => number;
  host?: string | undefined;
  room?: () => boolean;
}) {
  const { room = () => true, ...where } = deps;
  const shared = { part: 'database', calmMs: CALM_MS, ...where };
  const answers = createOutage({
    ...shared,
    began: 'the database does not answer',
    ended: 'the database answers again',
  });
  const writes = createOutage({
    ...shared,
    began: 'the database takes no writes; reads are served',
    ended: 'the database takes writes again',
  });

  function met(error: unknown): void {
    if (error instanceof StoreUnavailable) (error.writesOnly ? writes : answers).began(error.cause);
  }

  const meeting = async <T>(work: () => Promise<T>, ended: () => void): Promise<T> => {
    let value: T;
    try {
      value = await work();
    } catch (error) {
      met(error);
      throw error;
    }
    ended();
    return value;
  };

  return {
    /** A failure that was met elsewhere. */
    met,
    reading: <T>(work: () => Promise<T>) => meeting(work, answers.ended),
    writing: <T>(work: () => Promise<T>) =>
      meeting(work, () => {
        answers.ended();
        if (writes.goesOn() && room()) writes.ended();
      }),
  };
}
