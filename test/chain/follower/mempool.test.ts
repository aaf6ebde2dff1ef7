/** What the mempool's follower remembers between two looks, and what it looks at again; the ledger behind it is the real one. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMempoolFollower } from '../../../src/chain/follower/mempool-follower.ts';
import { createOwnSends } from '../../../src/chain/follower/own-sends.ts';
import { createWatching } from '../../../src/chain/follower/watching.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { retireTransaction } from '../../../src/services/transactions/sending/retire-transaction.ts';
import type { HdCoin } from '../../services/ledger/hd-wallet.ts';
import { pay, stranger, strangersAndAlice } from '../../services/ledger/world.ts';

const BTC = 100_000_000n;

/** A mempool that holds what the test says, in that order, and Alice's wallet. */
async function mempoolOfAlice(options: { graceMs?: number } = {}) {
  const { world, strangers, keys, wallet } = await strangersAndAlice();
  await world.stop();
  const { ledger } = world.store.read;
  const watching = createWatching('sqlite', randomBytes);
  await watching.reload(ledger);
  let held: readonly { txid: string; raw: Uint8Array }[] = [];
  const fetched: string[] = [];
  let withheld: string | null = null;
  let now = 1_000_000;
  const ownSends = createOwnSends();
  const mempool = createMempoolFollower({
    chain: {
      info: world.chain.info,
      mempoolTxids: async () => held.map((one) => one.txid as Txid),
      async mempoolTransactions(txids) {
        fetched.push(...txids);
        return txids.map((txid) => (txid === withheld ? null : (held.find((one) => one.txid === txid)?.raw ?? null)));
      },
    },
    sink: world.ledger,
    ledger,
    watching,
    ownSends,
    clock: () => now,
    randomBytes,
    graceMs: options.graceMs ?? 0,
    onOwnMissing() {},
  });
  return {
    ...{ world, strangers, keys, wallet, mempool, ownSends, fetched },
    holds(...transactions: typeof held) {
      held = transactions;
    },
    withhold(txid: string | null) {
      withheld = txid;
    },
    async sync(laterMs = 0) {
      now += laterMs;
      await mempool.sync((await ledger.tip())!.hash);
    },
    /** The first use of an address brings new ones, and with them a second look at all. */
    async syncTwice() {
      for (let looks = 0; looks < 2; looks++) await mempool.sync((await ledger.tip())!.hash);
    },
    async push(raw: Uint8Array) {
      mempool.notify(raw);
      await mempool.takeNotified();
    },
    pending: async () => (await world.balance(wallet)).pendingSats,
  };
}

/** Alice's coin from output 0 of a payment to her, as she signs for it. */
const coinOf = (deposit: { txid: string }, index = 0): HdCoin => ({
  txid: deposit.txid,
  vout: 0,
  amountSats: BTC,
  change: false,
  index,
});

describe('a transaction that lost', () => {
  it('to a pushed one comes back where the mempool has it again at the next look', async () => {
    const { strangers, keys, holds, sync, push, pending, world, wallet } = await mempoolOfAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    const rival = pay(strangers[0]!, stranger.script, BTC, 50_000n);
    holds(deposit);
    await sync();
    holds(rival);
    await push(rival.raw);
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'replaced', replacedBy: rival.txid });
    expect(await pending()).toBe(0n);
    // The rival expired and the deposit was sent again, all between two looks.
    holds(deposit);
    await sync();
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'broadcast', replacedBy: null });
    expect(await pending()).toBe(BTC);
  });

  it('to a block is back with the next look once that block is taken back', async () => {
    const { strangers, keys, holds, sync, pending, world, wallet } = await mempoolOfAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    const rival = pay(strangers[0]!, keys.script(1), 2n * BTC, 50_000n);
    await world.chain.mineTransactions([rival.raw]);
    world.start();
    await world.settle();
    await world.stop();
    holds(deposit);
    await sync();
    expect(await world.record(wallet, deposit.txid)).toBe(null);
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 2n * BTC, pendingSats: 0n });
    const { height, hash } = (await world.store.read.ledger.tip())!;
    await world.ledger.disconnectBlock(height, hash);
    await sync();
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'broadcast' });
    expect(await world.record(wallet, rival.txid)).toMatchObject({ status: 'replaced' });
    expect(await pending()).toBe(BTC);
  });
});

describe('a payment that our replacement keeps out of the books', () => {
  it('is in them again once the replacement has ended', async () => {
    const { keys, strangers, holds, sync, pending, world, wallet } = await mempoolOfAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    const spend = (change: bigint) =>
      keys.spend([coinOf(deposit)], [{ script: keys.script(0, true), amountSats: change }]);
    holds(deposit);
    await sync();
    const payment = await world.commitOwn(wallet, spend(BTC / 2n));
    holds(deposit, payment);
    await sync();
    const bump = await world.commitOwn(wallet, spend(BTC / 3n), { replaces: payment.txid, kind: 'bump' });
    holds(deposit, bump);
    await sync();
    // The node has lost the replacement, and somebody sends the original again.
    holds(deposit, payment);
    await sync();
    expect(await world.record(wallet, payment.txid)).toMatchObject({ status: 'replaced', replacedBy: bump.txid });
    await world.store.write(async (tx) => {
      const record = (await tx.transactions.findForUpdate(wallet.accountId, bump.txid))!;
      await retireTransaction(tx, record, { status: 'failed', reason: 'the node refused it' }, Date.now());
    });
    await sync();
    expect(await world.record(wallet, payment.txid)).toMatchObject({ status: 'broadcast', replacedBy: null });
    expect(await pending()).toBe(BTC / 2n);
  });
});

