import { describe, expect, it } from 'vitest';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import type { IdempotencyClaim } from '../../../src/services/requests/request-context.ts';
import { BTC, openPayments, type Payments, rate } from './payments-setup.ts';

const create = (p: Payments, wallet: Parameters<Payments['pay']>[0], sats: bigint | 'max', more = {}) =>
  p.transactions.create(p.pay(wallet, sats, more), { dryRun: false }, p.context());

const eventsOf = async (p: Payments, txid: string) => {
  while ((await p.store.write((tx) => tx.events.number(1000))) > 0);
  const events = await p.store.read.events.after(0n, 10_000, { accountId: p.accountId, channel: 'transactions' });
  return events
    .map((event) => JSON.parse(event.data))
    .filter((data) => data.txid === txid)
    .map((data) => data.status);
};

describe('the node goes away', () => {
  it('before the commit: refused, nothing kept, no coin taken', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    p.chain.setReachable(false);
    await expect(create(p, wallet, BTC / 2n)).rejects.toMatchObject({ code: 'node_unavailable' });
    p.chain.setReachable(true);
    expect((await p.transactions.list({ direction: 'outgoing' }, { limit: 9, offset: 0 }, p.context())).data).toEqual(
      [],
    );
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
    expect((await create(p, wallet, BTC / 2n)).status).toBe('broadcast');
  });

  it('after the commit: the answer says signed, and the same bytes are sent once it is back', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    p.onBroadcast(() => 'unreachable');
    const paid = await create(p, wallet, BTC / 2n);
    expect(paid.status).toBe('signed');
    p.onBroadcast(() => 'pass');
    expect(await p.broadcaster.resend()).toBe(1);
    expect(await p.mempool()).toEqual([paid.txid]);
    expect((await p.transactions.get(paid.txid, p.context())).status).toBe('broadcast');
    expect(await eventsOf(p, paid.txid)).toEqual(['signed', 'broadcast']);
    expect(await p.broadcaster.resend()).toBe(0);
  });
});

describe('the service is killed', () => {
  it('between commit and broadcast: the next start sends the same transaction, and the key answers it', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    const idempotency: IdempotencyClaim = {
      key: 'killed',
      fingerprint: 'f',
      operation: 'transaction.create',
      at: Date.now(),
      answer: (result) => ({ status: 201, body: JSON.stringify({ txid: (result as { txid: string }).txid }) }),
    };
    // The process that never comes back from the broadcast.
    p.onBroadcast(() => new Promise(() => {}));
    void p.transactions.create(p.pay(wallet, BTC / 2n), { dryRun: false }, p.context({ idempotency }));
    let kept = null;
    while (!kept) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      kept = await p.store.read.idempotency.find(p.accountId, 'killed', Date.now());
    }
    p.onBroadcast(() => 'pass');
    const next = p.restart();
    next.broadcaster.start();
    while ((await p.mempool()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await next.broadcaster.stop();
    expect(await p.mempool()).toEqual([JSON.parse(kept.body).txid]);
    const outgoing = await next.transactions.list({ direction: 'outgoing' }, { limit: 9, offset: 0 }, p.context());
    expect(outgoing.data.map((one) => [one.txid, one.status])).toEqual([[kept.target, 'broadcast']]);
  });
});

describe('the node refuses', () => {
  it('for good: failed with its reason, coins and change free, descendants too', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    p.onBroadcast(() => ({ result: 'refused', reason: 'mandatory-script-verify-flag-failed (test)', final: true }));
    const failed = await create(p, wallet, BTC / 2n);
    expect(failed).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('mandatory-script-verify-flag-failed'),
    });
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: BTC, pendingSats: 0n });
    expect(await eventsOf(p, failed.txid)).toEqual(['signed', 'failed']);
    p.onBroadcast(() => 'pass');
    expect((await create(p, wallet, BTC / 2n)).status).toBe('broadcast');
    expect(await p.broadcaster.resend()).toBe(0);
  });

  it('for now: stays signed with the reason, coins taken, and is sent at the next tip', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    p.onBroadcast(() => ({ result: 'refused', reason: 'too-long-mempool-chain', final: false }));
    const paid = await create(p, wallet, BTC / 2n);
    expect(paid).toMatchObject({ status: 'signed', reason: expect.stringContaining('too-long-mempool-chain') });
    expect((await p.balance(wallet)).confirmedSats).toBe(0n);
    p.onBroadcast(() => 'pass');
    p.broadcaster.start();
    await p.mine();
    while ((await p.mempool()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await p.broadcaster.stop();
    expect(await p.transactions.get(paid.txid, p.context())).toMatchObject({ status: 'broadcast', reason: null });
  });

  it('as missing inputs: kept, because the chain decides and not our guess', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    p.onBroadcast(() => ({ result: 'refused', reason: 'bad-txns-inputs-missingorspent', final: true }));
    expect((await create(p, wallet, BTC / 2n)).status).toBe('signed');
    expect((await p.balance(wallet)).confirmedSats).toBe(0n);
  });
});

