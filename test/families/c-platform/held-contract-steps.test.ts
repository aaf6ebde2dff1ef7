/** Steps of contracts that wait for approval: nothing is attested, signed or sent before it, and exactly what was approved after it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatBtc } from '../../../src/core/amount.ts';
import { canonicalJson } from '../../../src/core/audit-log/canonical-json.ts';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import type { ContractId } from '../../../src/core/ids.ts';
import { digestOfText } from '../../../src/core/policies/approval-text.ts';
import { ApprovalRefused, verifyApproval } from '../../../src/core/policies/verify-approval.ts';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { APPROVALS, type ApprovalsApp, startApprovalsApp } from './approvals-app.ts';
import { type ContractSteps, contractSteps } from './contract-steps.ts';

interface Step {
  readonly operation: string;
  /** As a refusal calls it. */
  readonly done: string;
  /** A contract that it can be asked of, and how. */
  prepare(): Promise<{ id: string; ask(): Promise<TestAnswer> }>;
  /** Of what is approved. */
  readonly kind: 'transaction' | 'contract' | 'contract_cancel';
  /** Other members of it, each of which is a lie. */
  lies(signs: Json): readonly Json[];
  /** What the approval's result has to be of, and what becomes of the contract. */
  isDone(result: Json, contract: Json, signs: Json): void | Promise<void>;
}

const txidOf = (transaction: string): string => parseTransaction(Buffer.from(transaction, 'hex')).txid;
const CLOSING: Pick<Step, 'kind' | 'lies'> = {
  kind: 'transaction',
  lies: ({ contract }) => [
    ...[{ outputs: [] }, { contract: {} }, { contract: { ...contract, more: 1 } }],
    ...(contract.sides ?? []).map((side: Json) => ({
      contract: { ...contract, sides: [{ ...side, gets: '0.03000000' }] },
    })),
  ],
};
const SIGNING: Pick<Step, 'operation' | 'done' | 'kind' | 'lies'> = {
  ...{ operation: 'contract_sign', done: 'accepted|signed', kind: 'contract' },
  lies: ({ offer, offer_message, funding_transaction }) => [
    { funding_transaction: `${funding_transaction.slice(0, -8)}01000000` },
    { funding_transaction: '' },
    { offer: { ...offer, fee_rate_per_vb: 1 } },
    { accept_message: null },
    { offer_message: `${offer_message}00` },
  ],
};

let app: ApprovalsApp;
let contracts: ContractSteps;
let [eve, ada] = ['', ''];
beforeAll(async () => {
  app = await startApprovalsApp();
  contracts = await contractSteps(app);
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.rules();
  eve = await app.voice('usr_eve');
  ada = await app.voice('usr_ada');
});

const attestations = async (event: string) => (await app.get(`/api/v1/dlc/attestations?event_id=${event}`)).body.data;
const attest = (event: string, outcome = 'heads') =>
  app.post('/api/v1/dlc/attestations', { oracle: 'local', event_id: event, outcome });
const ended = async (id: string, status: string): Promise<Json> => {
  const now = async () => {
    const approval = await app.approval(id);
    return approval.done_at === null ? approval.status : 'done';
  };
  await expect.poll(now, { timeout: 90_000, interval: 50 }).toBe(status);
  return (await app.get(`${APPROVALS}/${id}`, { apiKey: eve })).body;
};
/** As where the process ended right after the job of the last vote. */
const approvedUnseen = (approvalId: string) =>
  app.app.store.write((tx) =>
    tx.approvals.close(
      { accountId: app.accountId, approvalId: approvalId as `apr_${string}` },
      { status: 'approved', reason: null, closedAt: 1 },
    ),
  );

/** As it is kept before anybody sends it. */
const fundingOf = async (id: ContractId) => (await app.app.store.read.contracts.find(app.accountId, id))?.fundingTxid;

