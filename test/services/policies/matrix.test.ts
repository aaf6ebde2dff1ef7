/** Each operation of payments under each verdict, and at the bounds of what it is measured by. */
import { describe, expect, it } from 'vitest';
import { type AccountRules, NO_RULES } from '../../../src/core/policies/account-rules.ts';
import type { PolicyAction, PolicyConditions } from '../../../src/core/policies/policy.ts';
import type { TransactionView } from '../../../src/services/transactions/transaction-service.ts';
import { cosigner } from '../../builders/cosigner.ts';
import { BTC, openPayments, rate } from '../transactions/payments-setup.ts';
import { ALLOW, APPROVE, DENY, rule, rulesOf } from './rules-of.ts';

const PAID = 1_000_000n;
const OPERATIONS = ['payment', 'bulk', 'bump', 'cancel', 'cpfp'] as const;
type Operation = (typeof OPERATIONS)[number];

async function open() {
  let rules: AccountRules = NO_RULES;
  const payments = await openPayments({ rules: () => rules });
  const { transactions, context } = payments;
  const wallet = await payments.newWallet();
  await payments.fund(wallet, [BTC, BTC, BTC]);
  const pay = () => transactions.create(payments.pay(wallet, PAID), {}, context());
  const first = await pay();
  const prepared: Record<Operation, (dryRun: boolean) => Promise<TransactionView>> = {
    payment: (dryRun) => transactions.create(payments.pay(wallet, PAID), { dryRun }, context()),
    async bulk(dryRun) {
      const [made] = await transactions.createBulk([payments.pay(wallet, PAID)], { dryRun }, context());
      if ('refusal' in made!) throw made.refusal;
      return made!.transaction;
    },
    bump: (dryRun) => transactions.bump(first.txid, { feeRate: rate('20'), dryRun }, context()),
    cancel: (dryRun) => transactions.cancel(first.txid, { feeRate: rate('20'), dryRun }, context()),
    cpfp: (dryRun) => transactions.cpfp(first.txid, { feeRate: rate('20'), dryRun }, context()),
  };
  return {
    ...{ payments, first, prepared },
    set(when: PolicyConditions, action: PolicyAction) {
      rules = rulesOf([rule(when, action)]);
    },
  };
}

describe.each(OPERATIONS)('%s', (operation) => {
  const operations = [operation === 'bulk' ? 'payment' : operation] as const;
  const moves = operation === 'payment' || operation === 'bulk';

  it('is denied or allowed, as the verdict is; dry runs say so', { timeout: 60_000 }, async () => {
    const { set, prepared, payments, first } = await open();
    const run = prepared[operation];
    const before = await payments.store.read.spendSums.all(payments.accountId);
    set({ operations }, DENY);
    expect((await run(true)).policy).toMatchObject({ action: 'deny', rules: [{ name: 'limit' }] });
    await expect(run(false)).rejects.toMatchObject({
      code: 'policy_denied',
      message: `rule "limit" denies this ${operations[0]}: not today`,
    });
    expect(await payments.store.read.spendSums.all(payments.accountId)).toEqual(before);
    expect((await payments.transactions.get(first.txid, payments.context())).status).toBe('broadcast');
    set({ operations }, ALLOW);
    expect(await run(true)).toMatchObject({
      policy: { action: 'allow', rules: [{ matched: { operations: operations[0] } }] },
    });
    expect(await run(false)).toMatchObject({ status: 'broadcast', policy: { action: 'allow' } });
  });

  it('waits for approvals, unsigned, with its coins held', { timeout: 60_000 }, async () => {
    const { set, prepared, payments, first } = await open();
    set({ operations }, APPROVE);
    expect((await prepared[operation](true)).policy).toMatchObject({ action: 'approve' });
    const waiting = await prepared[operation](false);
    expect(waiting).toMatchObject({ status: 'awaiting_approval', raw: null, policy: { action: 'approve' } });
    expect(waiting.approvalId).toMatch(/^apr_/);
    expect(await payments.chain.mempoolEntry(waiting.txid)).toBeNull();
    expect((await payments.transactions.get(first.txid, payments.context())).status).toBe('broadcast');
  });

  it.each([-1n, 0n, 1n])('passes a window up to its bound (%s satoshis beside it)', {
    timeout: 60_000,
  }, async (beside) => {
    const { set, prepared } = await open();
    // What was paid before is in the window; replacements and children add nothing to it.
    const spent = moves ? 2n * PAID : PAID;
    set({ operations, window: { hours: 2, per: 'wallet', amountOverSats: spent + beside } }, DENY);
    if (beside < 0n) await expect(prepared[operation](false)).rejects.toMatchObject({ code: 'policy_denied' });
    else expect((await prepared[operation](false)).status).toBe('broadcast');
  });

  it('counts what it adds in fees, and no more', { timeout: 60_000 }, async () => {
    const { set, prepared, first } = await open();
    const { feeSats } = await prepared[operation](true);
    const added = operation === 'bump' || operation === 'cancel' ? feeSats! - first.feeSats! : feeSats!;
    set({ operations, feeOver: { sats: added - 1n } }, DENY);
    await expect(prepared[operation](false)).rejects.toMatchObject({ code: 'policy_denied' });
    set({ operations, feeOver: { sats: added } }, DENY);
    expect((await prepared[operation](false)).status).toBe('broadcast');
  });
});