describe('a payment that its sender wrote whole', () => {
  it('is not fetched, and is looked at again where another took its coins', async () => {
    const { strangers, keys, holds, sync, push, world, wallet, ownSends, fetched } = await mempoolOfAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    await world.chain.mineTransactions([deposit.raw]);
    world.start();
    await world.settle();
    await world.stop();
    const spend = (amountSats: bigint) => keys.spend([coinOf(deposit)], [{ script: stranger.script, amountSats }]);
    const payment = await world.commitOwn(wallet, spend(BTC / 2n));
    const ended = ownSends.begin(payment.txid);
    holds(payment);
    await push(payment.raw);
    ended(true);
    await sync();
    expect(fetched).toEqual([]);
    // Whoever has the keys too replaces it, and that is gone again between two looks.
    ownSends.begin(payment.txid)(true);
    const rival = spend(BTC / 3n);
    holds(rival);
    await push(rival.raw);
    expect(await world.record(wallet, payment.txid)).toMatchObject({ status: 'replaced', replacedBy: rival.txid });
    holds(payment);
    await sync();
    expect(await world.record(wallet, payment.txid)).toMatchObject({ status: 'broadcast', replacedBy: null });
  });
});

describe('a look at the mempool', () => {
  it('asks again for what was listed and not to be had', async () => {
    const { strangers, keys, holds, withhold, sync, pending } = await mempoolOfAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    holds(deposit);
    withhold(deposit.txid);
    await sync();
    expect(await pending()).toBe(0n);
    withhold(null);
    await sync();
    expect(await pending()).toBe(BTC);
  });

  it('understands chains listed children first, within a batch and across batches', async () => {
    const { strangers, keys, holds, sync, pending, world, wallet } = await mempoolOfAlice();
    const parents = [pay(strangers[0]!, keys.script(0), BTC), pay(strangers[1]!, keys.script(1), BTC)] as const;
    const away = (parent: { txid: string }, index: number) =>
      keys.spend([coinOf(parent, index)], [{ script: stranger.script, amountSats: BTC - 1_000n }]);
    const children = [away(parents[0], 0), away(parents[1], 1)] as const;
    // Of no concern to anybody: more than a batch of them.
    const others = Array.from({ length: 250 }, (_, vout) =>
      stranger.spend({ coins: [{ txid: 'ab'.repeat(32), vout, amountSats: BTC }] }),
    );
    holds(children[0], parents[0], children[1], ...others, parents[1]);
    await sync();
    for (const child of children) {
      expect(await world.record(wallet, child.txid)).toMatchObject({ direction: 'outgoing', feeSats: 1_000n });
    }
    expect(await pending()).toBe(0n);
  });

  it('finds what pays scripts that a deposit among the new ones brought', async () => {
    const { strangers, keys, holds, sync, pending } = await mempoolOfAlice();
    // 0 to 19 are watched; using 19 brings 20 to 39.
    const beyond = pay(strangers[0]!, keys.script(39), BTC);
    holds(beyond);
    await sync();
    expect(await pending()).toBe(0n);
    holds(beyond, pay(strangers[1]!, keys.script(19), BTC));
    await sync();
    await sync();
    expect(await pending()).toBe(2n * BTC);
  });
});

describe('a deposit that the mempool does not hold', () => {
  it('is gone when it was missing all the time of grace, counted anew after each return', async () => {
    const { strangers, keys, holds, sync, syncTwice, pending, world, wallet } = await mempoolOfAlice({
      graceMs: 1_000,
    });
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    holds(deposit);
    await syncTwice();
    holds();
    await sync(10);
    await sync(900);
    holds(deposit);
    await sync(10);
    holds();
    await sync(200);
    await sync(900);
    expect(await pending()).toBe(BTC);
    await sync(100);
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'abandoned' });
    expect(await pending()).toBe(0n);
  });

  it('is not gone on the word of a mempool that is of a later block', async () => {
    const { strangers, keys, holds, sync, syncTwice, pending, world, wallet } = await mempoolOfAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    holds(deposit);
    await syncTwice();
    await world.chain.mineTransactions([deposit.raw]);
    holds();
    await sync();
    expect(await pending()).toBe(BTC);
    // The next look is of that block.
    world.start();
    await world.settle();
    await world.stop();
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
    expect(await world.story(wallet, [deposit.txid])).toEqual(['broadcast', expect.stringMatching(/^confirmed/)]);
  });
});
