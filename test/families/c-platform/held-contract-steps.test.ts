/** Steps of contracts that wait for approval: nothing is attested, signed or sent before it, and exactly what was approved after it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/audit-log/canonical-json.ts';
import { digestOfText } from '../../../src/core/policies/approval-text.ts';
import { ApprovalRefused, verifyApproval } from '../../../src/core/policies/verify-approval.ts';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { APPROVALS, type ApprovalsApp, startApprovalsApp } from './approvals-app.ts';
import { type ContractSteps, contractSteps } from './contract-steps.ts';

interface Step {
  readonly operation: string;
  /** A contract that it can be asked of, and how. */
  prepare(): Promise<{ id: string; ask(): Promise<TestAnswer> }>;
  /** What the approval's result has to be of. */
  isDone(result: Json, contract: Json, signs: Json): void;
}

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

const STEPS: Record<string, Step> = {
  execute: {
    operation: 'contract_execute',
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
    operation: 'contract_close',
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
    operation: 'contract_close',
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
    operation: 'contract_close',
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
};

describe.each(Object.keys(STEPS))('%s', (name) => {
  const { operation, prepare, isDone } = STEPS[name]!;
  async function waiting() {
    const { id, ask } = await prepare();
    await app.rules({ when: { operations: [operation] } });
    const before = await contracts.get(id);
    const answer = await ask();
    expect(answer.status, answer.text).toBe(202);
    return { id, before, approval: answer.body as Json, signs: JSON.parse(answer.body.text).signs as Json };
  }

  it('waits unsigned, and is done with the last vote exactly as it was approved', async () => {
    const { id, before, approval, signs } = await waiting();
    expect(approval).toMatchObject({ operation, subject: id, status: 'pending', result: null });
    expect(approval).toMatchObject({ wallet_id: app.walletId, digest: digestOfText(approval.text) });
    expect(signs).toMatchObject({ kind: 'transaction', wallet_id: app.walletId, contract: { contract_id: id } });
    expect(signs.inputs).toMatchObject([{ txid: before.funding_txid }]);
    expect(await contracts.get(id)).toEqual(before);
    expect(await attestations(before.event_ids[0])).toEqual([]);
    expect((await app.get(`/api/v1/transactions/${signs.unsigned_txid}`)).status).toBe(404);

    await app.vote(approval.approval_id, ada);
    const done = await ended(approval.approval_id, 'done');
    isDone(done.result, await contracts.get(id), signs);
    const file = (await app.get(`${APPROVALS}/${approval.approval_id}/export`)).body;
    expect(verifyApproval(file)).toMatchObject({ met: true, text: { signs } });
    for (const lie of [{ outputs: [] }, { contract: {} }, { contract: { ...signs.contract, more: 1 } }]) {
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
    const { id, before, approval } = await waiting();
    await end(approval.approval_id);
    expect((await ended(approval.approval_id, status)).reason).toContain(reason);
    expect(await contracts.get(id)).toEqual(before);
    expect(await attestations(before.event_ids[0])).toEqual([]);
  });

  it('ends where the contract is settled meanwhile, which the service does by itself', async () => {
    const { id, before, approval } = await waiting();
    expect((await attest(before.event_ids[0], 'tails')).status).toBe(201);
    await contracts.until(id, 'executed');
    const { reason } = await ended(approval.approval_id, 'failed');
    expect(reason).toContain(`contract ${id} is`);
    expect((await app.vote(approval.approval_id, ada)).status).toBe(409);
  });

  it('ends where a reorganization takes the funding transaction out of its block', async () => {
    const { id, approval } = await waiting();
    await app.simulated.reorganize(1);
    await app.synced();
    const { reason } = await ended(approval.approval_id, 'failed');
    expect(reason).toContain('its funding transaction waits for a block');
    await contracts.mine();
    await contracts.until(id, 'confirmed');
  });

  it('approved and not done when the service ended, it is done once', async () => {
    const { id, approval, signs } = await waiting();
    await approvedUnseen(approval.approval_id);
    isDone((await ended(approval.approval_id, 'done')).result, await contracts.get(id), signs);
  });

  it('approved, and no longer possible when it comes to it, it fails and says why', async () => {
    const { id, before, approval } = await waiting();
    await app.app.store.write(async (tx) => {
      const key = { accountId: app.accountId, approvalId: approval.approval_id };
      await tx.approvals.close(key, { status: 'approved', reason: null, closedAt: 1 });
      await tx.contracts.update(app.accountId, before.contract_id, { status: 'closed', outcome: 'tails' });
    });
    expect((await ended(approval.approval_id, 'failed')).reason).toMatch(/tails|settled|closed/);
    expect((await contracts.get(id)).status).toBe('closed');
  });
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
