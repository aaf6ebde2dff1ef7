/** Following blocks while others write, the chain turns and jobs fail: nothing that concerns a wallet is passed over. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createWatching } from '../../../src/chain/follower/watching.ts';
import { createSimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { blockHash, txid } from '../../../src/core/outpoint.ts';
import type { Store } from '../../../src/store/store.ts';
import { collectedLog } from '../../secrets/collected.ts';
import { hdWallet } from '../../services/ledger/hd-wallet.ts';
import { fundStranger, NOBODY, openWorld, pay, stranger, strangersAndAlice } from '../../services/ledger/world.ts';

const BTC = 100_000_000n;

/** Puts `around` about the next write job only. */
function aroundNextWrite(store: Store, around: (write: () => Promise<unknown>) => Promise<unknown>): void {
  const { write } = store;
  store.write = (async (job: Parameters<typeof write>[0]) => {
    store.write = write;
    return around(() => write(job));
  }) as typeof write;
}

describe('a block', () => {
  it('that pays an address committed after it was matched is gone over again', async () => {
    const { world, strangers } = await strangersAndAlice();
    const bob = { account: await world.addAccount('bob'), keys: hdWallet('bob') };
    let added: Promise<Awaited<ReturnType<typeof world.addWallet>>> | null = null;
    aroundNextWrite(world.store, async (connect) => {
      added = world.addWallet(bob.account, bob.keys);
      await added;
      return connect();
    });
    await world.chain.mineTransactions([pay(strangers[0]!, bob.keys.script(0), BTC).raw]);
    await world.settle();
    expect(await world.balance(await added!)).toMatchObject({ confirmedSats: BTC });
  });

  it('whose job was committed, though the answer was lost, is not connected twice nor stops the rest', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    aroundNextWrite(world.store, async (connect) => {
      await connect();
      throw new Error('the connection to the database was lost');
    });
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.chain.mineTransactions([deposit.raw]);
    await world.settle();
    await world.chain.mine(1, NOBODY);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
    expect(await world.story(wallet, [deposit.txid])).toEqual([expect.stringMatching(/^confirmed/)]);
  });

  it('that moves the gap does so for the blocks after it, fetched and matched together', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    await world.stop();
    await world.chain.mineTransactions([pay(strangers[0]!, keys.script(19), BTC).raw]);
    await world.chain.mineTransactions([pay(strangers[1]!, keys.script(39), 2n * BTC).raw]);
    world.start();
    await world.settle();
    await world.stop();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 3n * BTC });
  });

  it('that does not follow the tip is not connected', async () => {
    const { world, wallet } = await strangersAndAlice();
    await world.stop();
    const tip = (await world.store.read.ledger.tip())!;
    const told = await world.story(wallet);
    const rescan = () => [];
    const connect = (height: number, prevHash: string) =>
      world.ledger.connectBlocks(
        [{ ...tip, height, hash: blockHash('cd'.repeat(32)), prevHash: blockHash(prevHash), transactions: [], rescan }],
        async () => false,
      );
    await expect(connect(tip.height + 1, 'ab'.repeat(32))).rejects.toThrow(/does not follow the tip/);
    await expect(connect(tip.height + 2, tip.hash)).rejects.toThrow(/does not follow the tip/);
    expect(await world.store.read.ledger.tip()).toEqual(tip);
    expect(await world.story(wallet)).toEqual(told);
  });

  it('that moves the gap makes the mempool worth another look', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    // 0 to 19 are watched; using 19 brings 20 to 39.
    await world.broadcast(pay(strangers[0]!, keys.script(39), BTC).raw);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ pendingSats: 0n });
    await world.chain.mineTransactions([pay(strangers[1]!, keys.script(19), BTC).raw]);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: BTC });
  });
});

