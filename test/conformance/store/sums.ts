import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Txid } from '../../../src/core/outpoint.ts';
import type { Balance, CoinRecord } from '../../../src/store/records.ts';
import type { Repositories, Store } from '../../../src/store/store.ts';
import { blockRecord, coinRecord, scriptRecord, txidOf } from '../../builders/store-records.ts';
import type { StoreContext } from '../store.ts';

const WALLETS = [
  { walletId: 'wal_one', accountId: 'acc_one' },
  { walletId: 'wal_two', accountId: 'acc_one' },
  { walletId: 'wal_other', accountId: 'acc_two' },
] as const;
const TRANSACTIONS = Array.from({ length: 6 }, (_, index) => `t${index}`);
const TIP = 150;

const one = fc.constantFrom(...TRANSACTIONS);
const change = fc.oneof(
  fc.record({
    kind: fc.constant('insert' as const),
    of: one,
    wallet: fc.nat(2),
    vout: fc.nat(2),
    coinbase: fc.boolean(),
    height: fc.constantFrom(null, 10, 100),
    locked: fc.boolean(),
  }),
  fc.record({ kind: fc.constantFrom('claim' as const, 'spend' as const, 'release' as const), of: one, by: one }),
  fc.record({ kind: fc.constant('unspend' as const), by: one }),
  fc.record({
    kind: fc.constant('update' as const),
    of: one,
    height: fc.constantFrom(null, 20, 120),
    live: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('flag' as const),
    of: one,
    vout: fc.nat(2),
    locked: fc.boolean(),
    frozen: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('freeze' as const), of: one, vout: fc.nat(2) }),
  fc.record({ kind: fc.constant('script' as const), index: fc.nat(4), wallet: fc.nat(2), change: fc.boolean() }),
  fc.record({ kind: fc.constant('reserve' as const), index: fc.nat(4), wallet: fc.nat(2), change: fc.boolean() }),
  fc.record({ kind: fc.constant('use' as const), index: fc.nat(4), wallet: fc.nat(2) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const scriptAt = (wallet: number, index: number, ofChange: boolean) =>
  scriptRecord(index, { ...WALLETS[wallet]!, change: ofChange, scriptPubKey: `${wallet}${ofChange}${index}` });

async function apply(tx: Repositories, it: Change): Promise<void> {
  switch (it.kind) {
    case 'insert': {
      const { of, vout, coinbase, height, locked } = it;
      const patch = { ...WALLETS[it.wallet]!, vout, coinbase, height, locked, amountSats: 1_000n + BigInt(vout) };
      return tx.ledger.insertCoins([coinRecord(of, patch)]);
    }
    case 'claim':
      return void (await tx.coins.claim('acc_one', outpointsOf(it.of), txidOf(it.by), [txidOf('t0')]));
    case 'release':
      return void (await tx.coins.release('acc_one', txidOf(it.of), it.of < it.by ? txidOf(it.by) : null));
    case 'spend':
      return tx.ledger.spendCoins(outpointsOf(it.of), txidOf(it.by), it.of < it.by ? 130 : null);
    case 'unspend':
      return void (await tx.ledger.unspendCoins(txidOf(it.by)));
    case 'update':
      return tx.ledger.updateCoinsOf(txidOf(it.of), { height: it.height, live: it.live });
    case 'flag': {
      const { locked, frozen, vout } = it;
      return void (await tx.coins.setFlags('acc_one', 'wal_one', { txid: txidOf(it.of), vout }, { locked, frozen }));
    }
    case 'freeze':
      return tx.ledger.freezeCoin({ txid: txidOf(it.of), vout: it.vout });
    case 'script':
      return tx.scripts.insertMissing([scriptAt(it.wallet, it.index, it.change)]);
    case 'reserve': {
      const { walletId, accountId } = WALLETS[it.wallet]!;
      return tx.scripts.reserveRange(accountId, walletId, it.change, { from: 0, to: it.index }, 5);
    }
    case 'use':
      return tx.ledger.markScriptsUsed([scriptAt(it.wallet, it.index, false)], 7);
  }
}

const outpointsOf = (name: string) => [0, 1, 2].map((vout) => ({ txid: txidOf(name), vout }));

/** From the rows alone. */
function balanceOf(coins: readonly CoinRecord[]): Balance {
  const sum = (which: (coin: CoinRecord) => boolean) =>
    coins.filter(which).reduce((total, { amountSats }) => total + amountSats, 0n);
  const mature = ({ coinbase, height }: CoinRecord) => !coinbase || height! <= TIP - 99;
  return {
    confirmedSats: sum((coin) => coin.height !== null && mature(coin)),
    pendingSats: sum(({ height }) => height === null),
    immatureSats: sum((coin) => coin.height !== null && !mature(coin)),
    lockedSats: sum(({ locked, frozen }) => locked || frozen),
  };
}

async function expectRight(store: Store): Promise<void> {
  const coins = await store.read.ledger.coinsAt(TRANSACTIONS.flatMap(outpointsOf));
  for (const { walletId, accountId } of WALLETS) {
    expect((await store.write((tx) => tx.walletSums.check(walletId))).wrong).toEqual([]);
    const own = coins.filter((coin) => coin.walletId === walletId && coin.live && coin.spentBy === null);
    expect(await store.read.coins.balance(accountId, walletId, TIP)).toEqual(balanceOf(own));
    for (const filter of [
      {},
      { locked: true },
      { frozen: false, confirmed: true },
      { locked: false, confirmed: false },
    ]) {
      const { data, total, hasMore } = await store.read.coins.list(accountId, walletId, filter, {
        limit: 100,
        offset: 0,
      });
      expect({ total, hasMore }).toEqual({ total: data.length, hasMore: false });
    }
    for (const filter of [
      {},
      { used: true },
      { change: true, reservedOnly: true },
      { used: false, reservedOnly: true },
    ]) {
      const { data, total } = await store.read.scripts.list(accountId, walletId, filter, { limit: 100, offset: 0 });
      expect(total).toBe(data.length);
    }
  }
}

class Undone extends Error {}

export function sumTests(context: StoreContext): void {
  test('follow every change of coins and scripts, and none that is rolled back', async () => {
    const { store } = context;
    const job = fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 6 }), undone: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(job, { minLength: 1, maxLength: 8 }), async (jobs) => {
        for (const { changes, undone } of jobs) {
          const written = store.write(async (tx) => {
            for (const it of changes) await apply(tx, it);
            if (undone) throw new Undone();
          });
          await (undone ? expect(written).rejects.toThrow(Undone) : written);
        }
        await expectRight(store);
      }),
      { numRuns: 40 },
    );
  });

  test('are right where two processes write at once, in any order', async () => {
    const stores = [context.store, await context.beside()];
    const count = 120;
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        stores[index % 2]!.write(async (tx) => {
          // Two wallets each, in both orders; more than PostgreSQL leaves side by side.
          for (const wallet of index % 4 < 2 ? [0, 1] : [1, 0]) {
            const coin = coinRecord(`at once ${index}`, { ...WALLETS[wallet]!, vout: wallet, height: null });
            await tx.ledger.insertCoins([coin]);
          }
          await tx.ledger.updateCoinsOf(txidOf(`at once ${index}`) as Txid, { height: 100 });
          if (index % 3 === 0) await tx.coins.claim('acc_one', outpointsOf(`at once ${index}`), txidOf('payment'));
        }),
      ),
    );
    for (const { walletId } of WALLETS) {
      expect((await context.store.write((tx) => tx.walletSums.check(walletId))).wrong).toEqual([]);
    }
    const { total } = await context.store.read.coins.list('acc_one', 'wal_one', {}, { limit: 1, offset: 0 });
    expect(total).toBe((count * 2) / 3);
    const rows = await context.harness.observe("select count(*) as count from wallet_sums where wallet_id = 'wal_one'");
    expect(Number(rows[0]?.count)).toBeLessThan(count / 2);
  });

  test('that were changed past them are found, and corrected', async () => {
    const { store, harness } = context;
    await store.write(async (tx) => {
      await tx.ledger.insertBlocks([blockRecord(1)]);
      await tx.ledger.insertCoins([
        coinRecord('a', { amountSats: 700n }),
        coinRecord('b', { amountSats: 40n, locked: true }),
      ]);
      await tx.scripts.insertMissing([scriptRecord(0)]);
    });
    await harness.execute(
      "update wallet_sums set amount_sats = amount_sats + 5, items = items + 1 where wallet_id = 'wal_one'",
    );
    const { wrong } = await store.write((tx) => tx.walletSums.check('wal_one'));
    expect(wrong.map(({ class: of, kept, counted }) => [of, kept.amount - counted.amount, kept.items])).toEqual([
      [1n, 5n, 2n],
      [5n, 5n, 2n],
      [16n, 5n, 2n],
    ]);
    expect(await store.write((tx) => tx.walletSums.correct('acc_one', 'wal_one'))).toEqual(wrong);
    expect(await store.write((tx) => tx.walletSums.correct('acc_one', 'wal_one'))).toEqual([]);
    expect(await store.read.coins.balance('acc_one', 'wal_one', TIP)).toMatchObject({
      confirmedSats: 740n,
      lockedSats: 40n,
    });
  });
}
