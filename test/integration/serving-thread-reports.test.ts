/** Reports are made a page at a time: 100,000 rows and the largest liabilities hold the serving thread no longer than a request may. */
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sqlitePath } from '../../src/store/open-store.ts';
import { type Json, startTestApp, type TestApp } from '../builders/app.ts';
import { transactionRecord, walletRecord } from '../builders/store-records.ts';
import { measured, seriesHeld } from '../builders/worst/thread-cpu.ts';

const ROWS = 100_000;
let service: TestApp;

beforeAll(async () => {
  service = await startTestApp();
  const { accountId, app } = service;
  await app.store.write(async (tx) => {
    await tx.wallets.insert(walletRecord('wal_one', { accountId }));
    const effects = [{ walletId: 'wal_one' as const, receivedSats: 1_000n, sentSats: 51_141n }];
    await tx.transactions.insert(transactionRecord('past', { accountId, status: 'failed' }), [], effects);
  });
  const database = new DatabaseSync(sqlitePath(service.dataDir));
  /** As many again of the one row, with these columns of their own. */
  const multiply = (table: string, own: Record<string, string>): void => {
    const names = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
    const columns = names.map(({ name }) => String(name));
    database.exec(`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${columns.map((name) => own[name] ?? name).join(', ')}
      FROM ${table} CROSS JOIN (WITH RECURSIVE ns(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ns WHERE n < ${ROWS - 1}) SELECT n FROM ns)`);
  };
  const txid = `printf('%064x', n)`;
  multiply('transactions', { txid, unsigned_txid: txid, ordinal: 'n + 1' });
  multiply('wallet_transactions', { txid, ordinal: 'n + 1' });
  database.exec(`UPDATE accounts SET transaction_count = ${ROWS} WHERE account_id = '${accountId}'`);
  database.close();
});
afterAll(() => service.close());

/** Asked for, made and read. */
async function made(kind: 'analytics' | 'compliance', asked: Json) {
  const queued = await service.post(`/api/v1/${kind}/report`, asked);
  expect(queued.status, queued.text).toBe(202);
  const path = `/api/v1/${kind}/reports/${queued.body.report_id}`;
  await expect.poll(async () => (await service.get(path)).body.status, { timeout: 600_000, interval: 50 }).toBe('done');
  return (await service.get(path)).body;
}
const said = ({ turnsMs }: { turnsMs: readonly number[] }): string =>
  `${turnsMs.length} turns, longest ${turnsMs.slice(0, 8).map((ms) => ms.toFixed(1))}, p99 ${turnsMs[Math.floor(turnsMs.length / 100)]?.toFixed(1)} ms`;

it.each(['csv', 'json', 'xlsx', 'pdf'])('100,000 rows of %s', { timeout: 600_000 }, async (format) => {
  const asked = { type: 'activity', from: '1970-01-01T00:00:00Z', format };
  const series = await measured(() => made('analytics', asked));
  expect(series.made.rows).toBe(ROWS);
  expect(seriesHeld(series), said(series)).toBeLessThanOrEqual(1);
});

it('liabilities of 900,000 characters, in as many lines as a body takes', { timeout: 600_000 }, async () => {
  const lines = Array.from({ length: 99_990 }, (_, at) => `${at.toString(36).padStart(6, '0')},1\n`);
  const liabilities = lines.join('');
  const series = await measured(() => made('compliance', { type: 'proof-of-reserves', liabilities }));
  expect(series.made.progress.done).toBe(lines.length);
  expect(seriesHeld(series), said(series)).toBeLessThanOrEqual(1);
});
