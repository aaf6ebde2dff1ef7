/** Contracts under rules: what is at stake counts until they end unfunded; denied before a key is opened. */
import { expect, it } from 'vitest';
import type { Txid } from '../../../src/core/outpoint.ts';
import { type AccountRules, NO_RULES } from '../../../src/core/policies/account-rules.ts';
import { Held } from '../../../src/services/approvals/held-answer.ts';
import { openContracts } from '../contracts/contracts-setup.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { APPROVE, rule, rulesOf } from './rules-of.ts';

async function open() {
  let rules: AccountRules = NO_RULES;
  const contracts = await openContracts({ rules: () => rules });
  const { store, accountId } = contracts;
  const [one, other] = [await contracts.newWallet(), await contracts.newWallet()];
  await contracts.fund(one, [BTC, BTC]);
  await contracts.fund(other, [BTC, BTC]);
  const counted = async () =>
    (await store.read.spendSums.all(accountId)).flatMap(({ scope, subject, amountSats, count }) =>
      scope === 'wallet' ? [[subject === one.walletId ? 'one' : 'other', amountSats, count]] : [],
    );
  return {
    ...{ ...contracts, one, other, counted },
    setRules(...policies: readonly Parameters<typeof rule>[]) {
      rules = rulesOf(policies.map((given) => rule(...given)));
    },
  };
}

/** What an operation that waits is answered. */
const held = async (answer: Promise<unknown>): Promise<Held> => {
  expect(await answer).toBeInstanceOf(Held);
  return answer as Promise<Held>;
};

it('what is at stake between two wallets counts, and is given back when it ends before it is funded', async () => {
  const { counted, one, other, setRules, create, contracts, context, mine, get } = await open();
  await create(one);
  expect(await counted()).toEqual([]);
  const made = await create(one, { counterparty: { walletId: other.walletId } });
  expect(await counted()).toEqual(
    expect.arrayContaining([
      ['one', 500_000n, 1],
      ['other', 500_000n, 1],
    ]),
  );
  setRules([{ window: { hours: 1, per: 'wallet', amountOverSats: 999_999n } }]);
  await expect(create(one, { counterparty: { walletId: other.walletId } })).rejects.toMatchObject({
    code: 'policy_denied',
    message: 'rule "limit" denies this contract offer: not today',
  });
  await contracts.cancel(made.contractId, context());
  await mine();
  expect((await get(made.contractId)).status).toBe('cancelled');
  expect(await counted()).toEqual([]);
  await create(one, { counterparty: { walletId: other.walletId } });
});

it.each([999_999n, 1_000_000n])('what two wallets put in counts together: above %s', async (amountOverSats) => {
  const { counted, one, other, setRules, create } = await open();
  setRules([{ window: { hours: 1, per: 'account', amountOverSats } }]);
  const made = create(one, { counterparty: { walletId: other.walletId } });
  if (amountOverSats < 1_000_000n) {
    await expect(made).rejects.toMatchObject({ message: 'rule "limit" denies this contract accept: not today' });
    expect(await counted()).toEqual([]);
  } else expect(await made).toMatchObject({ policy: { action: 'allow' } });
});

it('what two wallets put in counts together when it is approved', async () => {
  const { one, other, setRules, create, approvedContracts, store } = await open();
  setRules([{ operations: ['contract_offer'] }, APPROVE]);
  const { accountId, approvalId } = await create(one, { counterparty: { walletId: other.walletId } });
  const approval = (await store.read.approvals.find(accountId, approvalId!))!;
  const again = () => store.write((tx) => approvedContracts.askAgain(tx, approval, Date.now()));
  setRules([{ window: { hours: 1, per: 'account', amountOverSats: 1_000_000n } }]);
  expect(await again()).toMatchObject({ denied: null });
  setRules([{ window: { hours: 1, per: 'account', amountOverSats: 999_999n } }]);
  expect(await again()).toMatchObject({ denied: 'rule "limit" denies this contract accept: not today' });
});

it('a child that helps a contract is denied, or waits by itself, unsigned', async () => {
  const { one, setRules, create, contracts, context, get, mempool, transactions } = await open();
  const { contractId, fundingTxid } = await create(one);
  const before = await get(contractId);
  const help = () => contracts.cpfp(contractId, { feeRateSatVb: 20n }, context());
  setRules([{ operations: ['contract_cpfp'] }]);
  await expect(help()).rejects.toMatchObject({ message: 'rule "limit" denies this contract cpfp: not today' });
  setRules([{ operations: ['contract_cpfp'] }, APPROVE]);
  const { approval } = await held(help());
  expect(approval).toMatchObject({ operation: 'contract_cpfp', status: 'pending', walletId: one.walletId });
  const child = await transactions.get(approval.subject as Txid, context());
  expect(child).toMatchObject({ status: 'awaiting_approval', approvalId: approval.approvalId });
  expect([await mempool(), await get(contractId)]).toEqual([[fundingTxid], before]);
});

