/** Records of before are found by notes, on both databases. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/store/contents.ts';
import type { NoteRecord } from '../../src/store/repositories/transaction-notes.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import { accountRecord, transactionRecord, txidOf, walletRecord } from '../builders/store-records.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const old: OlderDatabase = {
  migrations: MIGRATIONS.filter(({ version }) => version < 49),
  fill: (store) =>
    store.write(async (tx) => {
      await tx.accounts.insert(accountRecord('acc_one'));
      await tx.wallets.insert(walletRecord('wal_one'));
      const pays = (address: string, ...amounts: bigint[]) => amounts.map((amountSats) => ({ address, amountSats }));
      const recipients = [...pays('BCRT1QA', 5n, 7n, 5n), ...pays('2Mixed', 20_999_999_9769_0000n)];
      await tx.transactions.insert(transactionRecord('one', { recipients }), [], []);
      await tx.transactions.insert(transactionRecord('two', { recipients: pays('bcrt1qb', 9n) }), [], []);
    }),
  rows: [],
};

const note = (noteId: string, recipient: string, amountSats: bigint): NoteRecord => ({
  ...{ noteId, accountId: 'acc_one', amountSats, sender: 's', recipient, txid: null, nth: null },
  ...{ createdAt: 1, updatedAt: 1 },
});

it.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('on %s', async (_, upgraded) => {
  const store = await upgraded();
  try {
    const linked = (one: NoteRecord) =>
      store.write(async (tx) => {
        await tx.transactionNotes.insert(one);
        await tx.transactionNotes.link(one);
        return (await tx.transactionNotes.find('acc_one', one.noteId))?.txid;
      });
    expect(await linked(note('a', 'bcrt1qa', 7n))).toBe(txidOf('one'));
    expect(await linked(note('b', '2Mixed', 20_999_999_9769_0000n))).toBe(txidOf('one'));
    expect(await linked(note('c', 'bcrt1qb', 9n))).toBe(txidOf('two'));
    expect(await linked(note('d', 'bcrt1qb', 8n))).toBeNull();
    // Two outputs, and one of them once the other is another's.
    expect(await linked(note('e', 'bcrt1qa', 5n))).toBeNull();
    const { all, free } = await store.read.transactionNotes.outputs(note('e', 'bcrt1qa', 5n), txidOf('one'));
    expect([all, free]).toEqual([
      [0, 1],
      [0, 1],
    ]);
  } finally {
    await store.close();
  }
});
