import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DomainError } from '../../core/errors.ts';

/** More pages than a database can have steps for: the whole copy is one step. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a database that may be in use to `target`, as of one moment, readable by its owner alone. The file appears under its name only when it
 * is whole. Runs off the event loop, on a connection of its own.
 * @throws DomainError `already_exists` where the target is there, `not_found` where its folder is not.
 */
export async function backUp(path: string, target: string): Promise<void> {
  if (existsSync(target)) {
    throw new DomainError('already_exists', `${target} is there already: name a file that is not.`);
  }
  const folder = dirname(target);
  if (!existsSync(folder)) {
    throw new DomainError('not_found', `there is no folder ${folder}: make it, or name a file elsewhere`);
  }
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    closeSync(openSync(partial, 'w', 0o600));
    // All pages in one step: one snapshot, which later writes neither disturb nor restart.
    await backup(source, partial, { rate: ALL_PAGES });
    withoutWal(partial);
    syncFile(partial);
    renameSync(partial, target);
    syncFile(folder);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    source.close();
  }
}

/** The copy is one file: its header asks for no write-ahead log beside it. */
function withoutWal(file: string): void {
  const copy = new DatabaseSync(file);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
  } finally {
    copy.close();
  }
  chmodSync(file, 0o600);
}

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
