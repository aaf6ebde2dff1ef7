/** Whatever happened on the way, what the ledger holds in the end is what following the chain from genesis finds. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Txid } from '../../../src/core/outpoint.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { balanceFacts, expectMetrics } from '../../builders/metric-facts.ts';
import { type HdCoin, hdWallet } from './hd-wallet.ts';
import { fundStranger, NOBODY, openWorld, stranger, type World } from './world.ts';

type Coin = { txid: string; vout: number; amountSats: bigint };

const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('deposit' as const),
      to: fc.nat(1),
      // Within the first gap: beyond it, what is found depends on the order in which it was looked at.
      index: fc.nat(19),
      direct: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('spend' as const),
      from: fc.nat(1),
      coin: fc.nat(20),
      to: fc.nat(3),
      fee: fc.nat(5),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('respend' as const),
      which: fc.nat(30),
      direct: fc.boolean(),
      away: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('double-spend' as const), which: fc.nat(30), direct: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('evict' as const), which: fc.nat(30) }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 3 }), to: fc.nat(7) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 6 }),
      remine: fc.boolean(),
      exclude: fc.nat(30),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'disconnect' as const }) },
  { weight: 2, arbitrary: fc.constant({ type: 'restart' as const }) },
  { weight: 3, arbitrary: fc.constant({ type: 'settle' as const }) },
);

const keys = [hdWallet('property alice'), hdWallet('property bob')] as const;

async function withWallets(world: World): Promise<WalletRecord[]> {
  const wallets: WalletRecord[] = [];
  for (const one of keys) wallets.push(await world.addWallet(await world.addAccount(one.name), one));
  return wallets;
}

async function facts(world: World, wallet: WalletRecord) {
  const { read } = world.store;
  const tip = (await read.ledger.tip())!;
  const page = await read.transactions.list(wallet.accountId, {}, { limit: 1_000, offset: 0 });
  const alive = page.data.filter((record) => ['broadcast', 'confirmed'].includes(record.status));
  const coins = [];
  for (const { txid } of alive) {
    for (const coin of await read.ledger.coinsOf(txid)) {
      if (coin.walletId !== wallet.walletId || !coin.live) continue;
      const { vout, amountSats, change, index, coinbase, height, spentBy, spentHeight, own } = coin;
      coins.push({ txid, vout, amountSats, change, index, coinbase, height, spentBy, spentHeight, own });
    }
  }
  const unconfirmed = await read.coins.balance(wallet.accountId, wallet.walletId, tip.height);
  return {
    tip: tip.hash,
    balance: { ...unconfirmed, lockedSats: 0n },
    // From the chain alone, as of the tip: another way to the same number.
    balanceAt: (await read.coins.balanceAt(wallet.accountId, wallet.walletId, tip.height)).confirmedSats,
    coins: coins.sort((a, b) => (`${a.txid}${a.vout}` < `${b.txid}${b.vout}` ? -1 : 1)),
    records: alive
      .map(({ txid, status, direction, amountSats, feeSats, blockHeight, blockHash, vsize }) => ({
        txid,
        status,
        direction,
        amountSats,
        feeSats,
        blockHeight,
        blockHash,
        vsize,
      }))
      .sort((a, b) => (a.txid < b.txid ? -1 : 1)),
  };
}

/** What is kept of the wallets' coins and scripts is what they come to, whatever is under way. */
async function expectSums(world: World, wallets: readonly WalletRecord[]): Promise<void> {
  for (const { walletId } of wallets) {
    expect((await world.store.write((tx) => tx.walletSums.check(walletId))).wrong).toEqual([]);
  }
}

/** What is kept for metrics is what the account's last events and its records come to. */
async function expectMetricsOfEvents({ store }: World, { accountId, walletId }: WalletRecord): Promise<void> {
  const last = new Map<string, { status: string; block_height: number | null }>();
  // On SQLite the commit has numbered them.
  await store.write((tx) => tx.events.number(10_000));
  for (const { ref, data } of await store.read.events.after(0n, 10_000, { channel: 'transactions', accountId }))
    last.set(ref, JSON.parse(data));
  const facts = await balanceFacts(store, { accountId, txids: last.keys() as Iterable<Txid> }, async (height, txid) => {
    const block = await store.read.ledger.blockAt(height);
    return block === null ? (await store.read.transactions.find(accountId, txid))!.createdAt : block.time * 1_000;
  });
  for (const [txid, { status, block_height: height }] of last) {
    const record = (await store.read.transactions.find(accountId, txid as never))!;
    const block = height === null ? null : await store.read.ledger.blockAt(height);
    facts.push({
      ...{ source: 'transaction', walletId: record.walletId, type: record.direction, status },
      ...{ amountSats: record.amountSats, feeSats: record.feeSats ?? 0n },
      time: block === null ? record.createdAt : block.time * 1_000,
    });
  }
  await expectMetrics(store, accountId, facts, [walletId]);
}

