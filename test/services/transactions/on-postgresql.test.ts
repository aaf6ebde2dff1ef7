import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { outpointKey } from '../../../src/core/outpoint.ts';
import type { Store } from '../../../src/store/store.ts';
import { type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';
import { BTC, openPayments, rate } from './payments-setup.ts';

describe('payments on PostgreSQL', () => {
  let postgres: TemporaryPostgres;
  let store: Store;

  beforeAll(async () => {
    postgres = await withPostgres();
    store = await postgres.openStore();
  });
  afterAll(async () => {
    await store?.close();
    await postgres?.stop();
  });

  it('of two processes never share a coin, are bumped, mined and accounted for', async () => {
    const p = await openPayments({ store });
    const wallet = await p.newWallet();
    await p.fund(
      wallet,
      Array.from({ length: 20 }, () => BTC / 10n),
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
    const spent = paid.flatMap((one) => parseTransaction(one.raw!).inputs.map((input) => outpointKey(input.prev)));
    expect(new Set(spent).size).toBe(spent.length);
    expect(new Set(await p.mempool())).toEqual(new Set(paid.map((one) => one.txid)));
    const bumps = await Promise.allSettled(
      [p.transactions, other.transactions].map((transactions) =>
        transactions.bump(paid[0]!.txid, { feeRate: rate('30') }, p.context()),
      ),
    );
    expect(bumps.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected']);
    await p.mine();
    const history = await p.transactions.listOfWallet(wallet.walletId, {}, { limit: 100, offset: 0 }, p.context());
    const confirmed = history.data.filter((one) => one.status === 'confirmed' && one.direction === 'outgoing');
    expect(confirmed).toHaveLength(16);
    const fees = confirmed.reduce((sum, one) => sum + one.feeSats!, 0n);
    expect(await p.balance(wallet)).toMatchObject({
      confirmedSats: 2n * BTC - 16n * (BTC / 20n) - fees,
      pendingSats: 0n,
    });
  });

  it('of two processes under one external_id: one is made', async () => {
    const own = await postgres.openStore();
    onTestFinished(() => own.close());
    const p = await openPayments({ store: own });
    // Of a wallet each, so that they meet nowhere else.
    const wallets = [await p.newWallet(), await p.newWallet()];
    for (const wallet of wallets) {
      await p.fund(
        wallet,
        Array.from({ length: 5 }, () => BTC / 10n),
      );
    }
    const other = p.restart();
    for (const externalId of ['a', 'b', 'c', 'd', 'e']) {
      const outcomes = await Promise.allSettled(
        [p.transactions, other.transactions].map((transactions, which) =>
          transactions.create(p.pay(wallets[which]!, BTC / 20n, { externalId }), { dryRun: false }, p.context()),
        ),
      );
      expect(outcomes.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
      expect(outcomes.find((one) => one.status === 'rejected')).toMatchObject({
        reason: { code: 'already_exists', details: { field: 'external_id' } },
      });
    }
  });
});
