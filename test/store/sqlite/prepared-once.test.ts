/**
 * SQLite prepares a statement anew when a value is bound that its plan may depend on; the authorizer is asked whenever it prepares one. What is
 * read and written all the time must not be: that took longer than running it.
 */
import { constants, DatabaseSync, StatementSync } from 'node:sqlite';
import { afterAll, expect, it, vi } from 'vitest';

let asked = 0;
const allowAndCount = () => {
  asked += 1;
  return constants.SQLITE_OK;
};
const again = new Map<string, number>();
const watched = new WeakSet<DatabaseSync>();
const { prepare } = DatabaseSync.prototype;
vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql) {
  if (!watched.has(this)) this.setAuthorizer(allowAndCount);
  watched.add(this);
  return prepare.call(this, sql);
});
for (const method of ['all', 'run'] as const) {
  const run = StatementSync.prototype[method] as (...values: never[]) => never;
  vi.spyOn(StatementSync.prototype, method).mockImplementation(function (this: StatementSync, ...values: never[]) {
    const before = asked;
    const result = run.apply(this, values);
    if (asked > before) again.set(this.sourceSQL, (again.get(this.sourceSQL) ?? 0) + 1);
    return result;
  } as never);
}
const { startTestApp } = await import('../../builders/app.ts');
const app = await startTestApp({ blocks: 1 });
afterAll(async () => {
  await app.close();
  vi.restoreAllMocks();
});

it('statements that payments, blocks and lists run are not prepared again', async () => {
  const wallet = (await app.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' })).body.wallet_id;
  const { address } = (await app.post(`/api/v1/wallets/${wallet}/addresses`)).body;
  await app.post('/api/v1/bitcoin/blocks', { count: 110, address });
  await app.synced();
  again.clear();
  const pay = { recipients: [{ address, amount: '0.1' }], fee_rate: '2', rbf: true, wallet_id: wallet };
  for (let times = 0; times < 4; times++) {
    expect((await app.post('/api/v1/transactions', pay)).status).toBe(201);
    await app.simulated.mine(1, '51');
    await app.synced();
    for (const path of ['', '/balance', '/utxos', '/utxos?locked=false', '/addresses', '/addresses?used=true'])
      expect((await app.get(`/api/v1/wallets/${wallet}${path}`)).status).toBe(200);
    for (const path of ['wallets', 'transactions', 'transactions?status=confirmed', 'contracts'])
      expect((await app.get(`/api/v1/${path}`)).status).toBe(200);
  }
  expect([...again].filter(([, times]) => times > 2)).toEqual([]);
});
