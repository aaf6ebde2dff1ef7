/**
 * A newer program may migrate the database while this one runs. Its own statements are then of another schema: what it wrote would be missing
 * from what the newer one keeps, so it writes and leads nothing more.
 */
import { StoreUnavailable } from '../core/errors.ts';
import { createOutage, type OutageLog } from '../outages/outage.ts';
import { MIGRATIONS } from './contents.ts';
import type { Migration } from './migrations/dialect.ts';

const RETRY_AFTER_SECONDS = 5;
export const NEWEST_APPLIED = 'SELECT max(version) AS version FROM schema_migrations';

export function createSchemaWatch(deps: {
  /** The newest version that is applied. */
  applied: () => Promise<bigint | number>;
  log: OutageLog;
  clock: () => number;
  migrations?: readonly Migration[] | undefined;
}) {
  const known = (deps.migrations ?? MIGRATIONS).at(-1)?.version ?? 0;
  const outage = createOutage({
    ...{ part: 'database', log: deps.log, clock: deps.clock },
    began:
      'a newer program has migrated the database: this process writes and leads nothing more; restart it with that version',
    ended: 'the database has the version of this program again; this process writes again',
  });
  let found = known;
  let current = new AbortController();

  const refusal = (): StoreUnavailable =>
    new StoreUnavailable(
      `the database is at version ${found}, and this replica knows versions up to ${known}: a newer program has migrated it. ` +
        'Send the request to an updated replica, and restart this one with the newer version',
      { cause: undefined, retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  function assertCurrent(): void {
    if (found > known) throw refusal();
  }

  return {
    /** Asks the database. @throws StoreUnavailable where it is newer than this program, or does not answer */
    async check(): Promise<void> {
      found = Number(await deps.applied());
      if (found <= known) {
        outage.ended();
        return;
      }
      outage.began(refusal());
      current.abort(refusal());
      current = new AbortController();
      throw refusal();
    },
    /** As the last check found it. @throws StoreUnavailable */
    assertCurrent,
    /** The signal, aborted also when a newer version is found. @throws StoreUnavailable */
    whileCurrent(signal: AbortSignal): AbortSignal {
      assertCurrent();
      return AbortSignal.any([signal, current.signal]);
    },
  };
}
