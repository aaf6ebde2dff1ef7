import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import { BTC, openPayments, type Payments } from './payments-setup.ts';

/** What the pool and its rows say of the wallet's change. */
async function changeOf({ store, accountId, ground: { pool } }: Payments, { walletId }: WalletRecord) {
  const wallet = (await store.read.wallets.find(accountId, walletId))!;
  const lease = await pool.leaseChange(wallet);
  pool.returnChange(wallet, lease);
  const { scripts } = store.read;
  const [rows, highest] = [await scripts.count(accountId), await scripts.highestIndex(accountId, walletId, true)];
  return { rows, highest, next: wallet.nextInternalIndex, lowestFree: lease.index };
}

async function openBulk() {
  const p = await openPayments();
  const wallet = await p.newWallet();
  await p.fund(
    wallet,
    Array.from({ length: 8 }, () => BTC),
  );
  const requests = Array.from({ length: 30 }, () => p.pay(wallet, 10_000n, { groupByScript: false }));
  return { p, wallet, requests };
}

it('a payment during dry runs of bulks takes the lowest free change script', async () => {
  const { p, wallet, requests } = await openBulk();
  const bulks = [1, 2, 3].map(() => p.transactions.createBulk(requests, { dryRun: true }, p.context()));
  // Each of them has drafts by now, and more to come.
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  const paid = await p.transactions.create(p.pay(wallet, BTC / 2n), {}, p.context());
  const lowest = p.ground.pool.model(wallet).scriptAt(true, 0).scriptPubKey;
  expect(parseTransaction(paid.raw!).outputs.map((output) => output.scriptPubKey)).toContain(lowest);
  const previews = (await Promise.all(bulks)).flat();
  expect(previews.filter((one) => 'transaction' in one && one.transaction.preview)).toHaveLength(90);
  expect(await changeOf(p, wallet)).toMatchObject({ next: 1, lowestFree: 1 });
});

it('a dry run takes no change script, neither under way, nor ended, nor given up midway', async () => {
  const { p, wallet, requests } = await openBulk();
  const before = await changeOf(p, wallet);
  const given = new AbortController();
  const dry = { dryRun: true };
  const kept = p.transactions.createBulk(requests, dry, p.context());
  const dropped = p.transactions.createBulk(requests, dry, { ...p.context(), signal: given.signal });
  const refused = expect(dropped).rejects.toThrow('closed');
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  expect(await changeOf(p, wallet)).toEqual(before);
  given.abort(new Error('closed'));
  await refused;
  expect(await kept).toHaveLength(30);
  await p.transactions.create(p.pay(wallet, BTC / 2n), dry, p.context());
  expect(await changeOf(p, wallet)).toEqual(before);
});

it('a bulk of dry runs has a change script for each, so that no two change coins are spent as one', async () => {
  const p = await openPayments();
  const wallet = await p.newWallet();
  await p.fund(wallet, [BTC, BTC]);
  const requests = [60n, 60n, 30n].map((percent) => p.pay(wallet, (BTC * percent) / 100n, { groupByScript: true }));
  const outcomes = await p.transactions.createBulk(requests, { dryRun: true }, p.context());
  const sizes = outcomes.flatMap((one) => ('transaction' in one ? [one.transaction.vsize] : []));
  expect(sizes).toEqual([141, 141, 141]);
});
