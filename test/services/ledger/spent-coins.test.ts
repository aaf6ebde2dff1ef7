/** Which transaction has spent a coin, and at which height, whatever the order in which they become known. */
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { applyTransaction } from '../../../src/services/ledger/apply-transaction.ts';
import { noChanges } from '../../../src/services/ledger/changes.ts';
import { hdWallet } from './hd-wallet.ts';
import { NOBODY, pay, stranger, strangersAndAlice, type World } from './world.ts';

const BTC = 100_000_000n;

const coinOf = (deposit: { txid: string }, index = 0) => ({
  txid: deposit.txid,
  vout: 0,
  amountSats: BTC,
  change: false,
  index,
});

const sight = (world: World, transaction: { raw: Uint8Array }) =>
  world.ledger.applyMempool([parseTransaction(transaction.raw)]);

const coinAt = async (world: World, txid: string) => (await world.store.read.ledger.coinsOf(txid as never))[0];

async function depositAndSpend() {
  const made = await strangersAndAlice();
  await made.world.stop();
  const { strangers, keys } = made;
  const deposit = pay(strangers[0]!, keys.script(0), BTC);
  const outputs = [
    { script: stranger.script, amountSats: BTC / 2n },
    { script: keys.script(0, true), amountSats: BTC / 4n },
  ];
  return { ...made, deposit, spend: keys.spend([coinOf(deposit)], outputs) };
}

describe('a coin that becomes known after its spender', () => {
  it('is spent', async () => {
    const { world, wallet, deposit, spend } = await depositAndSpend();
    await sight(world, spend);
    expect(await world.record(wallet, spend.txid)).toMatchObject({ direction: 'incoming', feeSats: null });
    await sight(world, deposit);
    expect(await coinAt(world, deposit.txid)).toMatchObject({ spentBy: spend.txid, spentHeight: null });
    // Seen again, it is understood for what it is.
    await sight(world, spend);
    expect(await world.record(wallet, spend.txid)).toMatchObject({ direction: 'outgoing', feeSats: BTC / 4n });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: BTC / 4n });
  });

  it('is free where that spender has left the mempool', async () => {
    const { world, wallet, deposit, spend } = await depositAndSpend();
    await sight(world, spend);
    await world.ledger.leftMempool([spend.txid]);
    await sight(world, deposit);
    expect(await coinAt(world, deposit.txid)).toMatchObject({ spentBy: null });
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: BTC });
  });

  it('is spent at the height of the block that its spender is in', async () => {
    const { world, keys, strangers, wallet, deposit } = await depositAndSpend();
    const bobs = hdWallet('bob');
    const theirs = pay(strangers[1]!, bobs.script(0), BTC);
    // Both wallets pay; Bob's is not followed yet.
    const both = keys.spend([coinOf(deposit)], [{ script: stranger.script, amountSats: BTC - 1_000n }]);
    await world.chain.mineTransactions([deposit.raw, theirs.raw]);
    const found = (await world.chain.info()).height;
    world.start();
    await world.settle();
    const spend = await world.chain.mineTransactions([both.raw]);
    await world.settle();
    await world.stop();
    // A second wallet with Alice's keys, whose scan comes to the deposit only now.
    const second = await world.addWallet(wallet.accountId, keys);
    const header = (await world.chain.header((await world.chain.blockHashAt(found))!))!;
    const scriptPool = { topUp: async () => [] };
    await world.store.write((tx) =>
      applyTransaction(
        tx,
        parseTransaction(deposit.raw),
        header,
        { network: 'regtest', scriptPool, now: Date.now() },
        noChanges(),
      ),
    );
    const coins = await world.store.read.ledger.coinsOf(deposit.txid as never);
    expect(coins.map(({ walletId, spentBy, spentHeight }) => [walletId, spentBy, spentHeight])).toEqual([
      [wallet.walletId, both.txid, spend.height],
      [second.walletId, both.txid, spend.height],
    ]);
  });
});

describe('a block that is taken back', () => {
  it('leaves coins spent at no height, and tells children before parents', async () => {
    const { world, wallet, deposit, spend } = await depositAndSpend();
    await world.chain.mineTransactions([deposit.raw, spend.raw]);
    const { height } = await world.chain.info();
    world.start();
    await world.settle();
    await world.stop();
    expect(await coinAt(world, deposit.txid)).toMatchObject({ height, spentBy: spend.txid, spentHeight: height });
    const tip = (await world.store.read.ledger.tip())!;
    await world.ledger.disconnectBlock(tip.height, tip.hash);
    expect(await coinAt(world, deposit.txid)).toMatchObject({ height: null, spentBy: spend.txid, spentHeight: null });
    await world.store.write((tx) => tx.events.number(1_000));
    const events = await world.store.read.events.after(0n, 1_000, {
      accountId: wallet.accountId,
      channel: 'transactions',
    });
    const taken = events.filter((event) => event.retractsSeq !== null);
    expect(taken.map((event) => JSON.parse(event.data).txid)).toEqual([spend.txid, deposit.txid]);
  });

  it('takes back what was said of its coinbase', async () => {
    const { world, keys, wallet } = await strangersAndAlice(1);
    await world.chain.mine(1, keys.scriptHex(0));
    await world.settle();
    await world.chain.reorganize(1, { scriptPubKey: NOBODY });
    await world.settle();
    expect(await world.story(wallet)).toContain('-conflicted');
    expect(await world.balance(wallet)).toMatchObject({ confirmedSats: 0n, immatureSats: 0n });
  });
});
