/** A replica beside a newer one that has migrated the database: it says so, writes nothing, leads nothing, and goes on where that is undone. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { sqlitePath } from '../../src/store/open-store.ts';
import { startTestApp } from '../builders/app.ts';
import { withPostgres } from '../builders/stores.ts';

const RAISE = "INSERT INTO schema_migrations (version, name, applied_at) VALUES (9999, 'newer', 0)";
const LOWER = 'DELETE FROM schema_migrations WHERE version = 9999';

async function replicaOn(kind: 'sqlite' | 'postgres') {
  const lines: { part?: string; msg?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const server = kind === 'postgres' ? await withPostgres() : null;
  onTestFinished(() => server?.[Symbol.asyncDispose]());
  const url = (await server?.newTables()) ?? null;
  const directory = mkdtempSync(join(tmpdir(), 'ashlar-newer-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const keyFile = join(directory, 'master.key');
  writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
  const env = { MASTER_KEY_FILE: keyFile, ...(url === null ? {} : { DATABASE_URL: url }) };
  const app = await startTestApp({ log, blocks: 1, env });
  onTestFinished(() => app.close());
  async function run(sql: string): Promise<Record<string, unknown>[]> {
    if (url === null) {
      const database = new DatabaseSync(sqlitePath(app.dataDir));
      try {
        return database.prepare(sql).all();
      } finally {
        database.close();
      }
    }
    const client = new pg.Client(url);
    await client.connect();
    return client
      .query(sql)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  }
  return {
    app,
    run,
    told: () => lines.filter(({ part, msg }) => part === 'database' && msg?.includes('newer program')),
  };
}

for (const kind of ['sqlite', 'postgres'] as const) {
  it(`a replica on ${kind} stops where the database is newer, and goes on where it is not any more`, async () => {
    const { app, run, told } = await replicaOn(kind);
    const wallet = () => app.post('/api/v1/wallets', { name: 'one', type: 'segwit', backup_type: 'mnemonic' });
    const leads = () => app.app.store.leads().size;
    expect((await wallet()).status).toBe(201);
    await expect.poll(leads, { timeout: 90_000 }).toBeGreaterThan(6);
    await run(RAISE);
    // The worker finds it, though nobody asks for readiness.
    await expect.poll(leads, { timeout: 90_000 }).toBe(0);
    const refused = await wallet();
    expect(refused.status, refused.text).toBe(503);
    expect(refused.text).toContain('unavailable');
    expect(refused.body.error.message).toMatch(/version 9999.*updated replica, and restart this one/);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const readiness = await app.get('/readyz', { apiKey: null });
    expect(readiness.status).toBe(503);
    expect(readiness.body.parts.database).toMatchObject({
      ok: false,
      writable: false,
      problem: refused.body.error.message,
    });
    expect((await app.get('/api/v1/wallets')).body.data).toHaveLength(1);
    expect(told()).toHaveLength(1);
    if (kind === 'postgres') {
      const held = async () => run("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'");
      await expect.poll(held, { timeout: 90_000 }).toEqual([]);
    }
    await run(LOWER);
    await expect.poll(async () => (await wallet()).status, { timeout: 90_000, interval: 200 }).toBe(201);
    await expect.poll(leads, { timeout: 90_000 }).toBeGreaterThan(6);
    expect((await app.get('/readyz', { apiKey: null })).status).toBe(200);
  });
}
