import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { outpointKey } from '../../../src/core/outpoint.ts';
import type { IdempotencyClaim } from '../../../src/services/requests/request-context.ts';
import { BTC, openPayments, type Payments } from './payments-setup.ts';

const spentBy = (views: readonly { raw: Uint8Array | null }[]): string[] =>
  views.flatMap((view) => parseTransaction(view.raw!).inputs.map((input) => outpointKey(input.prev)));

const create = (p: Payments, wallet: Parameters<Payments['pay']>[0], sats: bigint) =>
  p.transactions.create(p.pay(wallet, sats), { dryRun: false }, p.context());

describe('payments at once', () => {
  it('32 from one wallet never share a coin, and all are made', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(
      wallet,
      Array.from({ length: 40 }, () => BTC / 10n),
    );
    const paid = await Promise.all(Array.from({ length: 32 }, () => create(p, wallet, BTC / 20n)));
    expect(paid.map((one) => one.status)).toEqual(paid.map(() => 'broadcast'));
    const spent = spentBy(paid);
    expect(new Set(spent).size).toBe(spent.length);
    expect(await p.mempool()).toHaveLength(32);
    const scripts = paid.flatMap((one) => parseTransaction(one.raw!).outputs.map((output) => output.scriptPubKey));
    // One payee for all, and a change script of its own for each.
    expect(new Set(scripts).size).toBe(1 + 32);
    await p.mine();
    const fees = paid.reduce((sum, one) => sum + one.feeSats!, 0n);
    expect((await p.balance(wallet)).confirmedSats).toBe(4n * BTC - 32n * (BTC / 20n) - fees);
  });

  it('of more than the coins pay for, those that fit are made and the rest are refused', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC, BTC, BTC]);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => create(p, wallet, (BTC * 9n) / 10n)));
    const made = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(made).toHaveLength(3);
    for (const one of outcomes) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'insufficient_funds' });
    }
    expect(new Set(spentBy(made)).size).toBe(3);
  });

  it('20 from a wallet with one coin wait for one another and go through as a chain', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    const paid = await Promise.all(Array.from({ length: 20 }, () => create(p, wallet, 10_000n)));
    expect(new Set(spentBy(paid)).size).toBe(20);
    expect(paid.every((one) => one.status === 'broadcast' || one.status === 'signed')).toBe(true);
    await p.broadcaster.resend();
    expect(await p.mempool()).toHaveLength(20);
  });

  it('from two processes on one database meet at the claim and never share a coin', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(
      wallet,
      Array.from({ length: 24 }, () => BTC / 10n),
    );
    const other = p.restart();
    const paid = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        (index % 2 ? p.transactions : other.transactions).create(
          p.pay(wallet, BTC / 20n),
          { dryRun: false },
          p.context(),
        ),
      ),
    );
    const spent = spentBy(paid);
    expect(new Set(spent).size).toBe(spent.length);
    expect(paid).toHaveLength(16);
    expect(await p.mempool()).toHaveLength(16);
  });

  it('from two processes for the very same coin, without change: one gets it', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC, BTC]);
    const [coin] = await p.store.read.coins.few(p.accountId, wallet.walletId, 10_000);
    const request = p.pay(wallet, 'max', { coinControl: { include: [coin!] } });
    const outcomes = await Promise.allSettled(
      [p.transactions, p.restart().transactions].map((transactions) =>
        transactions.create(request, { dryRun: false }, p.context()),
      ),
    );
    expect(outcomes.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find((one) => one.status === 'rejected')).toMatchObject({ reason: { code: 'coin_unavailable' } });
    expect(await p.mempool()).toHaveLength(1);
  });

  it('with one idempotency key: one is kept, the other leaves nothing', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC, BTC]);
    const other = p.restart();
    const idempotency: IdempotencyClaim = {
      key: 'k-1',
      fingerprint: 'f',
      operation: 'transaction.create',
      at: Date.now(),
      answer: (result) => ({ status: 201, body: JSON.stringify({ txid: (result as { txid: string }).txid }) }),
    };
    const outcomes = await Promise.allSettled(
      [p.transactions, other.transactions].map((transactions) =>
        transactions.create(p.pay(wallet, BTC / 2n), { dryRun: false }, p.context({ idempotency })),
      ),
    );
    const made = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(made).toHaveLength(1);
    expect(outcomes.find((one) => one.status === 'rejected')).toMatchObject({
      reason: { code: 'idempotency_in_flight' },
    });
    const kept = await p.store.read.idempotency.find(p.accountId, 'k-1', Date.now());
    expect(kept).toMatchObject({ target: made[0]!.txid, status: 201, body: JSON.stringify({ txid: made[0]!.txid }) });
    expect(await p.mempool()).toEqual([made[0]!.txid]);
    // The loser's coin is free: both together would not be payable otherwise.
    expect((await create(p, wallet, (BTC * 14n) / 10n)).status).toBe('broadcast');
  });
});

describe('a coin that is locked between two payments', () => {
  it('is not spent by the second, which had read the coins before', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(
      wallet,
      Array.from({ length: 8 }, () => BTC),
    );
    const first = await create(p, wallet, BTC / 2n);
    const free = await p.store.read.coins.few(p.accountId, wallet.walletId, 10_000);
    const [keep, ...others] = free.filter((coin) => coin.height !== null);
    await p.store.write(async (tx) => {
      for (const coin of others) await tx.coins.setFlags(p.accountId, wallet.walletId, coin, { locked: true });
    });
    const second = await create(p, wallet, BTC / 2n);
    expect(spentBy([second])).toEqual([outpointKey(keep!)]);
    expect(first.status).toBe('broadcast');
  });

  it('and a deposit that came meanwhile is found', async () => {
    const p = await openPayments();
    const wallet = await p.newWallet();
    await p.fund(wallet, [BTC]);
    await create(p, wallet, BTC / 2n);
    await p.fund(wallet, [5n * BTC]);
    expect((await create(p, wallet, 5n * BTC)).status).toBe('broadcast');
  });
});
