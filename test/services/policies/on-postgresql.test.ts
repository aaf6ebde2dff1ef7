/** Two processes under one limit. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';
import { BTC, openPayments, rate } from '../transactions/payments-setup.ts';

const LIMIT = 1_000_000n;
let postgres: TemporaryPostgres;
let stores: Store[] = [];
beforeAll(async () => {
  postgres = await withPostgres();
  const url = await postgres.newTables();
  const open = () => openPostgresStore({ url, log: silent, clock: Date.now });
  stores = [await open(), await open()];
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await postgres?.stop();
});

it('50 payments at once: exactly as many go as fit, and what is given back fits again', {
  timeout: 300_000,
}, async () => {
  const p = await openPayments({ store: stores[0]!, rules: 'stored' });
  const { accountId } = p;
  // Of a wallet each, so that they meet nowhere else.
  const wallets = [await p.newWallet(), await p.newWallet()];
  for (const wallet of wallets) await p.fund(wallet, [...Array.from({ length: 25 }, () => BTC / 50n)]);
  await p.store.write(async (tx) => {
    const at = Date.now();
    await tx.enterpriseConfig.lockOrMake(accountId, at);
    await tx.policies.insert({
      ...{ policyId: 'pol_test', accountId, name: 'limit', position: 1, enabled: true, externalId: null },
      when: { window: { hours: 24, per: 'account', amountOverSats: LIMIT } },
      then: { action: 'deny', message: 'enough' },
      ...{ createdAt: at, updatedAt: at },
    });
    await tx.enterpriseConfig.update(accountId, { version: 2 });
  });
  const services = [p.transactions, p.restart(stores[1]!).transactions];
  const made = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) =>
      services[n % 2]!.create(p.pay(wallets[n % 2]!, LIMIT / 10n), { dryRun: false }, p.context()),
    ),
  );
  const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  for (const reason of refused) expect(reason).toMatchObject({ code: 'policy_denied' });
  expect(refused).toHaveLength(40);
  const account = async () =>
    (await p.store.read.spendSums.all(accountId))
      .filter(({ scope }) => scope === 'account')
      .map((sum) => sum.amountSats);
  expect(await account()).toEqual([LIMIT]);

  const [first] = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const bumped = await services[1]!.bump(first!.txid, { feeRate: rate('30') }, p.context());
  expect(await account()).toEqual([LIMIT]);
  await services[0]!.cancel(bumped.txid, {}, p.context());
  expect(await account()).toEqual([LIMIT - LIMIT / 10n]);
  await p.mine();
  expect(await account()).toEqual([LIMIT - LIMIT / 10n]);
});
