/** Databases with all tables and nothing in them: copies, because making the tables would take most of a test's start. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { collectedLog } from '../secrets/collected.ts';
import { onceInARun } from './once-in-a-run.ts';

let tables: Promise<Buffer> | null = null;

/** Where there is no database yet. Migrations themselves are tested by the conformance of the stores. */
export async function makeTables(path: string): Promise<void> {
  if (existsSync(path)) return;
  tables ??= onceInARun('tables.db', makeFile).then((made) => (made === null ? migrated() : readFileSync(made)));
  writeFileSync(path, await tables, { mode: 0o600 });
}

const makeFile = async (path: string) => writeFileSync(path, await migrated());

async function migrated(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), 'ashlar-tables-'));
  const path = join(directory, 'ashlar.db');
  await (await openSqliteStore({ path, role: 'service', log: collectedLog(), clock: Date.now })).close();
  if (existsSync(`${path}-wal`)) throw new Error(`what was written to ${path} is not all in it`);
  const bytes = readFileSync(path);
  rmSync(directory, { recursive: true });
  return bytes;
}