const STEPS: Record<string, Step> = {
  execute: {
    ...{ operation: 'contract_execute', done: 'executed', ...CLOSING },
    async prepare() {
      const { contract_id: id } = await contracts.confirmed();
      return { id, ask: () => contracts.execute(id, eve) };
    },
    isDone(result, contract, signs) {
      expect(result).toMatchObject({ outcome: 'heads', closing_txid: signs.unsigned_txid });
      expect(contract).toMatchObject({ outcome: 'heads', closing_txid: signs.unsigned_txid });
    },
  },
  'close with both sides here': {
    ...{ operation: 'contract_close', done: 'closed cooperatively', ...CLOSING },
    async prepare() {
      const { contract_id: id } = await contracts.confirmed();
      return { id, ask: () => contracts.close(id, { offer_payout: '0.01200000' }, eve) };
    },
    isDone(result, contract, signs) {
      expect(result).toMatchObject({ psbt: null, contract: { closing_txid: signs.unsigned_txid } });
      expect(contract.closing_txid).toBe(signs.unsigned_txid);
    },
  },
  'proposal of a close': {
    ...{ operation: 'contract_close', done: 'closed cooperatively', ...CLOSING },
    async prepare() {
      const { contract_id: id } = (await contracts.between()).ours;
      return { id, ask: () => contracts.close(id, { offer_payout: '0.01200000' }, eve) };
    },
    isDone(result, contract, signs) {
      expect(contract).toMatchObject({ status: 'confirmed', closing_txid: null });
      expect(result.psbt).toMatch(/^cHNidP/);
      expect(signs.outputs.map(({ own }: Json) => own).sort()).toEqual([false, true]);
    },
  },
  'taking of a close': {
    ...{ operation: 'contract_close', done: 'closed cooperatively', ...CLOSING },
    async prepare() {
      const { ours, theirs } = await contracts.between();
      const proposal = { offer_payout: '0.00900000' };
      const { psbt } = (await contracts.byDesk(`/api/v1/dlc/contracts/${theirs.contract_id}/close`, proposal)).body;
      const taking = { psbt, minimum_payout: '0.00800000' };
      return { id: ours.contract_id, ask: () => contracts.close(ours.contract_id, taking, eve) };
    },
    isDone(result, contract, signs) {
      expect(result).toMatchObject({ psbt: null, contract: { closing_txid: signs.unsigned_txid } });
      expect(contract.closing_txid).toBe(signs.unsigned_txid);
    },
  },
  'taking of an acceptance, with which we sign': {
    ...SIGNING,
    async prepare() {
      const { ours, message } = await contracts.answered();
      return { id: ours.contract_id, ask: () => contracts.accept(ours.contract_id, message, eve) };
    },
    async isDone(result, { contract_id }, { funding_transaction }) {
      expect(result).toMatchObject({ contract_id, status: 'accepted' });
      expect(await fundingOf(contract_id)).toBe(txidOf(funding_transaction));
      expect((await contracts.until(contract_id, 'signed')).messages.sign).toMatch(/^[0-9a-f]+$/);
    },
  },
  'taking of a sign message, with which we fund': {
    ...SIGNING,
    async prepare() {
      const { ours, message } = await contracts.signedByThem();
      return { id: ours.contract_id, ask: () => contracts.sign(ours.contract_id, message, eve) };
    },
    async isDone(result, { contract_id }, { funding_transaction }) {
      expect(result).toMatchObject({ contract_id, status: 'signed' });
      expect((await contracts.until(contract_id, 'funded')).funding_txid).toBe(txidOf(funding_transaction));
    },
  },
  'cancellation of an offer': {
    ...{ operation: 'contract_cancel', done: 'cancelled', kind: 'contract_cancel' },
    async prepare() {
      const { contract_id: id } = (await contracts.answered()).ours;
      return { id, ask: () => contracts.cancel(id, eve) };
    },
    lies: ({ coins }) => [{ coins: [{ ...coins[0], more: 1 }] }, { status: 1 }],
    async isDone(result, contract, { coins }) {
      const { offerSide } = (await app.app.store.read.contracts.find(app.accountId, contract.contract_id))!;
      const amounts = offerSide!.inputs.map(({ txid, vout, amountSats }) => ({
        ...{ wallet_id: app.walletId, txid, vout, amount: formatBtc(BigInt(amountSats)) },
      }));
      expect(coins).toEqual(amounts);
      expect(coins).toHaveLength(1);
      expect(result).toMatchObject({ status: 'cancelled', reason: 'cancelled on request' });
      expect(contract.status).toBe('cancelled');
    },
  },
  'cancellation of one that we signed': {
    ...{ operation: 'contract_cancel', done: 'cancelled', kind: 'transaction' },
    async prepare() {
      const { contract_id: id } = (await contracts.signed()).ours;
      return { id, ask: () => contracts.cancel(id, eve) };
    },
    lies: CLOSING.lies,
    async isDone(result, contract, { unsigned_txid: txid }) {
      const reason = `cancelled: ${txid} spends what was to fund it`;
      expect(result).toMatchObject({ status: 'cancelled', reason });
      expect(contract).toMatchObject({ status: 'cancelled', reason });
      expect((await app.status(txid, 'broadcast')).policy).toMatchObject({
        action: 'approve',
        rules: [{ name: 'rule 0' }],
      });
      app.advance(1_000);
      const replay = { policies: [], from: new Date(app.now() - 2_000).toISOString(), default_action: 'deny' };
      const { differences } = (await app.post('/api/v1/enterprise/policies/replay', replay)).body;
      expect(differences.find((one: Json) => one.txid === txid)).toMatchObject({
        before: { action: 'approve' },
        after: { action: 'deny' },
      });
    },
  },
};

