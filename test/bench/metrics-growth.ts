/**
 * Metrics of an account with 1,000,000 transactions against one with 1,000: CPU time (and time by the clock) of `summary` and `detailed` in alternating requests, and the
 * longest turn of the dearest series. PAST=100000 for another number. What the sums cost a payment: metrics-payments.ts.
 */
import { DatabaseSync } from 'node:sqlite';
import { sqlitePath } from '../../src/store/open-store.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { coinRecord, transactionRecord } from '../builders/store-records.ts';
import { calibrated, measured } from '../builders/worst/thread-cpu.ts';

const SIZES = { small: 1_000, large: Number(process.env.PAST ?? 1_000_000) };
const ROUNDS = 200;
const WARM_UP = 30;
const DAY_MS = 86_400_000;

/** Evenly over 60 days, of four wallets, each with a coin in a block, written as SQL from one that the store has written; the triggers count them. */
async function withTransactions(count: number): Promise<TestApp> {
  const app = await startTestApp();
  const { accountId } = app;
  const wallets: string[] = [];
  for (let n = 0; n < 4; n++)
    wallets.push(
      (await app.post('/api/v1/wallets', { name: `${n}`, type: 'segwit', backup_type: 'none' })).body.wallet_id,
    );
  const first = transactionRecord('past', {
    accountId,
    walletId: wallets[0] as 'wal_1',
    status: 'confirmed',
    createdAt: 0,
  });
  const coin = coinRecord('past', { accountId, walletId: wallets[0] as 'wal_1', createdAt: 0 });
  await app.app.store.write(async (tx) => {
    await tx.transactions.insert(first, [], []);
    await tx.ledger.insertCoins([coin]);
  });
  const database = new DatabaseSync(sqlitePath(app.dataDir));
  const copy = (table: string, own: Readonly<Record<string, string>>) => {
    const names = database
      .prepare(`SELECT name FROM pragma_table_info('${table}') WHERE name <> 'coin_id'`)
      .all()
      .map(({ name }) => String(name));
    database.exec(`INSERT INTO ${table} (${names.join(', ')})
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})
      SELECT ${names.map((name) => own[name] ?? `first.${name}`).join(', ')} FROM numbers, ${table} AS first WHERE first.txid = '${first.txid}'`);
  };
  const both = {
    ...{ txid: `printf('%064x', n)`, created_at: `${Date.now() - 60 * DAY_MS} + n * ${60 * DAY_MS} / ${count}` },
    wallet_id: `CASE n % 4 ${wallets.map((id, n) => `WHEN ${n} THEN '${id}'`).join(' ')} END`,
  };
  const direction = `iif(n % 3 = 0, 'incoming', 'outgoing')`;
  copy('transactions', { ...both, unsigned_txid: `printf('%064x', n)`, ordinal: 'n + 1', direction });
  copy('coins', both);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return app;
}

/** CPU and by the clock, microseconds. */
const took = async (work: () => Promise<unknown>): Promise<readonly [number, number]> => {
  const [before, began] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return [user + system, (performance.now() - began) * 1_000];
};
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

async function inTurns(names: readonly [string, string], sides: readonly (() => Promise<unknown>)[], rounds: number) {
  const times: (readonly [number, number])[][] = sides.map(() => []);
  for (let round = 0; round < WARM_UP + rounds; round++)
    for (const side of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const one = await took(sides[side]!);
      if (round >= WARM_UP) times[side]!.push(one);
    }
  const said = ([0, 1] as const).map((by) => {
    const [one, other] = times.map((of) => median(of.map((pair) => pair[by]))) as [number, number];
    return `${names[0]} ${one.toFixed(0)} µs, ${names[1]} ${other.toFixed(0)} µs, ${(other / one).toFixed(3)}x`;
  });
  return `CPU ${said[0]}; clock ${said[1]}`;
}

const apps = [await withTransactions(SIZES.small), await withTransactions(SIZES.large)];
const get = (app: TestApp, path: string) => async () => {
  const { status, text } = await app.get(`/api/v1/metrics/${path}`);
  if (status !== 200) throw new Error(text);
};
for (const path of [
  'summary?range=24h',
  'summary?range=30d',
  'detailed?metric=volume_out&interval=day',
  'detailed?metric=volume_out&interval=day&timezone=Europe/Zurich',
  'detailed?metric=balance&interval=day&group_by=wallet',
  'detailed?metric=fees_paid&interval=month&timezone=Asia/Kathmandu&group_by=wallet',
]) {
  const sides = apps.map((app) => get(app, path));
  console.log(`${path}: ${await inTurns([`${SIZES.small}`, `${SIZES.large}`], sides, ROUNDS)} (at most 1.2x)`);
}
const from = new Date(Date.now() - 998 * DAY_MS).toISOString();
const dearest = get(apps[1]!, `detailed?metric=volume_out&timezone=Asia/Kathmandu&group_by=wallet&from=${from}`);
const held: number[] = [];
for (let round = 0; round < 8; round++) held.push((await measured(dearest)).longestMs);
console.log(
  `1,000 days by wallet: longest turn ${Math.min(...held).toFixed(1)} ms, of ${calibrated().toFixed(1)} that are permitted here`,
);
for (const app of apps) await app.close();
