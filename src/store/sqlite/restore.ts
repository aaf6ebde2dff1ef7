import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseRefused, MIGRATIONS } from '../migrations/migrate.ts';
import { tryProcessLock } from './process-lock.ts';

/**
 * Puts a backup where no database is. It appears under its name only when it is whole and was found sound; nothing is ever overwritten.
 * @throws DatabaseRefused where a database is there, a service uses the place, or the file is no backup of this program.
 */
export async function restoreSqlite(backupFile: string, path: string): Promise<void> {
  if (!existsSync(backupFile)) throw new DatabaseRefused(`There is no file ${backupFile}.`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = tryProcessLock(path);
  if (!lock) throw new DatabaseRefused(`${path} is in use by a running service: stop it first.`);
  const partial = `${path}.restoring`;
  try {
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      if (existsSync(file)) {
        throw new DatabaseRefused(`${file} is there already: restore into an empty DATA_DIR, or move it away first.`);
      }
    }
    rmSync(partial, { force: true });
    copyFileSync(backupFile, partial);
    chmodSync(partial, 0o600);
    examine(partial, backupFile);
    await sync(partial);
    // A link, unlike a rename, never replaces what is there.
    linkSync(partial, path);
    await sync(dirname(path));
  } finally {
    rmSync(partial, { force: true });
    lock.release();
  }
}

function examine(copy: string, named: string): void {
  let version: unknown;
  try {
    const database = new DatabaseSync(copy, { readOnly: true });
    try {
      const [check] = database.prepare('PRAGMA integrity_check').all();
      if (check?.integrity_check !== 'ok') throw new Error('damaged');
      version = database.prepare('SELECT max(version) AS version FROM schema_migrations').get()?.version;
    } finally {
      database.close();
    }
  } catch {
    throw new DatabaseRefused(`${named} is not a sound backup of this service.`);
  }
  const newest = MIGRATIONS.at(-1)?.version ?? 0;
  if (Number(version) > newest) {
    throw new DatabaseRefused(`${named} is at version ${version}, and this program knows versions up to ${newest}.`);
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