async function waitingFor({ operation, prepare }: Step) {
  const { id, ask } = await prepare();
  await app.rules({ when: { operations: [operation] } });
  const before = await contracts.get(id);
  const answer = await ask();
  expect(answer.status, answer.text).toBe(202);
  return { id, ask, before, approval: answer.body as Json, signs: JSON.parse(answer.body.text).signs as Json };
}

describe.each(Object.entries(STEPS))('%s', (_name, step) => {
  const { operation, done, kind, lies, isDone } = step;
  const waiting = () => waitingFor(step);

  it('waits unsigned, and is done with the last vote exactly as it was approved', async () => {
    const { id, before, approval, signs } = await waiting();
    expect(approval).toMatchObject({ operation, subject: id, status: 'pending', result: null });
    expect(approval).toMatchObject({ wallet_id: app.walletId, digest: digestOfText(approval.text) });
    expect(signs.kind).toBe(kind);
    expect(await contracts.get(id)).toEqual(before);
    const txid = signs.unsigned_txid ?? (signs.funding_transaction && txidOf(signs.funding_transaction));
    if (txid) expect((await app.get(`/api/v1/transactions/${txid}`)).status).toBe(404);

    await app.vote(approval.approval_id, ada);
    const { result } = await ended(approval.approval_id, 'done');
    await isDone(result, await contracts.get(id), signs);
    const file = (await app.get(`${APPROVALS}/${approval.approval_id}/export`)).body;
    expect(verifyApproval(file)).toMatchObject({ met: true, text: { signs } });
    for (const lie of lies(signs)) {
      const text = canonicalJson({ ...JSON.parse(file.text), signs: { ...signs, ...lie } });
      expect(() => verifyApproval({ ...file, text, digest: digestOfText(text), votes: [] })).toThrow(ApprovalRefused);
    }
  });

  it.each([
    ['rejected', 'rejected by usr_ada', (id: string) => app.vote(id, ada, { decision: 'reject' })],
    ['rejected', 'rejected by usr_eve', (id: string) => app.vote(id, eve, { decision: 'reject' })],
    ['expired', 'nobody approved it in time', async () => app.advance(25 * 3_600_000)],
    [
      'failed',
      'not today',
      async (id: string) => {
        await app.rules({ then: { action: 'deny', message: 'not today' } });
        await app.vote(id, ada);
      },
    ],
  ])('is %s (%s): the contract stands as before, and can be asked for again', async (status, reason, end) => {
    const { id, ask, before, approval } = await waiting();
    await end(approval.approval_id);
    expect((await ended(approval.approval_id, status)).reason).toContain(reason);
    expect(await contracts.get(id)).toEqual(before);
    await app.rules({ when: { operations: [operation] } });
    // An offer of which nothing is known within a day has expired by then.
    if (status !== 'expired') expect((await ask()).status).toBe(202);
  });

  it('approved and not done when the service ended, it is done once', async () => {
    const { id, approval, signs } = await waiting();
    await approvedUnseen(approval.approval_id);
    await isDone((await ended(approval.approval_id, 'done')).result, await contracts.get(id), signs);
  });

  it('approved, and no longer possible when it comes to it, it fails and says why', async () => {
    const { id, before, approval, signs } = await waiting();
    await app.app.store.write(async (tx) => {
      const key = { accountId: app.accountId, approvalId: approval.approval_id };
      await tx.approvals.close(key, { status: 'approved', reason: null, closedAt: 1 });
      await tx.contracts.update(app.accountId, before.contract_id, { status: 'failed', reason: 'a coin is gone' });
    });
    const { reason } = await ended(approval.approval_id, 'failed');
    expect(reason).toMatch(new RegExp(`contract ${id} is failed and cannot be (${done}): .*: a coin is gone`));
    expect(await contracts.get(id)).toMatchObject({ status: 'failed', closing_txid: null });
    if (signs.unsigned_txid) expect((await app.get(`/api/v1/transactions/${signs.unsigned_txid}`)).status).toBe(404);
  });
});

