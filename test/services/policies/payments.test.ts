/** Payments under rules: what is denied, what limits leave, what is counted and given back. */
import { expect, it } from 'vitest';
import { completePayment } from '../../../src/core/payments/complete-payment.ts';
import { type AccountRules, NO_RULES } from '../../../src/core/policies/account-rules.ts';
import type { CountedSum, Policy } from '../../../src/core/policies/policy.ts';
import { psbtFromText } from '../../../src/core/psbt/codec/psbt-text.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import { sweepSpendSums } from '../../../src/services/policies/sweep-spend-sums.ts';
import { cosigner } from '../../builders/cosigner.ts';
import { BTC, openPayments, outsider, type Payments, rate } from '../transactions/payments-setup.ts';
import { ALLOW, APPROVE, rule, rulesOf } from './rules-of.ts';

const LIMIT = 1_000_000n;
const perDay: Policy = rule({ window: { hours: 24, per: 'account', amountOverSats: LIMIT } });

async function open(...policies: readonly Policy[]) {
  let rules: AccountRules = policies.length === 0 ? NO_RULES : rulesOf(policies);
  let later = 0;
  const payments = await openPayments({ rules: () => rules, clock: () => Date.now() + later });
  const wallet = await payments.newWallet();
  await payments.fund(wallet, [BTC, BTC, BTC, BTC]);
  const create = (sats: bigint, more: object = {}, options: object = {}) =>
    payments.transactions.create(payments.pay(wallet, sats, more), options, payments.context());
  return {
    ...{ payments, wallet, create },
    advance(ms: number) {
      later += ms;
    },
    setRules(next: AccountRules) {
      rules = next;
    },
  };
}

const ofAccount = async ({ store, accountId }: Payments): Promise<Pick<CountedSum, 'amountSats' | 'count'>> => {
  const sums = (await store.read.spendSums.all(accountId)).filter(({ scope }) => scope === 'account');
  const add = (a: { amountSats: bigint; count: number }, b: CountedSum) => ({
    amountSats: a.amountSats + b.amountSats,
    count: a.count + b.count,
  });
  return sums.reduce(add, { amountSats: 0n, count: 0 });
};
const denied = { code: 'policy_denied', message: 'rule "limit" denies this payment: not today' };

it('an amount is denied one satoshi above the bound, before anything is kept', async () => {
  const { payments, wallet, create } = await open(rule({ amountOverSats: LIMIT }));
  await expect(create(LIMIT + 1n)).rejects.toMatchObject(denied);
  expect((await payments.balance(wallet)).lockedSats).toBe(0n);
  expect(await ofAccount(payments)).toEqual({ amountSats: 0n, count: 0 });
  await expect(create(LIMIT)).resolves.toMatchObject({ status: 'broadcast', policy: { action: 'allow', rules: [] } });
  await expect(create(LIMIT - 1n)).resolves.toMatchObject({ status: 'broadcast' });
});

it('a window is full at its bound, and has room again when its hours are over', async () => {
  const { payments, create, advance } = await open(perDay);
  await create(LIMIT - 1_000n);
  await expect(create(1_001n)).rejects.toMatchObject(denied);
  await create(1_000n);
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 2 });
  advance(23 * 3_600_000);
  await expect(create(1_000n)).rejects.toMatchObject(denied);
  advance(2 * 3_600_000);
  await create(LIMIT);
  await expect(create(1_000n)).rejects.toMatchObject(denied);
  const { store } = payments;
  expect(await sweepSpendSums({ store, clock: () => Date.now() })).toBe(0);
  const monthLater = Date.now() + 31 * 24 * 3_600_000;
  expect(await sweepSpendSums({ store, clock: () => monthLater + 3 * 3_600_000 })).toBeGreaterThan(0);
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 1 });
});

it('what rules want approved waits, and is refused where it is a part of something else', async () => {
  const { payments, create } = await open(rule({ amountOverSats: 1n }, APPROVE, 'four eyes'));
  await expect(create(5_000n)).resolves.toMatchObject({ status: 'awaiting_approval', policy: { action: 'approve' } });
  expect(await ofAccount(payments)).toEqual({ amountSats: 5_000n, count: 1 });
  await expect(create(5_000n, {}, { alongside: async () => {} })).rejects.toMatchObject({
    code: 'policy_denied',
    message: expect.stringContaining('rule "four eyes" requires 2 approvals, and this payment cannot wait'),
  });
});

it('where no rule allows and the default is to deny, nothing is paid', async () => {
  const { create, setRules } = await open();
  setRules(rulesOf([rule({ amountOverSats: 5_000n }, ALLOW)], { defaultAction: 'deny' }));
  await expect(create(5_000n)).rejects.toMatchObject({
    message: expect.stringContaining('no rule matches this payment'),
  });
  await expect(create(5_001n)).resolves.toMatchObject({ policy: { action: 'allow' } });
});

it('a dry run shows the verdict', async () => {
  const { payments, create } = await open(perDay);
  const shown = await create(LIMIT + 1n, {}, { dryRun: true });
  expect(shown).toMatchObject({ preview: {}, policy: { action: 'deny', rules: [{ name: 'limit', action: 'deny' }] } });
  expect(await ofAccount(payments)).toEqual({ amountSats: 0n, count: 0 });
});

it('without rules payments are counted all the same, so that a limit set later knows of them', async () => {
  const { payments, create, setRules } = await open();
  const paid = await create(LIMIT - 10_000n);
  expect(paid.policy).toBeNull();
  setRules(rulesOf([perDay]));
  await expect(create(10_001n)).rejects.toMatchObject(denied);
  await expect(create(10_000n)).resolves.toMatchObject({ status: 'broadcast' });
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 2 });
});

