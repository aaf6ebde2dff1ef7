import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** A write-ahead log up to its checkpoint: a thousand pages. */
const MIN_BYTES = 4 * 1024 ** 2;

/** Whether the database's file system has room for more than what pages in use still take. True where it does not say. */
export function hasFreeSpace(path: string): boolean {
  try {
    const { bavail, blocks, bsize } = statfsSync(dirname(path));
    return blocks === 0 || bavail * bsize >= MIN_BYTES;
  } catch {
    return true;
  }
}