describe.each(Object.entries(STEPS).filter(([, { done }]) => /executed|closed/.test(done)))('%s', (_name, step) => {
  it('ends where the contract is settled meanwhile, which the service does by itself', async () => {
    const { id, before, approval } = await waitingFor(step);
    expect((await attest(before.event_ids[0], 'tails')).status).toBe(201);
    await contracts.until(id, 'executed');
    const { reason } = await ended(approval.approval_id, 'failed');
    expect(reason).toMatch(
      new RegExp(`contract ${id} is confirmed and cannot be ${step.done}: its closing transaction`),
    );
    expect((await app.vote(approval.approval_id, ada)).status).toBe(409);
  });

  it('ends where a reorganization takes the funding transaction out of its block', async () => {
    const { id, approval } = await waitingFor(step);
    await app.simulated.reorganize(1);
    await app.synced();
    const { reason } = await ended(approval.approval_id, 'failed');
    expect(reason).toContain('its funding transaction waits for a block');
    await contracts.mine();
    await contracts.until(id, 'confirmed');
  });
});

it('ends where the refund becomes due meanwhile, which the service sends by itself', async () => {
  const step = STEPS.execute!;
  const { height } = (await app.app.store.read.ledger.tip())!;
  const { id, before, approval, signs } = await waitingFor({
    ...step,
    async prepare() {
      const { contract_id: id } = await contracts.confirmed({ refund_locktime: height + 5 });
      return { id, ask: () => contracts.execute(id, eve) };
    },
  });
  await contracts.mine(5);
  const refunded = await contracts.until(id, 'refunded');
  expect(refunded.closing_txid).not.toBe(signs.unsigned_txid);
  expect((await ended(approval.approval_id, 'failed')).reason).toContain(
    `contract ${id} is confirmed and cannot be executed`,
  );
  expect(await attestations(before.event_ids[0])).toEqual([]);
});

it('ends where the offer expires meanwhile, whose coins are then free', async () => {
  const expires_at = new Date(app.now() + 2 * 3_600_000).toISOString();
  const { id, approval } = await waitingFor({
    ...STEPS['taking of an acceptance, with which we sign']!,
    async prepare() {
      const { ours, message } = await contracts.answered({ expires_at });
      return { id: ours.contract_id, ask: () => contracts.accept(ours.contract_id, message, eve) };
    },
  });
  app.advance(3 * 3_600_000);
  await contracts.mine();
  expect((await ended(approval.approval_id, 'failed')).reason).toMatch(
    `contract ${id} is cancelled and cannot be accepted`,
  );
  expect(await contracts.get(id)).toMatchObject({ status: 'cancelled' });
});

it('is refused without room before its text is made', async () => {
  const { contract_id: id } = await contracts.confirmed();
  const { address } = (await app.post(`/api/v1/wallets/${app.walletId}/addresses`)).body;
  await app.rules({ when: { operations: ['message', 'contract_execute'] } });
  const read = vi.spyOn(app.app.store.read.oracleEvents, 'find');
  const waiting = (await contracts.execute(id, eve)).body;
  expect(read).toHaveBeenCalled();
  for (let n = 0; n < 30; n++)
    await app.post(`/api/v1/wallets/${app.walletId}/messages`, { address, message: `${n}` }, { apiKey: eve });
  // What waits already takes no more room.
  expect((await contracts.execute(id, eve)).body).toMatchObject({
    approval_id: waiting.approval_id,
    status: 'pending',
  });
  await app.vote(waiting.approval_id, ada, { decision: 'reject' });
  await app.post(`/api/v1/wallets/${app.walletId}/messages`, { address, message: 'one more' }, { apiKey: eve });
  read.mockClear();
  expect(await contracts.execute(id, eve)).toMatchObject({
    status: 422,
    body: { error: { details: { code: 'policy_refused' } } },
  });
  expect(read).not.toHaveBeenCalled();
  read.mockRestore();
  app.advance(25 * 3_600_000);
});

