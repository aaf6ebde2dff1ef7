/**
 * Durable writes per second: one write is what a payment commits (claims, transaction, change coin, event, idempotency key).
 * Run: node test/bench/store.ts [seconds per figure]
 */
import type { Store } from '../../src/store/store.ts';
import {
  accountRecord,
  coinRecord,
  idempotencyRecord,
  outpointOf,
  transactionRecord,
  txidOf,
  walletRecord,
} from '../builders/store-records.ts';
import { openTemporarySqlite, withPostgres } from '../builders/stores.ts';

const SECONDS = Number(process.argv[2] ?? 3);
let next = 0;

async function pay(store: Store): Promise<void> {
  const name = `payment ${next++}`;
  const txid = txidOf(name);
  const coins = [outpointOf(`${name} coin`, 0), outpointOf(`${name} coin`, 1)];
  await store.write(async (tx) => {
    await tx.ledger.insertCoins(coins.map(({ vout }) => coinRecord(`${name} coin`, { vout })));
    const missed = await tx.coins.claim('acc_one', coins, txid);
    if (missed.length > 0) throw new Error('coin taken');
    await tx.transactions.insert(
      transactionRecord(name, { raw: new Uint8Array(222) }),
      coins.map((prev, vin) => ({ vin, prev })),
      [{ walletId: 'wal_one', receivedSats: 1n, sentSats: 2n }],
    );
    await tx.ledger.insertCoins([coinRecord(name, { height: null, own: true })]);
    await tx.events.append({ accountId: 'acc_one', channel: 'transactions', ref: txid, data: { txid } });
    await tx.idempotency.insert(idempotencyRecord(name));
  });
}

async function perSecond(store: Store, atOnce: number): Promise<{ rate: number; lagMs: number }> {
  const end = performance.now() + SECONDS * 1_000;
  let done = 0;
  let lagMs = 0;
  let last = performance.now();
  const watch = setInterval(() => {
    const now = performance.now();
    lagMs = Math.max(lagMs, now - last - 5);
    last = now;
  }, 5);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < end) {
        await pay(store);
        done++;
      }
    }),
  );
  clearInterval(watch);
  return { rate: (done * 1_000) / (performance.now() - started), lagMs };
}

async function prepare(store: Store): Promise<void> {
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord('acc_one'));
    await tx.wallets.insert(walletRecord('wal_one'));
  });
  for (let i = 0; i < 200; i++) await pay(store);
}

const rates = new Map<string, number>();
async function measure(name: string, store: Store): Promise<void> {
  await prepare(store);
  for (const atOnce of [1, 32]) {
    const { rate, lagMs } = await perSecond(store, atOnce);
    rates.set(`${name} ${atOnce}`, rate);
    console.log(
      `${name.padEnd(32)} ${String(atOnce).padStart(2)} at once  ${rate.toFixed(0).padStart(6)} /s  lag ${lagMs.toFixed(0)} ms`,
    );
  }
}

for (const [name, maxBatch] of [
  ['SQLite, one COMMIT each', 1],
  ['SQLite, group commit', 128],
] as const) {
  const sqlite = await openTemporarySqlite({ maxBatch });
  await measure(name, sqlite.store);
  await sqlite.close();
}
const postgres = await withPostgres({ durable: true });
const store = await postgres.openStore();
await measure('PostgreSQL', store);
await store.close();
await postgres.stop();

const ratio = (a: string, b: string) => ((rates.get(a) ?? 0) / (rates.get(b) ?? 1)).toFixed(2);
console.log(
  `group commit over one COMMIT each, 32 at once: ${ratio('SQLite, group commit 32', 'SQLite, one COMMIT each 32')}`,
);
console.log(
  `group commit, 32 at once over 1 at once:       ${ratio('SQLite, group commit 32', 'SQLite, group commit 1')}`,
);