describe('a reorg', () => {
  it('after a restart, that spends a coin another way, is seen though the coin was spent when following began', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.chain.mineTransactions([deposit.raw]);
    await world.settle();
    const coin = { txid: deposit.txid, vout: 0, amountSats: BTC, change: false, index: 0 };
    const [spend, other] = [1_000n, 2_000n].map((feeSats) =>
      keys.spend([coin], [{ script: stranger.script, amountSats: BTC - feeSats }]),
    );
    await world.chain.mineTransactions([spend!.raw]);
    await world.settle();
    await world.stop();
    // Many coins later, so that a look at the newest ones alone does not come upon it.
    const [known] = await world.store.read.ledger.coinsOf(txid(deposit.txid));
    const bob = await world.addWallet(await world.addAccount('bob'), hdWallet('bob'));
    const { walletId, accountId } = bob;
    const later = Array.from({ length: 1_500 }, (_, vout) => ({
      ...known!,
      ...{ walletId, accountId, txid: txid('ab'.repeat(32)), vout, spentBy: null, spentHeight: null },
    }));
    await world.store.write((tx) => tx.ledger.insertCoins(later));
    world.start();
    await world.settle();
    await world.chain.reorganize(1, { exclude: [spend!.txid], include: [other!.raw] });
    await world.settle();
    expect(await world.record(wallet, other!.txid)).toMatchObject({ status: 'confirmed', feeSats: 2_000n });
    expect(await world.record(wallet, spend!.txid)).toMatchObject({ status: 'conflicted', replacedBy: other!.txid });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: 0n });
    await world.stop();
  });

  it('that gives a double-spent deposit back before the mempool was looked at shows it again', async () => {
    const chain = await createSimulatedChain({ clock: Date.now, randomBytes, log: collectedLog() });
    let beforeLook: (() => Promise<void>) | null = null;
    const world = await openWorld({
      chain: {
        ...chain,
        // Nothing is pushed, as with a server across the network.
        onNotification: () => () => {},
        mempoolTxids: async () => {
          const meanwhile = beforeLook;
          beforeLook = null;
          await meanwhile?.();
          return chain.mempoolTxids();
        },
      },
    });
    const [coin] = await fundStranger(chain, 1);
    const keys = hdWallet('alice');
    const wallet = await world.addWallet(await world.addAccount('alice'), keys);
    await world.begin();
    const deposit = pay(coin!, keys.script(0), BTC);
    const rival = pay(coin!, stranger.script, BTC, 50_000n);
    await world.broadcast(deposit.raw);
    await world.settle();
    await chain.mineTransactions([rival.raw]);
    beforeLook = async () => {
      await chain.reorganize(1, { exclude: [rival.txid as never] });
      await world.broadcast(deposit.raw);
    };
    await world.settle();
    expect(await chain.mempoolTxids()).toEqual([deposit.txid]);
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'broadcast', replacedBy: null });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: BTC });
    await world.stop();
    await chain.close();
  });
});

describe('a node that syncs anew', () => {
  it('and passes our blocks on its way takes none of them back', async () => {
    const chain = await createSimulatedChain({ clock: Date.now, randomBytes, log: collectedLog() });
    let behind = 0;
    const world = await openWorld({
      chain: {
        ...chain,
        async info() {
          const info = await chain.info();
          if (behind === 0) return info;
          const height = info.height - behind;
          return { ...info, height, bestBlockHash: (await chain.blockHashAt(height))!, syncing: true };
        },
        blockHashesAt: async (heights: readonly number[]) => {
          const top = (await chain.info()).height - behind;
          return (await chain.blockHashesAt(heights)).map((hash, i) => (heights[i]! > top ? null : hash));
        },
      },
    });
    const [coin] = await fundStranger(chain, 1);
    const keys = hdWallet('alice');
    const wallet = await world.addWallet(await world.addAccount('alice'), keys);
    await world.begin();
    await chain.mineTransactions([pay(coin!, keys.script(0), BTC).raw]);
    await world.settle();
    const told = await world.story(wallet);
    behind = 3;
    for (let looks = 0; looks < 4; looks++) await world.step();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
    expect(await world.story(wallet)).toEqual(told);
    expect(world.follower().status()).toMatchObject({ halted: null });
    await world.stop();
    await chain.close();
  });
});

describe('what is watched', () => {
  function ledgerOf(rows: { id: bigint; script: string }[]) {
    let looks = 0;
    return {
      looks: () => looks,
      async watchedScripts(after: bigint, take: (scripts: string[]) => void) {
        looks += 1;
        const found = rows.filter((row) => row.id > after);
        take(found.map((row) => row.script));
        return found.reduce((last, row) => (row.id > last ? row.id : last), after);
      },
      watchedOutpoints: async (after: bigint) => after,
      watchedFundings: async (after: bigint) => after,
      newestWatched: async () => `${rows.reduce((last, row) => (row.id > last ? row.id : last), 0n)}`,
      unconfirmedInputs: async () => [],
    };
  }

  it('takes in rows that become visible after ones with higher ids', async () => {
    const rows = [{ id: 5n, script: '51' }];
    const ledger = ledgerOf(rows);
    const watching = createWatching('postgres', randomBytes);
    await watching.reload(ledger);
    rows.push({ id: 3n, script: '52' });
    await watching.refresh(ledger);
    expect(watching.matcher.watchesScript('52')).toBe(true);
    rows.push({ id: 4n, script: '53' });
    expect(await watching.refreshWithin(ledger)).toBe(true);
    expect(watching.matcher.watchesScript('53')).toBe(true);
    expect(await watching.refreshWithin(ledger)).toBe(false);
  });

  it('is read on SQLite only where something was added', async () => {
    const rows = [{ id: 5n, script: '51' }];
    const ledger = ledgerOf(rows);
    const watching = createWatching('sqlite', randomBytes);
    await watching.reload(ledger);
    await watching.refresh(ledger);
    expect(await watching.refreshWithin(ledger)).toBe(false);
    expect(ledger.looks()).toBe(1);
    // Of a job that fails then: the same id comes again.
    rows.push({ id: 6n, script: '52' });
    expect(await watching.refreshWithin(ledger)).toBe(true);
    rows[1] = { id: 6n, script: '53' };
    await watching.refresh(ledger);
    expect(watching.matcher.watchesScript('53')).toBe(true);
    await watching.reload(ledger);
    expect(watching.matcher.watchesScript('53')).toBe(true);
    expect(watching.matcher.watchesScript('52')).toBe(false);
  });
});