/** `openStore` gives a new, empty store each time. */
export async function checkRandomHistories(numRuns: number, openStore?: () => Promise<Store>): Promise<void> {
  const store = async () => (openStore ? { store: await openStore() } : {});
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 15, maxLength: 50 }), async (actions) => {
      const world = await openWorld(await store());
      const strangers: Coin[] = await fundStranger(world.chain, 8);
      const wallets = await withWallets(world);
      await world.begin();
      const { chain } = world;
      /** Transactions of strangers that can be double-spent: their inputs. */
      const spent: Coin[][] = [];
      const respendable: { owner: number; coin: HdCoin }[] = [];
      const known: string[] = [];
      const send = async (raw: Uint8Array, direct: boolean): Promise<boolean> => {
        if (direct) {
          return chain.mineTransactions([raw]).then(
            () => true,
            () => false,
          );
        }
        return (await chain.broadcast(raw)).result === 'accepted';
      };

      for (const one of actions) {
        switch (one.type) {
          case 'deposit': {
            const coin = strangers.pop();
            if (!coin) break;
            const amountSats = 10_000_000n + BigInt(one.index);
            const deposit = stranger.spend({
              coins: [coin],
              outputs: [
                { script: keys[one.to]!.script(one.index), amountSats },
                { script: stranger.script, amountSats: coin.amountSats - amountSats - 2_000n },
              ],
            });
            if (await send(deposit.raw, one.direct)) {
              known.push(deposit.txid);
              spent.push([coin]);
              strangers.unshift(deposit.coin(1));
            }
            break;
          }
          case 'spend': {
            await world.settle();
            const coins = (await world.coins(wallets[one.from]!)).filter((coin) => !coin.coinbase);
            const coin = coins[one.coin % Math.max(1, coins.length)];
            if (!coin) break;
            const targets = [
              stranger.script,
              keys[1 - one.from]!.script(1),
              keys[one.from]!.script(2, true),
              keys[0].script(0),
            ];
            const half = coin.amountSats / 2n;
            if (half < 2_000n) break;
            const payment = keys[one.from]!.spend(
              [coin],
              [
                { script: targets[one.to]!, amountSats: half },
                { script: keys[one.from]!.script(one.fee, true), amountSats: half - 500n * BigInt(one.fee + 1) },
              ],
            );
            if (await send(payment.raw, false)) {
              known.push(payment.txid);
              respendable.push({ owner: one.from, coin });
            }
            break;
          }
          case 'respend': {
            const chosen = respendable[one.which % Math.max(1, respendable.length)];
            if (!chosen) break;
            const script = one.away ? stranger.script : keys[chosen.owner]!.script(3, true);
            const amountSats = chosen.coin.amountSats - 50_000n - BigInt(one.which);
            if (amountSats < 1_000n) break;
            const other = keys[chosen.owner]!.spend([chosen.coin], [{ script, amountSats }]);
            if (await send(other.raw, one.direct)) known.push(other.txid);
            break;
          }
          case 'double-spend': {
            const coins = spent[one.which % Math.max(1, spent.length)];
            if (!coins) break;
            const other = stranger.spend({ coins, feeSats: 500_000n });
            await send(other.raw, one.direct);
            break;
          }
          case 'evict': {
            const txid = known[one.which % Math.max(1, known.length)];
            if (txid) await chain.evict(txid as never);
            break;
          }
          case 'mine':
            await chain.mine(one.count, one.to < 2 ? keys[one.to]!.scriptHex(one.count) : NOBODY);
            break;
          case 'reorg': {
            const exclude = known[one.exclude];
            await chain.reorganize(one.depth, {
              remine: one.remine,
              exclude: exclude === undefined ? [] : [exclude as never],
            });
            break;
          }
          case 'disconnect':
            await chain.disconnect(2);
            break;
          case 'restart':
            await world.stop();
            await chain.mine(1, NOBODY);
            world.start();
            break;
          case 'settle':
            await world.settle();
            break;
        }
        await expectSums(world, wallets);
      }
      await world.settle();
      await expectSums(world, wallets);
      for (const wallet of wallets) await expectMetricsOfEvents(world, wallet);

      const fresh = await openWorld({ chain, fromGenesis: true, ...(await store()) });
      const freshWallets = await withWallets(fresh);
      await fresh.begin();
      for (const [i, wallet] of wallets.entries()) {
        const followed = await facts(world, wallet);
        expect(followed).toEqual(await facts(fresh, freshWallets[i]!));
        expect(followed.balance.confirmedSats + followed.balance.immatureSats).toBeGreaterThanOrEqual(0n);
      }
      for (const one of [world, fresh]) {
        await one.stop();
        if (openStore) await one.store.close();
      }
    }),
    { numRuns },
  );
}
