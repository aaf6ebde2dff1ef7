/** The database's password in a file of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { openStore } from '../../../src/store/open-store.ts';
import { silent, withPostgres } from '../../builders/stores.ts';

const PASSWORD = 'p/s@s:w%2F\\r d#?';

it('is taken as it is, whatever its characters', async () => {
  const postgres = await withPostgres();
  const dataDir = mkdtempSync(join(tmpdir(), 'ashlar-password-'));
  const file = join(dataDir, 'password');
  const url = await postgres.newDatabase();
  const admin = new pg.Client(url);
  try {
    await admin.connect();
    await admin.query(`CREATE ROLE mounted LOGIN SUPERUSER PASSWORD ${admin.escapeLiteral(PASSWORD)}`);
    const databaseUrl = url.replace(/\/\/[^@]*@/, '//mounted@');
    const open = () => openStore({ databaseUrl, databasePasswordFile: file, dataDir, log: silent, clock: Date.now });
    await expect(open()).rejects.toThrow(`DATABASE_PASSWORD_FILE ${file} cannot be read (ENOENT)`);
    writeFileSync(file, `${PASSWORD}\n`);
    await (await open()).close();
  } finally {
    await admin.end();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
