/**
 * Another process on the same file (the command line beside the service) sends no notices. `PRAGMA data_version` tells that one committed;
 * it takes a few microseconds, which is more than what it protects costs, so it is asked at most every LOOK_EVERY_MS.
 */
import type { SqliteConnection } from './connection.ts';

const LOOK_EVERY_MS = 50;
/** A process that changed credentials waits this long after its COMMIT before it says so: every other one has looked again by then. */
export const HEARD_AFTER_MS = 2 * LOOK_EVERY_MS;
/** For those who wait to be called and look nothing up. */
const TICK_MS = 200;

/** `connection` must be the one that this process writes with: its own commits do not count. */
export function watchForeignCommits({ database }: SqliteConnection, onFound: () => void) {
  const statement = database.prepare('PRAGMA data_version');
  const current = (): unknown => statement.get()?.data_version;
  let seen = current();
  let lookedAt = Date.now();

  function look(): void {
    // Each look-up of a credential passes here. A clock that was set back looks at once.
    const now = Date.now();
    const elapsed = now - lookedAt;
    if ((elapsed >= 0 && elapsed < LOOK_EVERY_MS) || !database.isOpen) return;
    lookedAt = now;
    let found: unknown;
    try {
      found = current();
    } catch {
      // Who cannot look takes it for changed.
    }
    if (found === seen) return;
    seen = found;
    onFound();
  }

  const timer = setInterval(look, TICK_MS).unref();
  return { look, stop: () => clearInterval(timer) };
}
