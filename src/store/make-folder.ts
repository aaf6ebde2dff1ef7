import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes the folder, for its owner alone, and those above it. Throws what mkdir says. Step by step: mkdir's `recursive` tries for ever where a
 * folder that is there says that it is not, as /proc does.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path && at(above) === undefined) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if (!isFolder(path)) throw error;
  }
}

const at = (path: string) => statSync(path, { throwIfNoEntry: false });

const isFolder = (path: string): boolean => at(path)?.isDirectory() ?? false;
