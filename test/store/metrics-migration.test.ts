/** A database whose records were made before there were metrics: they are counted, and go on being, on both databases. */
import { afterAll, beforeAll, it } from 'vitest';
import { MIGRATIONS } from '../../src/store/contents.ts';
import { contractRecord } from '../builders/contract-records.ts';
import { balanceFacts, expectMetrics, type Fact } from '../builders/metric-facts.ts';
import { type OlderDatabase, upgradedPostgres, upgradedSqlite } from '../builders/older-databases.ts';
import {
  accountRecord,
  approvalRecord,
  blockHashOf,
  blockRecord,
  coinRecord,
  outpointOf,
  transactionRecord,
  txidOf,
  walletRecord,
} from '../builders/store-records.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

const LATELY = Date.now() - 86_400_000;
const MINED = LATELY + 3_600_000 - (LATELY % 1_000);
const payments = Array.from({ length: 60 }, (_, n) => ({
  ...({ name: `payment ${n}`, walletId: n % 3 === 0 ? 'wal_two' : 'wal_one', amountSats: BigInt(1_000 + n) } as const),
  ...({ feeSats: BigInt(n), createdAt: LATELY + n * 60_000, status: n === 59 ? 'confirmed' : 'broadcast' } as const),
}));
/** In a block that was followed, in one before those, in none; every other is spent in a block. */
const heights = [7, 3, null];
const inBlock = { blockHeight: 7, blockHash: blockHashOf(7) };
const old: OlderDatabase = {
  migrations: MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex(({ name }) => name === 'metrics'),
  ),
  fill: (store) =>
    store.write(async (tx) => {
      await tx.accounts.insert(accountRecord('acc_one'));
      for (const wallet of ['wal_one', 'wal_two'] as const) await tx.wallets.insert(walletRecord(wallet));
      await tx.ledger.insertBlocks([{ ...blockRecord(7), hash: inBlock.blockHash, time: MINED / 1_000 }]);
      for (const { name, ...record } of payments) {
        const mined = record.status === 'confirmed' ? inBlock : {};
        await tx.transactions.insert(transactionRecord(name, { ...record, ...mined, direction: 'outgoing' }), [], []);
      }
      for (const [n, { name, walletId }] of payments.entries())
        await tx.ledger.insertCoins([coinRecord(name, { walletId, height: heights[n % 3] ?? null })]);
      const spent = payments.filter((_, n) => n % 2 === 0).map(({ name }) => outpointOf(name));
      await tx.ledger.spendCoins(spent, txidOf('payment 59'), 7);
      await tx.contracts.insert(contractRecord('ctr_one', { status: 'offered', createdAt: LATELY }));
      await tx.approvals.insert(approvalRecord('apr_one', { createdAt: LATELY }));
    }),
  rows: [],
};

it.each([
  ['SQLite', () => upgradedSqlite(old)],
  ['PostgreSQL', () => upgradedPostgres(server, old)],
])('on %s', async (_, upgraded) => {
  const store = await upgraded();
  try {
    const contract = contractRecord('ctr_one');
    const approval = approvalRecord('apr_one');
    const others: Fact[] = [
      {
        ...{ source: 'contract', walletId: '', type: '', status: 'offered', time: LATELY, feeSats: 0n },
        amountSats: contract.collateralSats,
      },
      {
        ...{ source: 'approval', walletId: approval.walletId ?? '', type: approval.operation, status: 'pending' },
        ...{ time: LATELY, amountSats: 0n, feeSats: 0n },
      },
    ];
    const facts = (statusOf: (n: number, was: string) => string): Fact[] => [
      ...payments.map(({ walletId, amountSats, feeSats, createdAt, status }, n): Fact => {
        const now = statusOf(n, status);
        const time = now === 'confirmed' ? MINED : createdAt;
        return { source: 'transaction', type: 'outgoing', walletId, amountSats, feeSats, status: now, time };
      }),
      ...others,
    ];
    const expectAll = async (statusOf: (n: number, was: string) => string) => {
      const txids = payments.map(({ name }) => txidOf(name));
      const coins = await balanceFacts(store, { accountId: 'acc_one', txids }, (height, txid) =>
        height === 7 ? MINED : payments[txids.indexOf(txid)]!.createdAt,
      );
      await expectMetrics(store, 'acc_one', [...facts(statusOf), ...coins], ['wal_one', 'wal_two']);
    };
    await expectAll((_n, was) => was);
    await store.write(async (tx) => {
      for (const n of [1, 2, 3])
        await tx.transactions.update('acc_one', txidOf(`payment ${n}`), { status: 'confirmed', ...inBlock });
      await tx.transactions.update('acc_one', txidOf('payment 59'), {
        status: 'failed',
        blockHeight: null,
        blockHash: null,
      });
      await tx.ledger.unspendCoins(txidOf('payment 59'));
      await tx.ledger.updateCoinsOf(txidOf('payment 2'), { height: 7 });
      await tx.ledger.updateCoinsOf(txidOf('payment 4'), { live: false, height: null });
    });
    await expectAll((n, was) => (n === 59 ? 'failed' : n >= 1 && n <= 3 ? 'confirmed' : was));
  } finally {
    await store.close();
  }
});
