/** A look at the mempool may be older than what is known by the time it is written down: what is known better stands. */
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import type { HdWallet } from './hd-wallet.ts';
import { pay, stranger, strangersAndAlice, type World } from './world.ts';

const BTC = 100_000_000n;

const sight = (world: World, ...transactions: readonly { raw: Uint8Array }[]) =>
  world.ledger.applyMempool(transactions.map(({ raw }) => parseTransaction(raw)));

/** Spends Alice's first coin of 1 BTC; half of it is paid, `change` stays hers. */
const spendFirst = (keys: HdWallet, deposit: { txid: string }, change: bigint) =>
  keys.spend(
    [{ txid: deposit.txid, vout: 0, amountSats: BTC, change: false, index: 0 }],
    [
      { script: stranger.script, amountSats: BTC / 2n },
      { script: keys.script(0, true), amountSats: change },
    ],
  );

/** Alice has a confirmed coin of 1 BTC, and the follower stands still. */
async function withConfirmedCoin() {
  const { world, strangers, keys, wallet } = await strangersAndAlice();
  const deposit = pay(strangers[0]!, keys.script(0), BTC);
  await world.chain.mineTransactions([deposit.raw]);
  await world.settle();
  return { world, strangers, keys, wallet, deposit };
}

describe('a late sighting in the mempool', () => {
  it.each([
    ['known before', true],
    ['never seen before', false],
  ])('of a deposit, %s, whose coins a block has spent otherwise is ignored', async (_, known) => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    const rival = pay(strangers[0]!, keys.script(1), 2n * BTC, 50_000n);
    if (known) await world.broadcast(deposit.raw);
    await world.settle();
    await world.chain.mineTransactions([rival.raw]);
    await world.settle();
    await world.stop();
    const told = await world.story(wallet);
    expect(await sight(world, deposit)).toMatchObject({ ignored: [deposit.txid], dead: [] });
    expect((await world.record(wallet, deposit.txid))?.status).toBe(known ? 'conflicted' : undefined);
    expect(await world.record(wallet, rival.txid)).toMatchObject({ status: 'confirmed' });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 2n * BTC, pendingSats: 0n });
    expect(await world.story(wallet)).toEqual(told);
  });

  it('of a spend of a coin that a block has spent otherwise is ignored', async () => {
    const { world, keys, wallet, deposit } = await withConfirmedCoin();
    const spent = spendFirst(keys, deposit, BTC / 4n);
    const late = spendFirst(keys, deposit, BTC / 3n);
    await world.chain.mineTransactions([spent.raw]);
    await world.settle();
    await world.stop();
    expect(await sight(world, late)).toMatchObject({ ignored: [late.txid], dead: [] });
    expect(await world.record(wallet, late.txid)).toBe(null);
    expect(await world.record(wallet, spent.txid)).toMatchObject({ status: 'confirmed' });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC / 4n, pendingSats: 0n });
  });

  it('of what is in a block by now changes nothing and says nothing', async () => {
    const { world, wallet, deposit } = await withConfirmedCoin();
    await world.stop();
    const told = await world.story(wallet);
    await sight(world, deposit);
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'confirmed' });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
    expect(await world.story(wallet)).toEqual(told);
  });

  it('of a child of a deposit that has been replaced is ignored, until the deposit is back', async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    await world.stop();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    const rival = pay(strangers[0]!, keys.script(1), 2n * BTC, 50_000n);
    const child = spendFirst(keys, deposit, BTC / 4n);
    await sight(world, deposit);
    expect(await sight(world, rival)).toMatchObject({ dead: [deposit.txid] });
    expect(await sight(world, child)).toMatchObject({ ignored: [child.txid], dead: [] });
    expect(await world.record(wallet, child.txid)).toBe(null);
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: 2n * BTC });
    expect(await sight(world, child, deposit)).toMatchObject({ ignored: [], dead: [rival.txid] });
    expect(await world.record(wallet, child.txid)).toMatchObject({ status: 'broadcast' });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: BTC / 4n });
  });

  it('of an own payment that was replaced, and replaced again, does not undo the replacement', async () => {
    const { world, keys, wallet, deposit } = await withConfirmedCoin();
    await world.stop();
    const payment = await world.commitOwn(wallet, spendFirst(keys, deposit, BTC / 3n));
    await sight(world, payment);
    // What the caller asked for stays as the record had it.
    const asked = { recipients: [], amountSats: 1n, feeSats: 1n };
    expect(await world.record(wallet, payment.txid)).toMatchObject({ status: 'broadcast', ...asked });
    const second = spendFirst(keys, deposit, BTC / 4n);
    await world.commitOwn(wallet, second, { replaces: payment.txid, kind: 'bump' });
    await sight(world, second);
    expect(await sight(world, payment)).toMatchObject({ ignored: [payment.txid], dead: [] });
    const third = spendFirst(keys, deposit, BTC / 5n);
    await world.commitOwn(wallet, third, { replaces: second.txid, kind: 'bump' });
    await sight(world, third);
    for (const late of [payment, second]) {
      expect(await sight(world, late)).toMatchObject({ ignored: [late.txid], dead: [] });
      expect(await world.record(wallet, late.txid)).toMatchObject({ status: 'replaced' });
    }
    expect(await world.record(wallet, third.txid)).toMatchObject({ status: 'broadcast' });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: BTC / 5n });
  });

  it("of a stranger's replacement is none: the newest word of the mempool counts, both ways", async () => {
    const { world, strangers, keys, wallet } = await strangersAndAlice();
    await world.stop();
    const deposit = pay(strangers[0]!, keys.script(0), BTC);
    const rival = pay(strangers[0]!, keys.script(1), 2n * BTC, 50_000n);
    for (const [now, before] of [
      [deposit, rival],
      [rival, deposit],
      [deposit, rival],
    ] as const) {
      expect(await sight(world, now)).toMatchObject({ ignored: [] });
      expect(await world.record(wallet, now.txid)).toMatchObject({ status: 'broadcast', replacedBy: null });
      expect((await world.record(wallet, before.txid))?.replacedBy ?? now.txid).toBe(now.txid);
      const pendingSats = now === deposit ? BTC : 2n * BTC;
      expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats });
    }
  });
});

describe('a late word that the mempool has lost a transaction', () => {
  it('ends no payment of ours, nor what a block has by now', async () => {
    const { world, keys, wallet, deposit } = await withConfirmedCoin();
    await world.stop();
    const payment = await world.commitOwn(wallet, spendFirst(keys, deposit, BTC / 4n));
    await sight(world, payment);
    const told = await world.story(wallet);
    expect(await world.ledger.leftMempool([deposit.txid as never, payment.txid])).toMatchObject({ dead: [] });
    expect(await world.record(wallet, deposit.txid)).toMatchObject({ status: 'confirmed' });
    expect(await world.record(wallet, payment.txid)).toMatchObject({ status: 'broadcast' });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: BTC / 4n });
    expect(await world.story(wallet)).toEqual(told);
  });
});
