/** A database in which payments and contracts waited before what waits counted in every window: from now on they do, on both databases. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CountedSum } from '../../src/core/policies/policy.ts';
import { HOUR_MS, WAITING_HOUR } from '../../src/core/policies/windows.ts';
import { MIGRATIONS } from '../../src/store/contents.ts';
import { contractRecord } from '../builders/contract-records.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { accountRecord, transactionRecord, txidOf, walletRecord } from '../builders/store-records.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const sum = (hour: number, amountSats: bigint): CountedSum => ({
  ...{ scope: 'destination', subject: 'bcrt1qa, b', hour, amountSats, count: 1 },
});
const ASKED = { operation: 'payment', user: null, credential: 'key_a', role: 'admin', fee: '1' } as const;
const old: OlderDatabase = {
  migrations: MIGRATIONS.filter(({ version }) => version < 39),
  fill: (store) =>
    store.write(async (tx) => {
      await tx.accounts.insert(accountRecord('acc_one'));
      await tx.wallets.insert(walletRecord('wal_one'));
      const add = (name: string, patch: Parameters<typeof transactionRecord>[1]) =>
        tx.transactions.insert(transactionRecord(name, { policy: null, asked: ASKED, ...patch }), [], []);
      await add('sent', { status: 'broadcast', counts: [sum(5, 1n)] });
      await add('asked', { status: 'awaiting_approval', counts: [sum(5, 20n)] });
      const bump = { counts: [sum(3, 300n), sum(5, 4_000n)], asked: { ...ASKED, inherited: 1 } };
      await add('shared', { status: 'awaiting_signature', ...bump });
      await tx.contracts.insert(contractRecord('ctr_one', { status: 'offered', counts: [sum(5, 50_000n)] }));
      await tx.contracts.insert(contractRecord('ctr_two', { status: 'confirmed', counts: [sum(5, 600_000n)] }));
    }),
  rows: [],
};

it.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('on %s', async (_, upgraded) => {
  const store = await upgraded();
  try {
    const sums = async () =>
      (await store.read.spendSums.all('acc_one')).map(({ hour, amountSats }) => [hour, amountSats]);
    expect(await sums()).toEqual([
      [3, 300n],
      [5, 600_001n],
      [WAITING_HOUR, 54_020n],
    ]);
    const signed = { status: 'signed', updatedAt: 9 * HOUR_MS } as const;
    await store.write(async (tx) => {
      for (const name of ['asked', 'shared']) await tx.transactions.update('acc_one', txidOf(name), signed);
      await tx.contracts.update('acc_one', 'ctr_one', signed);
    });
    expect(await sums()).toEqual([
      [3, 300n],
      [5, 600_001n],
      [9, 54_020n],
    ]);
    expect((await store.read.transactions.find('acc_one', txidOf('shared')))?.counts).toEqual([
      sum(3, 300n),
      sum(9, 4_000n),
    ]);

    // A replay sees them as they counted: when they were made, since the migration, and when they were committed.
    const payments = await store.read.spendHistory.payments('acc_one', 0, 9, 9);
    const changes = await store.read.spendHistory.changes('acc_one', { behind: 0, changeId: -1n }, 9, 99);
    const waited = await store.read.spendHistory.waiting('acc_one', 4, { until: 3n, waitId: -1n }, 9);
    const totals = new Map<number, bigint>();
    const count = (counts: readonly CountedSum[], sign: bigint) => {
      for (const { hour, amountSats } of counts) totals.set(hour, (totals.get(hour) ?? 0n) + sign * amountSats);
    };
    for (const { counts } of payments) count(counts, 1n);
    expect([...totals]).toEqual([
      [5, 4_021n],
      [3, 300n],
    ]);
    for (const { sign, counts } of changes) count(counts, BigInt(sign));
    expect([...totals].filter(([, sats]) => sats !== 0n)).toEqual([
      [5, 600_001n],
      [3, 300n],
      [9, 54_020n],
    ]);
    expect(waited).toHaveLength(2);
  } finally {
    await store.close();
  }
});