describe('signature', () => {
  it('is asked with the amount that it signs for, which counts once, and needs no second approval', {
    timeout: 60_000,
  }, async () => {
    let rules: AccountRules = NO_RULES;
    const payments = await openPayments({ rules: () => rules });
    const { transactions, context, wallets } = payments;
    const party = cosigner('rules');
    const request = {
      name: 'shared',
      type: 'multisig',
      backupType: 'none',
      required: 2,
      cosigners: [party.multisigKey],
    };
    const { wallet } = await wallets.create(request as never, context());
    await payments.fund(wallet, [BTC]);
    rules = rulesOf([rule({ window: { hours: 1, per: 'account', amountOverSats: PAID } })]);
    const made = await transactions.create(payments.pay(wallet, PAID), {}, context());
    expect(made).toMatchObject({ status: 'awaiting_signature', policy: { action: 'allow' } });
    const signed = party.sign(made.psbt!);
    rules = rulesOf([
      rule({ operations: ['signature'], window: { hours: 1, per: 'account', amountOverSats: PAID - 1n } }),
    ]);
    await expect(transactions.addSignatures(made.txid, signed, context())).rejects.toMatchObject({
      message: 'rule "limit" denies this signature: not today',
    });
    rules = rulesOf([rule({ operations: ['signature'], amountOverSats: PAID - 1n }, APPROVE)]);
    expect(await transactions.addSignatures(made.txid, signed, context())).toMatchObject({
      approval: { operation: 'signature', subject: made.txid, status: 'pending' },
    });
    expect(await transactions.get(made.txid, context())).toMatchObject({ psbt: made.psbt });
    rules = rulesOf([rule({ window: { hours: 1, per: 'account', amountOverSats: PAID } })]);
    expect(await transactions.addSignatures(made.txid, signed, context())).toMatchObject({ status: 'broadcast' });
    const sums = await payments.store.read.spendSums.all(payments.accountId);
    expect(sums.find(({ scope }) => scope === 'account')).toMatchObject({ amountSats: PAID, count: 1 });
  });

  it('of a payment whose PSBT others sign: a rule against PSBTs denies the payment', { timeout: 60_000 }, async () => {
    let rules: AccountRules = NO_RULES;
    const payments = await openPayments({ rules: () => rules });
    const { transactions, context, wallets } = payments;
    const request = {
      name: 'shared',
      type: 'multisig',
      backupType: 'none',
      required: 2,
      cosigners: [cosigner('two').multisigKey],
    };
    const { wallet } = await wallets.create(request as never, context());
    await payments.fund(wallet, [BTC]);
    rules = rulesOf([rule({ operations: ['psbt'] })]);
    await expect(transactions.create(payments.pay(wallet, PAID), {}, context())).rejects.toMatchObject({
      code: 'policy_denied',
    });
  });
});