it('what goes to the same wallet or to internal ones counts as nothing; to another own wallet it leaves', async () => {
  const { payments, wallet, create, setRules } = await open(perDay);
  const [other, internal] = [await payments.newWallet(), await payments.newWallet()];
  setRules(rulesOf([perDay], { internalWallets: [internal.walletId] }));
  const to = async (to: typeof wallet, sats: bigint) =>
    create(sats, { recipients: [{ address: await payments.newAddress(to), amount: sats }] });
  await to(wallet, 5n * LIMIT);
  await to(internal, 5n * LIMIT);
  await expect(to(other, LIMIT + 1n)).rejects.toMatchObject(denied);
  await to(other, LIMIT);
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 1 });
});

it('50 at once: exactly as many go as fit', { timeout: 120_000 }, async () => {
  const { payments, wallet, create } = await open(perDay);
  await payments.fund(
    wallet,
    Array.from({ length: 50 }, () => 1_000_000n),
  );
  const made = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => create(LIMIT / 10n, { label: `${n}` })));
  const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toHaveLength(40);
  for (const reason of refused) expect(reason).toMatchObject(denied);
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 10 });
});

it('in bulk each counts with those before it; one denied is its own refusal', async () => {
  const { payments, wallet } = await open(perDay);
  const requests = [LIMIT / 2n, LIMIT, LIMIT / 2n, 1_000n].map((sats) => payments.pay(wallet, sats));
  for (const dryRun of [true, false]) {
    const outcomes = await payments.transactions.createBulk(requests, { dryRun }, payments.context());
    const said = outcomes.map((one) =>
      'refusal' in one ? one.refusal.code : `${one.transaction.policy?.action} ${one.transaction.status}`,
    );
    expect(said).toEqual(
      dryRun
        ? ['allow signed', 'deny awaiting_signature', 'allow signed', 'deny awaiting_signature']
        : ['allow broadcast', 'policy_denied', 'allow broadcast', 'policy_denied'],
    );
  }
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 2 });
});

it('what failed, was abandoned or cancelled is given back; a bump keeps what it pays again', {
  timeout: 60_000,
}, async () => {
  const { payments, create } = await open(perDay);
  const { transactions, context } = payments;
  payments.onBroadcast(() => ({ result: 'refused', reason: 'bad-txns', final: true }));
  expect(await create(LIMIT)).toMatchObject({ status: 'failed' });
  expect(await ofAccount(payments)).toEqual({ amountSats: 0n, count: 0 });

  payments.onBroadcast(() => 'unreachable');
  const lost = await create(LIMIT);
  expect(lost.status).toBe('signed');
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 1 });
  await transactions.abandon(lost.txid, context());
  expect(await ofAccount(payments)).toEqual({ amountSats: 0n, count: 0 });

  payments.onBroadcast(() => 'pass');
  const paid = await create(LIMIT);
  const bumped = await transactions.bump(paid.txid, { feeRate: rate('9') }, context());
  expect(bumped).toMatchObject({ status: 'broadcast', policy: { action: 'allow' } });
  expect(await transactions.get(paid.txid, context())).toMatchObject({ status: 'replaced' });
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 1 });
  await expect(create(1_000n)).rejects.toMatchObject(denied);
  await transactions.cancel(bumped.txid, {}, context());
  expect(await ofAccount(payments)).toEqual({ amountSats: 0n, count: 0 });
  await create(LIMIT, { recipients: [{ address: outsider('another'), amount: LIMIT }] });
});

it('a cancellation that pays on what was built on it keeps that counted, a child that pays for a parent counts nothing', async () => {
  const { payments, wallet, create } = await open(perDay);
  const { transactions, context } = payments;
  const all = await create(3n * BTC + 99_000_000n, {
    recipients: [{ address: await payments.newAddress(wallet), amount: 3n * BTC + 99_000_000n }],
  });
  const child = await create(LIMIT);
  await transactions.cancel(all.txid, { replaceDescendants: true }, context());
  expect(await transactions.get(child.txid, context())).toMatchObject({ status: 'replaced' });
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 1 });
  await payments.mine();
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 1 });
});

it('what a clock that is ahead has counted is spent for one behind it', async () => {
  const { create, advance } = await open(perDay);
  advance(5 * 3_600_000);
  await create(LIMIT);
  advance(-5 * 3_600_000);
  await expect(create(1_000n)).rejects.toMatchObject(denied);
});

it('a PSBT that was handed out counts until its hours are over, though it is abandoned: others can complete it', async () => {
  const { payments, advance } = await open(perDay);
  const { transactions, context, wallets } = payments;
  const party = cosigner('keeps it');
  const shared = { name: 'shared', type: 'multisig', backupType: 'none', required: 2, cosigners: [party.multisigKey] };
  const { wallet } = await wallets.create(shared as never, context());
  await payments.fund(wallet, [BTC, BTC]);
  const pay = () => transactions.create(payments.pay(wallet, LIMIT), {}, context());
  const made = await pay();
  expect(made.status).toBe('awaiting_signature');
  expect((await transactions.abandon(made.txid, context())).status).toBe('abandoned');
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 1 });
  await expect(pay()).rejects.toMatchObject(denied);
  // It counts once when it is sent after all.
  await payments.chain.broadcast(completePayment(psbtFromText(party.sign(made.psbt!)) as PsbtV2)!.raw);
  await payments.mine();
  expect((await transactions.get(made.txid, context())).status).toBe('confirmed');
  expect(await ofAccount(payments)).toEqual({ amountSats: LIMIT, count: 1 });
  advance(26 * 3_600_000);
  expect((await pay()).status).toBe('awaiting_signature');
});
