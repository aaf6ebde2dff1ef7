/** Where tests keep their files: in memory where there is room, because databases and nodes write and sync without end. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'ashlar-tests-';
const ROOM_BYTES = 4 * 1024 ** 3;
/** Names the folder of what is made once on a machine and kept between runs. */
export const KEPT = 'ASHLAR_TESTS_KEPT';
/** Names the folder of what a run makes once for all its files, in whichever process. */
export const SHARED = 'ASHLAR_TESTS_SHARED';

/** For this process and all that it starts. */
export function prepareFolders(): void {
  if (process.env[KEPT] !== undefined) return;
  const kept = tmpdir();
  process.env[KEPT] = kept;
  // What workers, services and commands load is compiled once, not in each of their hundreds of processes.
  process.env.NODE_COMPILE_CACHE ??= join(kept, 'ashlar-compile-cache');
  if (process.env.TMPDIR !== undefined || !hasRoom()) {
    process.env[SHARED] = reachable(mkdtempSync(join(kept, PREFIX)));
    return;
  }
  removeLeftOver();
  const folder = join(MEMORY, PREFIX + process.pid);
  mkdirSync(folder, { recursive: true });
  process.env.TMPDIR = process.env[SHARED] = reachable(folder);
}

/** PostgreSQL runs as another user where the tests are root's. */
function reachable(folder: string): string {
  chmodSync(folder, 0o711);
  return folder;
}

/** At the end of the run. */
export function removeFolders(): void {
  const folder = process.env[SHARED];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ROOM_BYTES;
}

/** Of runs that were killed. */
function removeLeftOver(): void {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(PREFIX)) continue;
    try {
      process.kill(Number(name.slice(PREFIX.length)), 0);
    } catch {
      rmSync(join(MEMORY, name), { recursive: true, force: true });
    }
  }
}