describe('the mempool forgets', () => {
  it('an evicted payment is sent again, its children after it', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    const parent = await create(p, wallet, BTC / 4n);
    const child = await create(p, wallet, BTC / 4n);
    await p.chain.evict(parent.txid);
    expect(await p.mempool()).toEqual([]);
    expect(await p.broadcaster.resend()).toBe(2);
    expect(new Set(await p.mempool())).toEqual(new Set([parent.txid, child.txid]));
  });

  it('a payment below the risen minimum waits, and goes in with a child that pays for both', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    const parent = await create(p, wallet, BTC / 4n, { feeRate: rate('1') });
    p.chain.setMempoolLimits({ minFeeRate: 5_000n as FeeRate });
    await p.chain.evict(parent.txid);
    await p.broadcaster.resend();
    expect(await p.mempool()).toEqual([]);
    expect(await p.transactions.get(parent.txid, p.context())).toMatchObject({
      status: 'broadcast',
      reason: expect.stringContaining('min fee not met'),
    });
    const child = await p.transactions.cpfp(parent.txid, { feeRate: rate('10') }, p.context());
    expect(child.status).toBe('broadcast');
    expect(new Set(await p.mempool())).toEqual(new Set([parent.txid, child.txid]));
    expect((await p.transactions.get(parent.txid, p.context())).reason).toBeNull();
  });

  it('a payment that a reorganization takes out, whose locktime holds it back, returns at the height it came from', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    const paid = await create(p, wallet, BTC / 4n);
    await p.mine();
    expect((await p.transactions.get(paid.txid, p.context())).status).toBe('confirmed');
    p.broadcaster.start();
    await p.chain.disconnect(2);
    await p.settle();
    expect(await p.transactions.get(paid.txid, p.context())).toMatchObject({ status: 'broadcast', blockHeight: null });
    await p.mine(3);
    while ((await p.transactions.get(paid.txid, p.context())).status !== 'confirmed') await p.mine();
    await p.broadcaster.stop();
    expect((await p.balance(wallet)).confirmedSats).toBe((BTC * 3n) / 4n - paid.feeSats!);
  });
});

describe('a restored wallet that is still being scanned', () => {
  it('does not spend a coin whose spend the scan has not reached', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    const first = await create(p, wallet, 'max');
    await p.mine();
    // As if the scan had found the deposit and not come to the payment.
    const [coin] = await p.store.read.coins.findMany(p.accountId, [
      (await p.store.read.transactions.inputs(p.accountId, first.txid))[0]!.prev,
    ]);
    await p.store.write(async (tx) => {
      await tx.ledger.unspendCoins(first.txid);
      const scan = { state: 'scanning' as const, fromHeight: 0, atHeight: 5, toHeight: 9, error: null };
      await tx.wallets.setScan(p.accountId, wallet.walletId, scan);
    });
    await expect(create(p, wallet, BTC / 2n)).rejects.toMatchObject({
      code: 'coin_unavailable',
      message: expect.stringContaining(coin!.txid),
    });
    await p.fund(wallet, [BTC, BTC]);
    const rest = { coinControl: { exclude: [coin!] } };
    expect((await create(p, wallet, BTC / 2n, rest)).status).toBe('broadcast');
    // Its own change is spent unconfirmed, also where no node has it yet.
    p.onBroadcast(() => 'unreachable');
    expect((await create(p, wallet, BTC / 2n, rest)).status).toBe('signed');
    expect((await create(p, wallet, 'max', { coinControl: { exclude: [coin!] } })).status).toBe('signed');
  });
});
