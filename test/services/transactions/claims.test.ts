/** A coin belongs to one living transaction, whatever the chain and the callers do between two steps of a payment. */
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { DomainError } from '../../../src/core/errors.ts';
import { type BlockHash, outpointKey } from '../../../src/core/outpoint.ts';
import { createAbandonTransaction } from '../../../src/services/transactions/abandon-transaction.ts';
import { hdWallet } from '../ledger/hd-wallet.ts';
import { fundStranger, openWorld, stranger } from '../ledger/world.ts';
import { BTC, openPayments, outsider, type Payments, rate } from './payments-setup.ts';

type Wallet = Parameters<Payments['pay']>[0];
const create = (p: Payments, wallet: Wallet, sats: bigint | 'max', more = {}) =>
  p.transactions.create(p.pay(wallet, sats, more), { dryRun: false }, p.context());
const statusOf = async (p: Payments, txid: string) => (await p.transactions.get(txid as never, p.context())).status;

async function funded(coins: readonly bigint[]) {
  const p = await openPayments();
  const wallet = await p.newWallet();
  await p.fund(wallet, coins);
  return { p, wallet };
}

/** Runs `meanwhile` between the building of the next transaction and its commit. */
async function beforeNextCommit(p: Payments, meanwhile: () => Promise<unknown>): Promise<void> {
  // The follower, which writes too, has nothing left to write.
  await p.settle();
  const { write } = p.store;
  p.store.write = async (job) => {
    p.store.write = write;
    await meanwhile();
    return write(job);
  };
}

describe('a bump whose original ends before the commit', () => {
  it('in a block: refused, and the coins stay with the original', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    await beforeNextCommit(p, () => p.mine());
    await expect(p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context())).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('confirmed'),
    });
    const left = (BTC * 3n) / 4n - first.feeSats!;
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: left, pendingSats: 0n });
    const tip = (await p.store.read.ledger.tip())!.height;
    expect(await p.store.read.coins.balanceAt(p.accountId, wallet.walletId, tip)).toMatchObject({
      confirmedSats: left,
    });
    expect((await create(p, wallet, BTC / 4n)).status).toBe('broadcast');
  });

  it('abandoned: refused', async () => {
    const { p, wallet } = await funded([BTC]);
    p.onBroadcast(() => 'unreachable');
    const first = await create(p, wallet, BTC / 4n);
    await beforeNextCommit(p, () => p.transactions.abandon(first.txid, p.context()));
    await expect(p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context())).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('abandoned'),
    });
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
  });
});

describe('a replacement that no node has taken yet and that loses', () => {
  it('to the original in a block: what was built on that has its coin again', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    p.onBroadcast(() => 'unreachable');
    const child = await create(p, wallet, BTC / 8n, {
      recipients: [{ address: outsider('second'), amount: BTC / 8n }],
    });
    const all = await p.transactions.bump(first.txid, { feeRate: rate('30'), replaceDescendants: true }, p.context());
    expect([child.status, all.status]).toEqual(['signed', 'signed']);
    await p.chain.mineTransactions([first.raw!]);
    await p.settle();
    expect(await statusOf(p, all.txid)).toBe('conflicted');
    expect(await statusOf(p, child.txid)).toBe('signed');
    const coin = parseTransaction(child.raw!).inputs[0]!.prev;
    expect(await p.store.read.coins.findMany(p.accountId, [coin])).toMatchObject([{ spentBy: child.txid }]);
    p.onBroadcast(() => 'pass');
    await p.broadcaster.resend();
    expect(await p.mempool()).toEqual([child.txid]);
    expect(await p.balance(wallet)).toMatchObject({
      confirmedSats: 0n,
      pendingSats: BTC - BTC / 4n - BTC / 8n - first.feeSats! - child.feeSats!,
    });
  });

  it('to a stranger who spends only what it added: the original has its coins again', async () => {
    const world = await openWorld();
    const [theirs] = await fundStranger(world.chain, 1);
    const keys = hdWallet('claims');
    const wallet = await world.addWallet(await world.addAccount('claims'), keys);
    await world.begin();
    const deposit = stranger.spend({
      coins: [theirs!],
      outputs: [
        { script: keys.script(0), amountSats: BTC },
        { script: keys.script(1), amountSats: BTC },
        { script: stranger.script, amountSats: theirs!.amountSats - 2n * BTC - 1_000n },
      ],
    });
    await world.broadcast(deposit.raw);
    await world.chain.mine(1, stranger.scriptHex);
    await world.settle();
    const at = (vout: number) => ({ txid: deposit.txid, vout, amountSats: BTC, change: false, index: vout });
    const away = [{ script: stranger.script, amountSats: BTC / 2n }];
    const payment = await world.commitOwn(wallet, keys.spend([at(0)], away));
    await world.broadcast(payment.raw);
    await world.settle();
    await world.commitOwn(wallet, keys.spend([at(0), at(1)], away), { replaces: payment.txid, kind: 'bump' });
    // Another program with the same keys.
    const elsewhere = keys.spend([at(1)], away);
    await world.broadcast(elsewhere.raw);
    await world.settle();
    expect(await world.record(wallet, payment.txid)).toMatchObject({ status: 'broadcast' });
    expect(await world.store.read.ledger.coinsAt([at(0) as never, at(1) as never])).toMatchObject([
      { spentBy: payment.txid },
      { spentBy: elsewhere.txid },
    ]);
    await world.stop();
  });
});