describe('of what was approved when the contract was offered', () => {
  const taking = (theirs: { ours: Json; message: string }) =>
    contracts.accept(theirs.ours.contract_id, theirs.message, eve);
  it('a rule is not asked again when we sign; another is', async () => {
    await app.rules({});
    const asked = await contracts.answered({}, (id) => app.vote(id, ada));
    expect((await taking(asked)).status).toBe(200);
    await app.rules({});
    const more = await contracts.answered({}, (id) => app.vote(id, ada));
    await app.rules({ required: 2 });
    expect((await taking(more)).status).toBe(202);
  });
});

it('a contract that is signed or funded otherwise by then is not cancelled as it was approved', async () => {
  const { ours, message } = await contracts.answered();
  await app.rules({ when: { operations: ['contract_cancel'] } });
  const { approval_id } = (await contracts.cancel(ours.contract_id, eve)).body;
  expect((await contracts.accept(ours.contract_id, message)).status).toBe(200);
  await app.vote(approval_id, ada);
  expect((await ended(approval_id, 'failed')).reason).toMatch(/was signed meanwhile|is not what was approved/);
  const { ours: signed, theirs } = await contracts.signed();
  const waits = (await contracts.cancel(signed.contract_id, eve)).body;
  await contracts.byDesk(`/api/v1/dlc/contracts/${theirs.contract_id}/sign`, { message: signed.messages.sign });
  await contracts.mine();
  await contracts.until(signed.contract_id, 'confirmed');
  expect((await ended(waits.approval_id, 'failed')).reason).toContain('is confirmed and cannot be cancelled');
});

it('of two acceptances that wait the first that is approved is taken; the other ends', async () => {
  const { ours, message } = await contracts.answered();
  await app.rules({ when: { operations: ['contract_sign'] } });
  const [one, other] = [
    await contracts.accept(ours.contract_id, message, eve),
    await contracts.accept(ours.contract_id, message, await app.voice('usr_bob')),
  ];
  await app.vote(one.body.approval_id, ada);
  await ended(one.body.approval_id, 'done');
  expect((await ended(other.body.approval_id, 'failed')).reason).toContain('cannot be accepted');
  // What was taken is answered again, without a rule.
  expect((await contracts.accept(ours.contract_id, message, eve)).status).toBe(200);
});

