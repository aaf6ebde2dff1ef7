/** A list that is made while a deposit of one of its addresses is being written down: one of the two sees the other. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { screenDeposit } from '../../../src/services/screening/screen-deposits.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { startTestApp, type TestApp } from '../../builders/app.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';
import { testKey } from '../../builders/test-key.ts';
import { outsider } from '../transactions/payments-setup.ts';

let postgres: TemporaryPostgres;
let stores: Store[] = [];
let watcher: pg.Client;
let app: TestApp;
const folder = mkdtempSync(join(tmpdir(), 'ashlar-screening-'));

beforeAll(async () => {
  postgres = await withPostgres();
  const url = await postgres.newTables();
  const open = () => openPostgresStore({ url, log: silent, clock: Date.now });
  stores = [await open(), await open()];
  const env = { MASTER_KEY_FILE: join(folder, 'master.key') };
  writeFileSync(env.MASTER_KEY_FILE, randomBytes(32), { mode: 0o600 });
  app = await startTestApp({ store: stores[0]!, env });
  watcher = new pg.Client(url);
  await watcher.connect();
});
afterAll(async () => {
  await watcher?.end();
  await app?.close();
  for (const store of stores) await store.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});

it('the list waits for the deposit, which is then frozen', { timeout: 120_000 }, async () => {
  const key = testKey('outsider late');
  const coin = { txid: 'ab'.repeat(32), vout: 0, amountSats: 1_000_000n };
  const deposit = parseTransaction(key.spend({ coins: [coin] }).raw);
  const [written, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const facts = { accountId: app.accountId, walletId: null, own: [], isNew: true, now: Date.now() };
  const writing = stores[1]!.write(async (tx) => {
    await screenDeposit(tx, deposit, facts);
    written.resolve();
    await held.promise;
  });
  await written.promise;
  const list = { name: 'sanctions', csv: outsider('late') };
  const made = app.post('/api/v1/compliance/screening-lists', list).finally(held.resolve);
  const waiting = async () => (await watcher.query('select from pg_locks where not granted')).rowCount;
  await expect.poll(waiting, { timeout: 30_000 }).toBeGreaterThan(0);
  held.resolve();
  await writing;
  expect((await made).status).toBe(201);
  const status = async () => (await stores[1]!.read.screenedDeposits.find(app.accountId, deposit.txid))?.status;
  await expect.poll(status, { timeout: 60_000 }).toBe('frozen');
});
