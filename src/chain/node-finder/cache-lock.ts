import { open, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 2_000;
/** A holder that has not touched the lock for so long was killed. */
const STALE_MS = 15_000;
const POLL_MS = 200;

/** Runs `work` while no other process holds `lockFile`; the lock of a killed holder is taken over. */
export async function withFileLock<T>(lockFile: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  while (!(await tryLock(lockFile))) {
    signal?.throwIfAborted();
    const held = await stat(lockFile).catch(() => null);
    if (held && Date.now() - held.mtimeMs > STALE_MS) await rm(lockFile, { force: true });
    else await sleep(POLL_MS);
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(lockFile, now, now).catch(() => {});
  }, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(lockFile, { force: true });
  }
}

async function tryLock(lockFile: string): Promise<boolean> {
  try {
    await (await open(lockFile, 'wx')).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