describe('between two wallets of the account, the rules of both are asked', () => {
  let other = '';
  const between = async () => (await contracts.confirmed({ counterparty: { wallet_id: other } })).contract_id as string;
  const close = (id: string, offer_payout: string) => contracts.close(id, { offer_payout }, eve);
  beforeAll(async () => {
    const made = await app.post('/api/v1/wallets', { name: 'Other', type: 'segwit', backup_type: 'mnemonic' });
    other = made.body.wallet_id;
    for (let coin = 0; coin < 3; coin++) {
      const { address } = (await app.post(`/api/v1/wallets/${other}/addresses`)).body;
      await app.post('/api/v1/bitcoin/blocks', { count: 1, address });
    }
    await contracts.mine(100);
  });

  it.each([
    'contract_close',
    'contract_execute',
  ])('a rule on the accepting wallet alone denies %s', async (operation) => {
    const id = await between();
    await app.rules({
      when: { operations: [operation], wallets: [other] },
      then: { action: 'deny', message: 'never' },
    });
    const asked = operation === 'contract_close' ? close(id, '0.01990000') : contracts.execute(id, eve);
    expect(await asked).toMatchObject({ status: 403, body: { error: { details: { code: 'policy_denied' } } } });
    expect(await contracts.get(id)).toMatchObject({ status: 'confirmed', closing_txid: null });
  });

  it('a rule on the other wallet denies what settles both contracts of an offer that the account took itself', async () => {
    await app.rules();
    const { contract_id: id, messages } = await contracts.offer({ counterparty: { mode: 'remote' } });
    const taken = (await app.post('/api/v1/dlc/offers', { message: messages.offer })).body.contract_id;
    const accepted = await app.post(`/api/v1/dlc/contracts/${taken}/accept`, { wallet_id: other });
    const { body } = await contracts.accept(id, accepted.body.messages.accept);
    const rule = (...operations: string[]) => ({ when: { operations, wallets: [other] } });
    await app.rules({ ...rule('contract_cancel', 'contract_execute'), then: { action: 'deny', message: 'never' } });
    expect((await contracts.cancel(id, eve)).body.error.details.code).toBe('policy_denied');
    await contracts.sign(taken, body.messages.sign);
    await contracts.mine();
    await contracts.until(id, 'confirmed');
    expect((await contracts.execute(id, eve)).body.error.details.code).toBe('policy_denied');
    // Whom the rules of both ask approves once.
    await app.rules(rule('contract_execute'), { when: { operations: ['contract_execute'] } });
    const waiting = (await contracts.execute(id, eve)).body;
    expect(waiting.requirements).toHaveLength(2);
    expect((await app.vote(waiting.approval_id, ada)).body.status).toBe('approved');
    expect((await ended(waiting.approval_id, 'done')).result.outcome).toBe('heads');
  });

  it('what either loses counts, also of the one that accepted; the text says what both get', async () => {
    const id = await between();
    const loss = (walletId: string) => ({
      when: { operations: ['contract_close'], wallets: [walletId], amountOverSats: 900_000n },
    });
    await app.rules(loss(other));
    const { status, body } = await close(id, '0.01990000');
    expect(status).toBe(202);
    const { signs } = JSON.parse(body.text);
    const gets = (own: number) => signs.outputs[own].amount;
    expect(signs.contract.sides.map(({ put_in }: Json) => put_in)).toEqual(['0.01000000', '0.01000000']);
    expect(signs.contract.sides).toMatchObject([
      { side: 'offer', wallet_id: app.walletId, gets: expect.stringMatching(/^0.0199/) },
      { side: 'accept', wallet_id: other, gets: expect.stringMatching(/^0.0001/) },
    ]);
    expect([gets(0), gets(1)].sort()).toEqual(signs.contract.sides.map(({ gets }: Json) => gets).sort());
    expect(signs.outputs.map(({ own }: Json) => own)).toEqual([true, true]);
    // Asked again with the vote: of both again.
    await app.rules(loss(other), { when: { wallets: [other] }, then: { action: 'deny', message: 'no more' } });
    await app.vote(body.approval_id, ada);
    expect((await ended(body.approval_id, 'failed')).reason).toContain('no more');
    await app.rules(loss(app.walletId));
    expect((await close(id, '0.01990000')).status).toBe(200);
  });

  it.each([989_000n, 991_000n])('windows of its wallet count what it loses: above %s', async (amountOverSats) => {
    app.advance(3 * 3_600_000);
    const id = await between();
    const window = { hours: 1, per: 'wallet', amountOverSats };
    await app.rules({ when: { operations: ['contract_close'], wallets: [other], window } });
    expect((await close(id, '0.01990000')).status).toBe(amountOverSats < 990_000n ? 202 : 200);
  });
});

it('a close that would be another by now than was approved is not signed', async () => {
  const { contract_id: id } = await contracts.confirmed();
  await app.rules({ when: { operations: ['contract_close'] } });
  const { approval_id } = (await contracts.close(id, { offer_payout: '0.01200000' }, eve)).body;
  // The fee is the contract's where none is asked for.
  await app.app.store.write((tx) => tx.contracts.update(app.accountId, id, { feeRateSatVb: 99n }));
  await app.vote(approval_id, ada);
  expect((await ended(approval_id, 'failed')).reason).toContain('is not what was approved');
  expect(await contracts.get(id)).toMatchObject({ status: 'confirmed', closing_txid: null });
});

