/** What happens to money on a chain, by name; on the simulated chain, with the real follower, ledger and store. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { DomainError } from '../../../src/core/errors.ts';
import { collectedLog } from '../../secrets/collected.ts';
import type { HdCoin } from './hd-wallet.ts';
import { hdWallet } from './hd-wallet.ts';
import { fundStranger, NOBODY, openWorld, pay, stranger, strangersAndAlice, type World } from './world.ts';

const BTC = 100_000_000n;

const at = (txid: string, vout: number, amountSats: bigint, index: number, change = false): HdCoin => ({
  txid,
  vout,
  amountSats,
  index,
  change,
});

describe('a deposit', () => {
  it('is pending in the mempool and confirmed in a block, each said once', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.broadcast(deposit.raw);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: BTC });
    expect(await world.record(wallet, deposit.txid)).toMatchObject({
      status: 'broadcast',
      direction: 'incoming',
      kind: 'deposit',
      amountSats: BTC,
      feeSats: null,
      recipients: [{ amountSats: BTC, address: expect.stringMatching(/^bcrt1q/) }],
      rbf: true,
      raw: null,
    });
    const [block] = await world.chain.mine(1, NOBODY);
    await world.settle();
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
    expect(await world.record(wallet, deposit.txid)).toMatchObject({
      status: 'confirmed',
      blockHeight: block!.height,
      blockHash: block!.hash,
    });
    expect(await world.story(wallet)).toEqual(['broadcast', `block ${block!.height}`, `confirmed ${block!.height}`]);
    const { walletId } = wallet;
    expect(await world.deposits()).toEqual([
      { txid: deposit.txid, wallet_id: walletId, amount: '1.00000000', block_height: null },
    ]);
  });

  it('that no mempool showed before is found in its block', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(3), BTC);
    await world.chain.mineTransactions([deposit.raw]);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC });
  });

  it('replaced by a transaction that pays us nothing is replaced, and conflicted once that is in a block', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    const other = pay(strangers[0]!, stranger.script, BTC, 50_000n);
    await world.broadcast(deposit.raw);
    await world.settle();
    await world.broadcast(other.raw);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: 0n });
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'replaced', replacedBy: other.txid });
    await world.chain.mine(1, NOBODY);
    await world.settle();
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'conflicted', replacedBy: other.txid });
    expect(await world.story(wallet, [deposit.txid])).toEqual(['broadcast', 'replaced', 'conflicted']);
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: 0n });
  });

  it('double-spent in a block that nobody saw coming is conflicted', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.broadcast(deposit.raw);
    await world.settle();
    await world.chain.mineTransactions([pay(strangers[0]!, stranger.script, BTC).raw]);
    await world.settle();
    expect(await world.story(wallet, [deposit.txid])).toEqual(['broadcast', 'conflicted']);
    expect(await world.balance(wallet)).toMatchObject({ pendingSats: 0n });
  });

  it('evicted from the mempool is abandoned, and pending again when it is seen again', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.broadcast(deposit.raw);
    await world.settle();
    await world.chain.evict(deposit.txid as never);
    await world.settle();
    expect(await world.record(wallet, deposit.txid)).toMatchObject({
      status: 'abandoned',
      reason: expect.stringMatching(/left the mempool/),
    });
    expect(await world.balance(wallet)).toMatchObject({ pendingSats: 0n });
    await world.broadcast(deposit.raw);
    await world.settle();
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'broadcast', reason: null });
    expect(await world.balance(wallet)).toMatchObject({ pendingSats: BTC });
    expect(await world.story(wallet, [deposit.txid])).toEqual(['broadcast', 'abandoned', 'broadcast']);
  });

  it('is given a while before it counts as gone from the mempool', async () => {
    const world = await openWorld({ graceMs: 60_000 });
    const [coin] = await fundStranger(world.chain, 1);
    const keys = hdWallet('alice');
    const wallet = await world.addWallet(await world.addAccount('alice'), keys);
    await world.begin();
    const deposit = pay(coin!, keys.script(0), BTC);
    await world.broadcast(deposit.raw);
    await world.settle();
    await world.chain.evict(deposit.txid as never);
    await world.settle();
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'broadcast' });
  });

  it('re-mined at another height moves there', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.broadcast(deposit.raw);
    const [block] = await world.chain.mine(1, NOBODY);
    await world.settle();
    const height = block!.height;
    await world.chain.reorganize(1);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: BTC });
    await world.chain.mine(1, NOBODY);
    await world.settle();
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'confirmed', blockHeight: height + 2 });
    const story = await world.story(wallet);
    expect(story.slice(story.indexOf(`confirmed ${height}`))).toEqual([
      `confirmed ${height}`,
      '-broadcast',
      `-block ${height}`,
      `block ${height}`,
      `block ${height + 1}`,
      `block ${height + 2}`,
      `confirmed ${height + 2}`,
    ]);
  });

  it('below 1,000 satoshis to a used address is frozen, to a fresh one not', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    await world.broadcast(pay(strangers[0]!, keys.script(0), BTC).raw);
    await world.chain.mine(1, NOBODY);
    await world.settle();
    await world.broadcast(pay(strangers[1]!, keys.script(0), 999n).raw);
    await world.broadcast(pay(strangers[2]!, keys.script(1), 999n).raw);
    await world.settle();
    const tiny = (await world.coins(wallet)).filter((coin) => coin.amountSats === 999n);
    expect(tiny.map((coin) => [coin.index, coin.frozen]).sort()).toEqual([
      [0, true],
      [1, false],
    ]);
  });

  it('to a coinbase is immature for 100 blocks, and ends with its block', async () => {
    const { world, keys, wallet } = await strangersAndAlice(1);
    const [block] = await world.chain.mine(1, keys.scriptHex(0));
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, immatureSats: 50n * BTC });
    await world.chain.mine(98, NOBODY);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n });
    await world.chain.mine(1, NOBODY);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 50n * BTC, immatureSats: 0n });
    const [coin] = await world.coins(wallet);
    const spend = keys.spend([coin!], [{ script: keys.script(1), amountSats: 49n * BTC }]);
    await world.broadcast(spend.raw);
    await world.chain.mine(1, NOBODY);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 49n * BTC });
    await world.chain.reorganize(101);
    await world.settle();
    expect(await world.record(wallet, coin!.txid)).toMatchObject({
      status: 'conflicted',
      blockHeight: null,
      reason: expect.stringContaining(block!.hash),
    });
    expect(await world.record(wallet, spend.txid)).toMatchObject({ status: 'conflicted' });
    const nothing = { confirmedSats: 0n, immatureSats: 0n, pendingSats: 0n, lockedSats: 0n };
    expect(await world.balance(wallet)).toEqual(nothing);
  });
});

describe('chains of transactions', () => {
  it('within one block, and from one block to the next, are followed though nothing was seen before', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    await world.stop();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    const first = keys.spend(
      [at(deposit.txid, 0, BTC, 0)],
      [
        { script: stranger.script, amountSats: BTC / 4n },
        { script: keys.script(0, true), amountSats: BTC / 2n },
      ],
    );
    const second = keys.spend(
      [at(first.txid, 1, BTC / 2n, 0, true)],
      [{ script: stranger.script, amountSats: BTC / 2n - 500n }],
    );
    await world.chain.mineTransactions([deposit.raw, first.raw]);
    await world.chain.mineTransactions([second.raw]);
    world.start();
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: 0n });
    expect(await world.record(wallet, first.txid)).toMatchObject({
      direction: 'outgoing',
      kind: 'payment',
      amountSats: BTC / 4n,
      feeSats: BTC / 4n,
    });
    expect(await world.record(wallet, second.txid)).toMatchObject({ status: 'confirmed', feeSats: 500n });
    await world.stop();
  });

  it('in the mempool are understood whatever the order in which they come', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    const spend = keys.spend([at(deposit.txid, 0, BTC, 0)], [{ script: stranger.script, amountSats: BTC - 1_000n }]);
    await world.ledger.applyMempool([parseTransaction(spend.raw), parseTransaction(deposit.raw)]);
    expect(await world.balance(wallet)).toMatchObject({ pendingSats: 0n });
    expect(await world.record(wallet, spend.txid)).toMatchObject({ direction: 'outgoing', feeSats: 1_000n });
  });

  it('to addresses beyond the gap, in the very block that moves it, are found', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    // 0 to 19 are watched; using 19 brings 39, using that brings 59.
    await world.chain.mineTransactions([
      pay(strangers[0]!, keys.script(59), 3n * BTC).raw,
      pay(strangers[1]!, keys.script(39), 2n * BTC).raw,
      pay(strangers[2]!, keys.script(19), BTC).raw,
    ]);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 6n * BTC });
  });

  it('end together: a deposit that is replaced takes with it what was built on it', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.broadcast(pay(strangers[1]!, keys.script(1), 2n * BTC).raw);
    await world.chain.mine(1, NOBODY);
    await world.broadcast(deposit.raw);
    await world.settle();
    const safe = (await world.coins(wallet)).find((coin) => coin.amountSats === 2n * BTC)!;
    const built = keys.spend(
      [at(deposit.txid, 0, BTC, 0), safe],
      [{ script: stranger.script, amountSats: 3n * BTC - 1_000n }],
    );
    await world.broadcast(built.raw);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: 0n });
    await world.broadcast(pay(strangers[0]!, stranger.script, BTC, 90_000n).raw);
    await world.settle();
    expect(await world.record(wallet, built.txid)).toMatchObject({ status: 'replaced' });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 2n * BTC, pendingSats: 0n });
  });
});

describe('reorgs', () => {
  it.each([1, 2, 3, 4, 5, 6])('of %i blocks take back what was confirmed, and tell it backwards', async (depth) => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.broadcast(deposit.raw);
    const [first] = await world.chain.mine(1, NOBODY);
    await world.settle();
    const spend = keys.spend(
      [at(deposit.txid, 0, BTC, 0)],
      [
        { script: stranger.script, amountSats: BTC / 4n },
        { script: keys.script(0, true), amountSats: BTC / 2n },
      ],
    );
    await world.broadcast(spend.raw);
    if (depth > 1) await world.chain.mine(depth - 1, NOBODY);
    await world.settle();
    await world.chain.reorganize(depth);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: BTC / 2n });
    for (const txid of [deposit.txid, spend.txid]) {
      expect(await world.record(wallet, txid)).toMatchObject({
        status: 'broadcast',
        blockHeight: null,
        blockHash: null,
      });
    }
    const told = (await world.story(wallet)).filter((one) => one.startsWith('-'));
    expect(told.filter((one) => one.startsWith('-block'))).toEqual(
      Array.from({ length: depth }, (_, i) => `-block ${first!.height + depth - 1 - i}`),
    );
    await world.chain.mine(1, NOBODY);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC / 2n, pendingSats: 0n });
  });

  it.each([1, 2, 3, 4, 5, 6])('of %i blocks while the service was down are walked back at its start', async (depth) => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.broadcast(deposit.raw);
    await world.chain.mine(depth, NOBODY);
    await world.settle();
    await world.stop();
    await world.chain.reorganize(depth, {
      exclude: [deposit.txid as never],
      include: [pay(strangers[0]!, stranger.script, BTC).raw],
    });
    await world.chain.mine(2, NOBODY);
    world.start();
    await world.settle();
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'conflicted' });
    const nothing = { confirmedSats: 0n, immatureSats: 0n, pendingSats: 0n, lockedSats: 0n };
    expect(await world.balance(wallet)).toEqual(nothing);
    await world.stop();
  });

  it('deeper than the blocks followed halt spending and leave the records as they are', async () => {
    const world = await openWorld();
    await fundStranger(world.chain, 1);
    const { height, bestBlockHash: hash } = await world.chain.info();
    const header = (await world.chain.header(hash))!;
    await world.ledger.begin([
      { height, hash, prevHash: header.prevHash, time: header.time, medianTime: header.medianTime },
    ]);
    await world.begin();
    await world.stop();
    await world.chain.reorganize(3);
    world.start();
    await expect.poll(() => world.follower().status().halted).toMatch(/no block in common/);
    expect(await world.ledger.halted()).toMatch(/no block in common/);
    expect((await world.store.read.ledger.tip())?.hash).toBe(hash);
    await world.stop();
  });
});

describe('a halt', () => {
  it('comes with blocks that the source no longer has, and ends when they are to be had', async () => {
    const chain = await createSimulatedChain({ clock: Date.now, randomBytes, log: collectedLog() });
    let pruned = false;
    const world = await openWorld({
      chain: {
        ...chain,
        blocks: async (hashes: Parameters<typeof chain.blocks>[0]) => {
          if (pruned) throw new DomainError('source_incapable', 'this node has pruned the block');
          return chain.blocks(hashes);
        },
      },
    });
    await chain.mine(10, NOBODY);
    await world.begin();
    pruned = true;
    await chain.reorganize(3);
    await expect.poll(() => world.follower().status().halted).toMatch(/pruned/);
    expect(await world.ledger.halted()).toMatch(/pruned/);
    pruned = false;
    await world.settle();
    expect(world.follower().status()).toMatchObject({ halted: null, lag: 0 });
    expect(await world.ledger.halted()).toBe(null);
    await world.stop();
    await chain.close();
  });

  it('outlives a restart and ends when the chain can be followed again', async () => {
    const { world } = await strangersAndAlice(1);
    await world.stop();
    await world.ledger.setHalt('the chain turned back too far');
    expect(await world.ledger.halted()).toBe('the chain turned back too far');
    world.start();
    await world.settle();
    expect(world.follower().status().halted).toBe(null);
    expect(await world.ledger.halted()).toBe(null);
    await world.stop();
  });
});

describe('several owners', () => {
  async function aliceAndBob(world: World) {
    const [accountA, accountB] = [await world.addAccount('alice'), await world.addAccount('bob')];
    const keys = { a: hdWallet('alice'), b: hdWallet('bob') };
    const wallets = { a: await world.addWallet(accountA, keys.a), b: await world.addWallet(accountB, keys.b) };
    return { keys, wallets };
  }

  it('an account that pays another: outgoing for one, a foreign deposit for the other', async () => {
    const world = await openWorld();
    const strangers = await fundStranger(world.chain, 1);
    const { keys, wallets } = await aliceAndBob(world);
    await world.begin();
    const deposit = pay(strangers[0]!, keys.a.script(0), BTC);
    await world.broadcast(deposit.raw);
    await world.chain.mine(1, NOBODY);
    await world.settle();
    const payment = await world.commitOwn(
      wallets.a,
      keys.a.spend(
        [at(deposit.txid, 0, BTC, 0)],
        [
          { script: keys.b.script(0), amountSats: BTC / 4n },
          { script: keys.a.script(0, true), amountSats: BTC / 2n },
        ],
      ),
    );
    await world.broadcast(payment.raw);
    await world.settle();
    expect(await world.record(wallets.a, payment.txid)).toMatchObject({ status: 'broadcast', kind: 'payment' });
    expect(await world.record(wallets.b, payment.txid)).toMatchObject({
      status: 'broadcast',
      kind: 'deposit',
      direction: 'incoming',
      feeSats: null,
      raw: null,
    });
    expect((await world.coins(wallets.b))[0]).toMatchObject({ own: false });
    expect((await world.coins(wallets.a))[0]).toMatchObject({ own: true, change: true });

    // Lost from the mempool, it is still Alice's payment, and will be sent again: Bob's record waits with it.
    const missing: unknown[] = [];
    world.follower().onOwnMissing((one) => missing.push(...one));
    await world.chain.evict(payment.txid);
    await world.settle();
    expect(missing).toContainEqual({ accountId: wallets.a.accountId, txid: payment.txid });
    expect(await world.record(wallets.b, payment.txid)).toMatchObject({ status: 'broadcast' });
    await world.chain.mineTransactions([payment.raw]);
    await world.settle();
    expect(await world.balance(wallets.a)).toMatchObject({ confirmedSats: BTC / 2n });
    expect(await world.balance(wallets.b)).toMatchObject({ confirmedSats: BTC / 4n });
    expect(await world.story(wallets.b, [payment.txid])).toEqual(['broadcast', expect.stringMatching(/^confirmed/)]);
  });

  it('the same script in two wallets of one account and in another account counts in each', async () => {
    const world = await openWorld();
    const strangers = await fundStranger(world.chain, 1);
    const [account, other] = [await world.addAccount('alice'), await world.addAccount('auditor')];
    const keys = hdWallet('alice');
    const wallets = [
      await world.addWallet(account, keys),
      await world.addWallet(account, keys),
      await world.addWallet(other, keys),
    ] as const;
    await world.begin();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.broadcast(deposit.raw);
    await world.settle();
    for (const wallet of wallets) expect(await world.balance(wallet)).toMatchObject({ pendingSats: BTC });
    expect(await world.record(wallets[0], deposit.txid)).toMatchObject({ amountSats: BTC });
    const spend = keys.spend([at(deposit.txid, 0, BTC, 0)], [{ script: stranger.script, amountSats: BTC - 700n }]);
    await world.broadcast(spend.raw);
    await world.chain.mine(1, NOBODY);
    await world.settle();
    for (const wallet of wallets) {
      expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: 0n });
      expect(await world.record(wallet, spend.txid)).toMatchObject({ amountSats: BTC - 700n, feeSats: 700n });
    }
    const effects = await world.store.read.transactions.effects(account, spend.txid);
    expect(effects.map((effect) => effect.sentSats)).toEqual([BTC, BTC]);
  });
});

describe('own payments and their replacements', () => {
  async function paidOnce() {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.broadcast(deposit.raw);
    await world.chain.mine(1, NOBODY);
    await world.settle();
    const outputs = (change: bigint) => [
      { script: stranger.script, amountSats: BTC / 4n },
      { script: keys.script(0, true), amountSats: change },
    ];
    const coin = at(deposit.txid, 0, BTC, 0);
    const payment = await world.commitOwn(wallet, keys.spend([coin], outputs(BTC / 2n)));
    const bump = keys.spend([coin], outputs(BTC / 3n));
    return { world, keys, wallet, coin, payment, bump };
  }

  it('a replacement that is signed and not sent yet is not undone by the sight of what it replaces', async () => {
    const { world, wallet, payment, bump } = await paidOnce();
    await world.stop();
    await world.broadcast(payment.raw);
    await world.commitOwn(wallet, bump, { replaces: payment.txid, kind: 'bump' });
    world.start();
    await world.settle();
    expect(await world.record(wallet, bump.txid)).toMatchObject({ status: 'signed' });
    await world.broadcast(bump.raw);
    await world.settle();
    expect(await world.record(wallet, bump.txid)).toMatchObject({ status: 'broadcast' });
    expect(await world.record(wallet, payment.txid)).toMatchObject({ status: 'replaced', replacedBy: bump.txid });
    await world.chain.mine(1, NOBODY);
    await world.settle();
    expect(await world.record(wallet, payment.txid)).toMatchObject({ status: 'replaced', replacedBy: bump.txid });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC / 3n, pendingSats: 0n });
    await world.stop();
  });

  it('a payment that confirms after all, though it was replaced, wins', async () => {
    const { world, wallet, payment, bump } = await paidOnce();
    await world.broadcast(payment.raw);
    await world.settle();
    await world.commitOwn(wallet, bump, { replaces: payment.txid, kind: 'bump' });
    await world.broadcast(bump.raw);
    await world.settle();
    await world.chain.mineTransactions([payment.raw]);
    await world.settle();
    expect(await world.record(wallet, payment.txid)).toMatchObject({
      status: 'confirmed',
      replacedBy: null,
      reason: null,
    });
    expect(await world.record(wallet, bump.txid)).toMatchObject({ status: 'conflicted', replacedBy: payment.txid });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC / 2n, pendingSats: 0n });
    expect(await world.story(wallet, [payment.txid])).toEqual([
      'signed',
      'broadcast',
      'replaced',
      expect.stringMatching(/^confirmed/),
    ]);
  });

  it('a reorg leaves an own payment alive for sending again', async () => {
    const { world, wallet, payment } = await paidOnce();
    await world.chain.mineTransactions([payment.raw]);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC / 2n });
    await world.chain.reorganize(1, { exclude: [payment.txid] });
    await world.settle();
    expect(await world.record(wallet, payment.txid)).toMatchObject({ status: 'broadcast', blockHeight: null });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: BTC / 2n });
  });
});

describe('the follower', () => {
  it('goes on where it was after a restart, counting nothing twice', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    await world.broadcast(pay(strangers[0]!, keys.script(0), BTC).raw);
    await world.settle();
    await world.stop();
    await world.chain.mine(30, NOBODY);
    await world.broadcast(pay(strangers[1]!, keys.script(1), BTC).raw);
    world.start();
    await world.settle();
    await world.stop();
    world.start();
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: BTC });
    const story = await world.story(wallet);
    expect(story.filter((one) => one.startsWith('block'))).toHaveLength(30);
    expect(story.filter((one) => one.startsWith('broadcast'))).toHaveLength(2);
    await world.stop();
  });

  it('waits for a source that is away and is back by itself', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    world.chain.setReachable(false);
    await expect.poll(() => world.follower().status().problem).toMatch(/does not answer/);
    world.chain.setReachable(true);
    await world.broadcast(pay(strangers[0]!, keys.script(0), BTC).raw);
    await expect.poll(() => world.follower().status().problem).toBe(null);
    await world.settle();
    expect(await world.balance(wallet)).toMatchObject({ pendingSats: BTC });
  });

  it('tells listeners of a new tip once its effects are committed', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    const seen: Promise<unknown>[] = [];
    world
      .follower()
      .onTip((tip) => seen.push(world.record(wallet, deposit.txid).then((one) => [tip.height, one?.blockHeight])));
    await world.chain.mineTransactions([deposit.raw]);
    const { height } = await world.chain.info();
    await world.settle();
    expect(await Promise.all(seen)).toEqual([[height, height]]);
  });

  it('finds in the mempool what scripts added meanwhile are paid, when asked to look again', async () => {
    const { world, strangers } = await strangersAndAlice();
    const late = hdWallet('late');
    await world.broadcast(pay(strangers[0]!, late.script(0), BTC).raw);
    await world.settle();
    const wallet = await world.addWallet(await world.addAccount('late'), late);
    await world.follower().refreshMempool();
    expect(await world.balance(wallet)).toMatchObject({ pendingSats: BTC });
  });
});