describe('abandon', () => {
  it('of what is being replaced is refused, naming the replacement', async () => {
    const { p, wallet } = await funded([BTC]);
    p.onBroadcast(() => 'unreachable');
    const first = await create(p, wallet, BTC / 4n);
    const second = await p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context());
    await expect(p.transactions.abandon(first.txid, p.context())).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining(second.txid),
    });
    expect((await p.transactions.abandon(second.txid, p.context())).status).toBe('abandoned');
    expect((await p.transactions.abandon(first.txid, p.context())).status).toBe('abandoned');
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
  });
});

describe('abandon, where the source cannot look up transactions in blocks', () => {
  it('waits until the blocks there are have been followed', async () => {
    const { p, wallet } = await funded([BTC]);
    p.onBroadcast(() => 'unreachable');
    const paid = await create(p, wallet, BTC / 4n);
    const unknown = async () => {
      throw new DomainError('no_index', 'no index');
    };
    let bestBlockHash = (await p.chain.info()).bestBlockHash;
    const abandon = createAbandonTransaction({
      store: p.store,
      chain: {
        mempoolEntry: async () => null,
        transaction: unknown,
        info: async () => ({ ...(await p.chain.info()), bestBlockHash }),
      },
      sender: { locked: (_, work) => work() },
      clock: Date.now,
    });
    const followed = bestBlockHash;
    bestBlockHash = 'ab'.repeat(32) as BlockHash;
    await expect(abandon(paid.txid, p.context())).rejects.toMatchObject({
      code: 'state_conflict',
      details: { retryAfterSeconds: 1 },
    });
    bestBlockHash = followed;
    expect((await abandon(paid.txid, p.context())).status).toBe('abandoned');
  });
});

describe('cpfp', () => {
  it('leaves a frozen output alone', async () => {
    const { p, wallet } = await funded([BTC]);
    const txid = await p.fund(wallet, [BTC / 2n], { confirm: false });
    const [coin] = await p.store.read.ledger.coinsOf(txid);
    await p.store.write((tx) => tx.coins.setFlags(p.accountId, wallet.walletId, coin!, { frozen: true }));
    await expect(p.transactions.cpfp(txid, { feeRate: rate('40') }, p.context())).rejects.toMatchObject({
      code: 'nothing_to_spend',
    });
  });
});

describe('payments that ask for the same coin at the same time', () => {
  it('by including a frozen one: one is made, the other refused by name', async () => {
    const { p, wallet } = await funded([BTC]);
    const [coin] = await p.store.read.coins.few(p.accountId, wallet.walletId, 10_000);
    await p.store.write((tx) => tx.coins.setFlags(p.accountId, wallet.walletId, coin!, { frozen: true }));
    const coinControl = { include: [{ txid: coin!.txid, vout: coin!.vout }] };
    const outcomes = await Promise.allSettled([
      create(p, wallet, BTC / 2n, { coinControl }),
      create(p, wallet, BTC / 2n, { coinControl }),
    ]);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    expect(outcomes.find((outcome) => outcome.status === 'rejected')).toMatchObject({
      reason: { code: 'coin_unavailable', message: expect.stringContaining(outpointKey(coin!)) },
    });
  });

  it('in two batches that pay from the same wallets in opposite order: both end', async () => {
    const { p, wallet } = await funded([BTC]);
    const other = await p.newWallet();
    await p.fund(other, [BTC]);
    const batch = (wallets: readonly Wallet[]) =>
      p.transactions.createBulk(
        wallets.map((from) => p.pay(from, BTC / 4n)),
        {},
        p.context(),
      );
    const outcomes = await Promise.all([batch([wallet, other]), batch([other, wallet])]);
    expect(outcomes.flat().filter((one) => 'transaction' in one).length).toBeGreaterThanOrEqual(2);
    expect((await create(p, wallet, BTC / 8n)).status).toBe('broadcast');
  });
});
