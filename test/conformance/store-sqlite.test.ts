import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { makeTables } from '../builders/sqlite-tables.ts';
import { silent } from '../builders/stores.ts';
import { storeConformance } from './store.ts';

storeConformance('SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ashlar-conformance-'));
  const path = join(directory, 'ashlar.db');
  const open = { path, log: silent, clock: Date.now };
  return {
    async open(options) {
      if (options?.migrations === undefined) await makeTables(path);
      return await openSqliteStore({ ...open, role: 'service', ...options });
    },
    openBeside: () => openSqliteStore({ ...open, role: 'tool' }),
    observe: async (sql) => {
      const database = new DatabaseSync(path, { readOnly: true });
      try {
        return database
          .prepare(sql)
          .all()
          .map((row) => ({ ...row }));
      } finally {
        database.close();
      }
    },
    execute: async (sql) => {
      const database = new DatabaseSync(path);
      try {
        database.exec(sql);
      } finally {
        database.close();
      }
    },
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  };
});