it('approved, and stopped before it was carried out, it goes on from the database alone, and once', async () => {
  const { one, setRules, create, get, reopen, approved, store, mempool, told, chain } = await open();
  setRules([{ operations: ['contract_accept'] }, APPROVE]);
  const { contractId, ...waiting } = await create(one);
  expect(waiting).toMatchObject({ status: 'awaiting_approval', policy: { action: 'approve' } });
  const approval = await approved({ contractId, ...waiting });
  const signal = new AbortController().signal;
  chain.setReachable(false);
  await expect(reopen().approvedContracts.carryOut(approval, signal, async () => {})).rejects.toMatchObject({
    code: 'node_unavailable',
  });
  chain.setReachable(true);
  const processes = [reopen(), reopen()];
  await Promise.all(
    processes.map(({ approvedContracts }) => approvedContracts.carryOut(approval, signal, async () => {})),
  );
  await Promise.all(processes.map(({ driver }) => driver.advance({ accountId: waiting.accountId, contractId })));
  const { status, fundingTxid } = await get(contractId);
  expect([status, await mempool()]).toEqual(['funded', [fundingTxid]]);
  const { doneAt } = (await store.read.approvals.find(waiting.accountId, approval.approvalId))!;
  expect(doneAt).not.toBeNull();
  expect((await told(contractId)).map((one) => one.status)).toEqual(
    expect.arrayContaining(['awaiting_approval', 'offered', 'accepted', 'signed', 'funded']),
  );
  expect((await told(contractId)).filter((one) => one.status === 'offered')).toHaveLength(1);
});

it('carried out it must be what was approved, to the byte', async () => {
  const { one, setRules, create, get, approved, approvedContracts, store } = await open();
  setRules([{ operations: ['contract_offer'] }, APPROVE]);
  const made = await create(one, { counterparty: { mode: 'remote' } });
  const offer = await store.read.contracts.message(made.accountId, made.contractId, 'offer');
  const other = Uint8Array.from(offer!).fill(1, 100, 101);
  await store.write((tx) => tx.contracts.putMessage(made.accountId, made.contractId, 'offer', other));
  const approval = await approved(made);
  await expect(approvedContracts.carryOut(approval, new AbortController().signal, async () => {})).rejects.toThrow(
    'another than was approved',
  );
  expect((await get(made.contractId)).status).toBe('awaiting_approval');
});

it.each([-1n, 0n, 1n])('what a close gives away counts in windows: %s satoshis beside it', async (beside) => {
  const { one, other, setRules, confirmed, contracts, context } = await open();
  const { contractId } = await confirmed(one, { counterparty: { walletId: other.walletId } });
  const close = () => contracts.close(contractId, { offerPayoutSats: 0n }, context());
  // All of the offerer's half, beside what the account has at stake of other contracts: nothing.
  const window = { hours: 1, per: 'wallet', amountOverSats: 500_000n + beside } as const;
  setRules([{ operations: ['contract_close'], window }, APPROVE]);
  if (beside < 0n) expect((await held(close())).approval.status).toBe('pending');
  else expect((await close()).psbt).toBeNull();
});

it.each([
  ['contract_offer', 'rule "limit" denies this contract offer: not today'],
  ['contract_accept', 'rule "limit" denies this contract accept: not today'],
] as const)('%s is denied before anything is kept', async (operation, message) => {
  const { one, setRules, create, contracts, context } = await open();
  setRules([{ operations: [operation] }]);
  await expect(create(one)).rejects.toMatchObject({ code: 'policy_denied', message });
  expect((await contracts.list({}, { limit: 1, offset: 0 }, context())).total).toBe(0);
});

it.each([
  ['contract_execute', 'execute', 'contract execute'],
  ['attest', 'execute', 'contract execute'],
  ['contract_close', 'close', 'contract close'],
  ['contract_cancel', 'cancel', 'contract cancel'],
] as const)('%s is denied, or waits where approvals are wanted', async (operation, how, word) => {
  const { one, setRules, create, contracts, context, mine, get } = await open();
  const { contractId } = await create(one);
  const settled = how === 'execute' || how === 'close';
  if (settled) await mine();
  const ask = {
    execute: () => contracts.execute(contractId, { outcome: 'yes' }, context()),
    close: () => contracts.close(contractId, { offerPayoutSats: 1_000_000n }, context()),
    cancel: () => contracts.cancel(contractId, context()),
  }[how];
  const before = await get(contractId);
  setRules([{ operations: [operation] }]);
  await expect(ask()).rejects.toMatchObject({ message: `rule "limit" denies this ${word}: not today` });
  setRules([{ operations: [operation] }, APPROVE, 'eyes']);
  expect((await held(ask())).approval).toMatchObject({ status: 'pending', subject: contractId });
  expect(await get(contractId)).toEqual(before);
  setRules([{ operations: ['payment'] }]);
  await ask();
});