it('a proposal longer than what is kept does not wait', async () => {
  const { ours, theirs } = await contracts.between();
  const { psbt } = (
    await contracts.byDesk(`/api/v1/dlc/contracts/${theirs.contract_id}/close`, { offer_payout: '0.01000000' })
  ).body;
  await app.rules({ when: { operations: ['contract_close'] } });
  // A proprietary field of the globals, which a PSBT may have.
  const bytes = Buffer.from(psbt, 'base64');
  const junk = Buffer.concat([Buffer.from('04fc016100fe00001800', 'hex'), Buffer.alloc(0x180000)]);
  const long = Buffer.concat([bytes.subarray(0, 5), junk, bytes.subarray(5)]).toString('base64');
  const taking = { psbt: long, minimum_payout: '0.00100000' };
  const answer = await contracts.close(ours.contract_id, taking, eve);
  expect([answer.status, answer.body.error.details.code]).toEqual([422, 'too_large']);
});

describe('the outcome of a contract', () => {
  it('waits where a rule wants its attestation approved, and shows what the oracle signs', async () => {
    const { contract_id: id, event_ids } = await contracts.confirmed();
    await app.rules({ when: { operations: ['attest'] } });
    const { status, body } = await contracts.execute(id, eve);
    expect(status).toBe(202);
    const { signs } = JSON.parse(body.text);
    expect(signs.contract).toMatchObject({ outcome: 'heads', attests: [{ event_id: event_ids[0], outcome: 'heads' }] });
    expect(signs.outputs).toMatchObject([{ amount: '0.02000000', own: true }]);
    await app.vote(body.approval_id, ada);
    await ended(body.approval_id, 'done');
    // As it went on after it was committed.
    const result = async () => (await ended(body.approval_id, 'done')).result.status;
    await expect.poll(result, { timeout: 90_000, interval: 50 }).toBe('executed');
    expect((await attestations(event_ids[0]))[0]).toMatchObject({ outcome: 'heads' });
    const file = (await app.get(`${APPROVALS}/${body.approval_id}/export`)).body;
    const lie = { ...signs.contract.attests[0], outcome: 'tails' };
    const text = canonicalJson({
      ...JSON.parse(file.text),
      signs: { ...signs, contract: { ...signs.contract, attests: [lie] } },
    });
    expect(() => verifyApproval({ ...file, text, digest: digestOfText(text), votes: [] })).toThrow(
      'is not what its attestation says',
    );
  });

  it('is settled although another approval has an event of the same name as its subject', async () => {
    const { contract_id: id } = await contracts.confirmed();
    const named = { oracle: 'local', event_id: id, outcomes: ['a', 'b'], maturity: '2026-11-21T11:00:00Z' };
    expect((await app.post('/api/v1/dlc/events', named)).status).toBe(201);
    await app.rules({ when: { operations: ['attest'] } });
    expect((await attest(id, 'a')).status).toBe(202);
    await app.rules();
    expect(await contracts.execute(id, eve)).toMatchObject({ status: 200, body: { status: 'executed' } });
  });

  it('is answered at once where it was settled by it before, whatever rules want', async () => {
    const { contract_id: id } = await contracts.confirmed();
    expect((await contracts.execute(id, eve)).status).toBe(200);
    await app.rules({ when: { operations: ['contract_execute', 'attest'] } });
    expect(await contracts.execute(id, eve)).toMatchObject({ status: 200, body: { status: 'executed' } });
  });

  it('approved and attested before the service ended, it is settled by that, and the approval is done', async () => {
    const { contract_id: id, event_ids } = await contracts.confirmed();
    await app.rules({ when: { operations: ['contract_execute'] } });
    const { approval_id, text } = (await contracts.execute(id, eve)).body;
    await approvedUnseen(approval_id);
    await attest(event_ids[0]);
    const { result } = await ended(approval_id, 'done');
    expect(result.closing_txid).toBe(JSON.parse(text).signs.unsigned_txid);
    expect(await attestations(event_ids[0])).toHaveLength(1);
  });

  it('attested otherwise since it was approved, it is settled otherwise, and the approval fails', async () => {
    const { contract_id: id, event_ids } = await contracts.confirmed();
    await app.rules({ when: { operations: ['contract_execute'] } });
    const { approval_id } = (await contracts.execute(id, eve)).body;
    await attest(event_ids[0], 'tails');
    await approvedUnseen(approval_id);
    await contracts.until(id, 'executed');
    expect((await ended(approval_id, 'failed')).reason).toContain('tails');
  });
});
