/**
 * What metrics cost a payment: the record of one made, sent and confirmed, and its change, with their triggers and without, in turns, against what a whole payment
 * takes. CPU time of the process and, on PostgreSQL, of the server's processes for the database. RECORDS=5000 for another number
 */
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { WalletId } from '../../src/core/ids.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { gateOver } from '../builders/gate.ts';
import { blockRecord, coinRecord, outpointOf, transactionRecord, txidOf } from '../builders/store-records.ts';
import { silent, withPostgres } from '../builders/stores.ts';
import { outsideAddress } from './funded-app.ts';
import { openPaying, type Paying } from './paying.ts';

const RECORDS = Number(process.env.RECORDS ?? 3_000);
const PAYMENTS = 100;
const AT_ONCE = 25;
const WARM_UP = 5;
const HERE = fileURLToPath(new URL('../..', import.meta.url));
const TRIGGERS = {
  transactions: ['transactions_metrics_insert', 'transactions_metrics_update'],
  coins: ['coins_metrics_insert', 'coins_metrics_update'],
};
const BLOCK = blockRecord(1_000);

interface Side {
  readonly name: string;
  pay(): Promise<void>;
  /** Made, sent and confirmed. */
  record(): Promise<void>;
  /** Of the database's server, nanoseconds. */
  serverCpu(): Promise<number>;
  close(): Promise<void>;
}

function recorder({ store, accountId }: Paying, walletId: WalletId) {
  let made = 0;
  return async () => {
    if (made === 0) await store.write((tx) => tx.ledger.insertBlocks([BLOCK]));
    const [name, before] = [`recorded ${++made}`, outpointOf(`recorded ${made - 1}`)];
    const txid = txidOf(name);
    const record = transactionRecord(name, { accountId, walletId, status: 'signed', createdAt: Date.now() });
    const change = coinRecord(name, { accountId, walletId, index: made, height: null, own: true });
    await store.write(async (tx) => {
      await tx.transactions.insert(record, [], []);
      await tx.coins.claim(accountId, [before], txid);
      await tx.ledger.insertCoins([change]);
    });
    await store.write((tx) => tx.transactions.update(accountId, txid, { status: 'broadcast' }));
    const place = { blockHeight: BLOCK.height, blockHash: BLOCK.hash };
    await store.write(async (tx) => {
      await tx.transactions.update(accountId, txid, { status: 'confirmed', ...place });
      await tx.ledger.updateCoinsOf(txid, { height: BLOCK.height });
      await tx.ledger.spendCoins([before], txid, BLOCK.height);
    });
  };
}

async function onSqlite(name: string, without: boolean): Promise<Side> {
  const paying = await openPaying(HERE, 'metrics', gateOver);
  if (without) {
    const database = new DatabaseSync(paying.path);
    for (const trigger of Object.values(TRIGGERS).flat()) database.exec(`DROP TRIGGER ${trigger}`);
    database.close();
  }
  const [wallet, { walletId }] = [await paying.wallet(1_000), await paying.wallet(1)];
  const pay = () => wallet.pay(outsideAddress('payee'));
  return { name, pay, record: recorder(paying, walletId), serverCpu: async () => 0, close: paying.close };
}

async function onPostgres(name: string, without: boolean, url: string): Promise<Side> {
  const client = new pg.Client(url);
  await client.connect();
  if (without)
    for (const [table, triggers] of Object.entries(TRIGGERS))
      for (const trigger of triggers) await client.query(`DROP TRIGGER ${trigger} ON ${table}`);
  const store = await openPostgresStore({ url, log: silent, clock: Date.now });
  const paying = await openPaying(HERE, 'metrics', gateOver, store);
  const [wallet, { walletId }] = [await paying.wallet(1_000), await paying.wallet(1)];
  const backends = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  return {
    name,
    pay: () => wallet.pay(outsideAddress('payee')),
    record: recorder(paying, walletId),
    async serverCpu() {
      const { rows } = await client.query<{ pid: number }>(backends);
      return rows.reduce(
        (sum, { pid }) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]),
        0,
      );
    },
    async close() {
      await client.end();
      await paying.close();
    },
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** CPU of each side for one, microseconds. */
async function inTurns(sides: readonly Side[], many: number, work: (side: Side) => Promise<void>): Promise<number[]> {
  const spent = sides.map((): number[] => []);
  for (let round = 0; round < many / AT_ONCE + WARM_UP; round++)
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const side = sides[at] as Side;
      const [server, before] = [await side.serverCpu(), process.cpuUsage()];
      for (let n = 0; n < AT_ONCE; n++) await work(side);
      const { user, system } = process.cpuUsage(before);
      const all = user + system + ((await side.serverCpu()) - server) / 1_000;
      if (round >= WARM_UP) spent[at]?.push(all / AT_ONCE);
    }
  return spent.map(median);
}

async function compare(kind: string, sides: readonly Side[]): Promise<void> {
  const [without = 0, withThem = 0] = await inTurns(sides, RECORDS, (side) => side.record());
  const [payment = 0] = await inTurns(sides, PAYMENTS, (side) => side.pay());
  const more = withThem - without;
  console.log(
    `${kind}: a record ${without.toFixed(0)} µs, with metrics ${more.toFixed(0)} µs more; a payment without ${payment.toFixed(0)} µs: ` +
      `${((100 * more) / payment).toFixed(1)} % (at most 3 %)`,
  );
  for (const side of sides) await side.close();
}

await compare('SQLite', [await onSqlite('without', true), await onSqlite('with', false)]);
await using postgres = await withPostgres();
const [one, other] = [await postgres.newTables(), await postgres.newTables()];
await compare('PostgreSQL', [await onPostgres('without', true, one), await onPostgres('with', false, other)]);
