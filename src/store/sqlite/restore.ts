import { chmodSync, copyFileSync, existsSync, linkSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MIGRATIONS } from '../contents.ts';
import { makeFolder } from '../make-folder.ts';
import { DatabaseRefused } from '../migrations/migrate.ts';
import { IDENTITY_SETTING } from '../repositories/decisions.ts';
import { tryProcessLock } from './process-lock.ts';

/**
 * Puts a backup where no database is. It appears under its name only when it is whole and was found sound; nothing is ever overwritten. Since
 * attestations may have been given after the backup, events of local oracles that it knows of as not attested are frozen: answers how many.
 * @throws DatabaseRefused where a database is there, a service uses the place, or the file is no backup of this program.
 */
export async function restoreSqlite(backupFile: string, path: string, now: number): Promise<{ frozenEvents: number }> {
  if (!existsSync(backupFile)) throw new DatabaseRefused(`There is no file ${backupFile}.`);
  makeFolder(dirname(path));
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
    const frozenEvents = freezeUnattested(partial, now);
    await sync(partial);
    // A link, unlike a rename, never replaces what is there.
    linkSync(partial, path);
    await sync(dirname(path));
    return { frozenEvents };
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

/** Before any service sees it. Whatever the row says that binds it to a place, it is another now. */
function freezeUnattested(copy: string, now: number): number {
  const database = new DatabaseSync(copy);
  try {
    database.prepare('DELETE FROM settings WHERE name = ?').run(IDENTITY_SETTING);
    const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'oracle_events'").get();
    if (!known) return 0;
    const freeze = database.prepare(
      `UPDATE oracle_events SET frozen_at = ? WHERE frozen_at IS NULL
        AND oracle_id IN (SELECT oracle_id FROM oracles WHERE kind = 'local')
        AND NOT EXISTS (SELECT 1 FROM attestations WHERE attestations.oracle_id = oracle_events.oracle_id
          AND attestations.event_id = oracle_events.event_id)`,
    );
    return Number(freeze.run(now).changes);
  } finally {
    database.close();
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
