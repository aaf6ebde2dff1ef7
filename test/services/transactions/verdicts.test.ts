/** What a node says of a payment, and what the chain has made of it by the time that is written down. */
import { describe, expect, it } from 'vitest';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import type { IdempotencyClaim } from '../../../src/services/requests/request-context.ts';
import { BTC, openPayments, type Payments, rate } from './payments-setup.ts';

type Wallet = Parameters<Payments['pay']>[0];
const create = (p: Payments, wallet: Wallet, sats: bigint | 'max', more = {}) =>
  p.transactions.create(p.pay(wallet, sats, more), { dryRun: false }, p.context());

const refusedForGood = {
  result: 'refused',
  reason: 'mandatory-script-verify-flag-failed (test)',
  final: true,
} as const;

async function funded(coins: readonly bigint[]) {
  const p = await openPayments();
  const wallet = await p.newWallet();
  await p.fund(wallet, coins);
  return { p, wallet };
}

describe('a refusal', () => {
  it('of a payment that is in a block by now changes nothing: no coin is free again', async () => {
    const { p, wallet } = await funded([BTC]);
    p.onBroadcast(async (raw) => {
      await p.chain.mineTransactions([raw]);
      await p.settle();
      return refusedForGood;
    });
    const paid = await create(p, wallet, BTC / 4n);
    expect(paid).toMatchObject({ status: 'confirmed', reason: null });
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: (BTC * 3n) / 4n - paid.feeSats!, pendingSats: 0n });
    p.onBroadcast(() => 'pass');
    expect((await create(p, wallet, BTC / 2n)).status).toBe('broadcast');
  });

  it('is what the idempotency key answers from then on', async () => {
    const { p, wallet } = await funded([BTC]);
    const idempotency: IdempotencyClaim = {
      key: 'refused',
      fingerprint: 'f',
      operation: 'transaction.create',
      at: Date.now(),
      answer: (result) => ({ status: 201, body: JSON.stringify({ status: (result as { status: string }).status }) }),
    };
    p.onBroadcast(() => refusedForGood);
    await p.transactions.create(p.pay(wallet, BTC / 4n), { dryRun: false }, p.context({ idempotency }));
    const kept = await p.store.read.idempotency.find(p.accountId, 'refused', Date.now());
    expect(JSON.parse(kept!.body)).toEqual({ status: 'failed' });
  });

  it('of a replacement that the mempool has lost lets the original count again when that is seen', async () => {
    const { p, wallet } = await funded([BTC]);
    const first = await create(p, wallet, BTC / 4n);
    const second = await p.transactions.bump(first.txid, { feeRate: rate('20') }, p.context());
    await p.chain.evict(second.txid);
    // Somebody else sends the original again: ours is still the replacement.
    await p.chain.broadcast(first.raw!);
    await p.settle();
    expect((await p.transactions.get(first.txid, p.context())).status).toBe('replaced');
    p.onBroadcast(() => refusedForGood);
    await p.broadcaster.resend();
    expect((await p.transactions.get(second.txid, p.context())).status).toBe('failed');
    await p.settle();
    expect(await p.transactions.get(first.txid, p.context())).toMatchObject({ status: 'broadcast', replacedBy: null });
    const left = (BTC * 3n) / 4n - first.feeSats!;
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: 0n, pendingSats: left });
    await p.mine();
    expect(await p.balance(wallet)).toMatchObject({ confirmedSats: left, pendingSats: 0n });
  });
});

describe('a mempool that asks for more than it did', () => {
  it('gets a payment and its child again as one, though the payment alone is below the minimum', async () => {
    const { p, wallet } = await funded([BTC]);
    const parent = await create(p, wallet, BTC / 4n, { feeRate: rate('1') });
    const child = await p.transactions.cpfp(parent.txid, { feeRate: rate('30') }, p.context());
    p.chain.setMempoolLimits({ minFeeRate: 5_000n as FeeRate });
    await p.chain.evict(parent.txid);
    expect(await p.mempool()).toEqual([]);
    await p.broadcaster.resend();
    expect(new Set(await p.mempool())).toEqual(new Set([parent.txid, child.txid]));
    expect(await p.transactions.get(parent.txid, p.context())).toMatchObject({ status: 'broadcast', reason: null });
  });
});

describe('an external_id', () => {
  it('given to two payments at once by two processes names one of them only', async () => {
    const { p, wallet } = await funded([BTC, BTC]);
    const request = p.pay(wallet, BTC / 4n, { externalId: 'invoice-7' });
    const { write } = p.store;
    let first: Promise<unknown> = Promise.resolve();
    await p.settle();
    // The second has looked for the name, and found it free, when the first is committed.
    p.store.write = async (job) => {
      p.store.write = write;
      first = p.restart().transactions.create(request, { dryRun: false }, p.context());
      await first;
      return write(job);
    };
    await expect(p.transactions.create(request, { dryRun: false }, p.context())).rejects.toMatchObject({
      code: 'already_exists',
      details: { field: 'external_id' },
    });
    expect(await first).toMatchObject({ status: 'broadcast', externalId: 'invoice-7' });
    expect(await p.mempool()).toHaveLength(1);
  });
});
