/** Execution of passed proposals: once, in time, through the rules; what failed is tried again and pays once all the same. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/core/audit-log/canonical-json.ts';
import type { ProposalId } from '../../../src/core/ids.ts';
import { outpointKey, type Txid } from '../../../src/core/outpoint.ts';
import { digestOfText } from '../../../src/core/policies/approval-text.ts';
import { verifyApproval } from '../../../src/core/policies/verify-approval.ts';
import { newHolder } from '../../../src/services/governance/move-tokens.ts';
import type { Json } from '../../builders/app.ts';
import { startUsersApp, type UsersApp } from '../c-platform/users-app.ts';

let app: UsersApp;
let treasury: string;
const HOUR = 3_600_000;
const BASE = '/v1/governance';
const PAYEE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const PAYS = { recipients: [{ address: PAYEE, amount: '0.25' }], fee_rate: '2' };

const execute = (id: string, options = {}) => app.post(`${BASE}/dao/execute/${id}`, undefined, options);
const proposal = async (id: string): Promise<Json> => (await app.get(`${BASE}/proposals/${id}`)).body;
const executionOf = async (id: string): Promise<Json> => (await proposal(id)).execution;
const listed = async (query: string): Promise<string[]> =>
  (await app.get(`${BASE}/proposals?limit=100&${query}`)).body.proposals.map(({ id }: Json) => id);
/** What was told of its execution, in order. */
async function toldOf(id: string): Promise<string[]> {
  const { events } = app.app.store.read;
  const told = await events.after(0n, 10_000, { accountId: app.accountId, channel: 'governance' });
  return told
    .map(({ data }) => JSON.parse(data))
    .filter((data) => data.proposal_id === id && 'execution_status' in data)
    .map(({ event, execution_status }) => `${event} ${execution_status}`);
}
const slug = ({ status, body }: { status: number; body: Json }) => [
  status,
  body.error?.details.code,
  body.error?.details.field,
];

async function proposed(type: string, parameters: Json = {}, apiKey = app.adminKey): Promise<string> {
  const body = { title: 'A test', description: 'Of a test', type, parameters };
  const made = await app.post(`${BASE}/proposals`, body, { apiKey });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
}
/** All power is for it, and voting is over. */
async function vote(...ids: string[]): Promise<void> {
  await app.app.store.write(async (tx) => {
    for (const id of ids)
      await tx.proposals.update(
        { accountId: app.accountId, proposalId: id as ProposalId },
        { votesFor: 1_000_000n, voters: 1 },
      );
  });
  app.advance(72 * HOUR);
}
async function ready(type: string, parameters?: Json, apiKey?: string): Promise<string> {
  const id = await proposed(type, parameters, apiKey);
  await vote(id);
  app.advance(24 * HOUR);
  return id;
}
const rule = async (body: Json): Promise<() => Promise<unknown>> => {
  const made = await app.post('/api/v1/enterprise/policies', { name: 'a rule', ...body });
  expect(made.status, made.text).toBe(201);
  return () => app.call('DELETE', `/api/v1/enterprise/policies/${made.body.policy_id}`);
};
/** On what waits for approval. */
const decide = async (verb: 'approve' | 'reject', apiKey: string) => {
  const [{ approval_id }] = (await app.get('/api/v1/enterprise/approvals?status=pending')).body.data;
  const { digest } = (await app.get(`/api/v1/enterprise/approvals/${approval_id}`)).body;
  return app.post(`/api/v1/enterprise/approvals/${approval_id}/${verb}`, { digest }, { apiKey });
};
const exportOf = async (approvalId: string): Promise<Json> =>
  (await app.get(`/api/v1/enterprise/approvals/${approvalId}/export`)).body;
const mine = async (count: number, address = PAYEE) => {
  await app.post('/api/v1/bitcoin/blocks', { count, address });
  await app.synced();
};

beforeAll(async () => {
  app = await startUsersApp();
  const wallet = { name: 'treasury', type: 'segwit', backup_type: 'none' };
  treasury = (await app.post('/api/v1/wallets', wallet)).body.wallet_id;
  const { address } = (await app.post(`/api/v1/wallets/${treasury}/addresses`)).body;
  await mine(2, address);
  await mine(100);
  expect((await app.call('PUT', `${BASE}/dao/treasury`, { wallet_id: treasury })).status).toBe(200);
});
afterAll(() => app.close());

describe('types', () => {
  it('of text: nothing follows, and it is executed once, after its timelock and within its window', async () => {
    const [id, late] = [await proposed('text'), await proposed('text')];
    expect(slug(await execute(id))).toEqual([409, 'state_conflict', 'proposal_id']);
    await vote(id, late);
    expect(await executionOf(id)).toMatchObject({ status: 'waiting_timelock', txid: null });
    expect((await execute(id)).body.error.message).toContain('can be executed from');
    app.advance(24 * HOUR);
    expect(await executionOf(id)).toMatchObject({ status: 'ready', reason: null });
    const answers = await Promise.all(Array.from({ length: 50 }, () => execute(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const { body } = answers.find(({ status }) => status === 200)!;
    expect(body).toEqual(await proposal(id));
    expect(body).toMatchObject({ execution: { status: 'executed' }, executed_at: expect.any(String) });
    app.advance(14 * 24 * HOUR);
    expect(await executionOf(late)).toMatchObject({ status: 'expired' });
    const updates = ['proposal_updated waiting_timelock', 'proposal_updated ready'];
    expect([await toldOf(id), await toldOf(late)]).toEqual([
      [...updates, 'proposal_executed executed'],
      [...updates, 'proposal_updated expired'],
    ]);
    expect([await listed('execution=executed'), await listed('execution=expired&status=passed')]).toEqual([
      [id],
      [late],
    ]);
    expect(await listed('execution=expired&status=rejected')).toEqual([]);
    expect((await app.get(`${BASE}/proposals?execution=done`)).body.error.details.field).toBe('query.execution');
    expect(slug(await execute(late))).toEqual([409, 'state_conflict', 'proposal_id']);
    expect(await executionOf(id)).toMatchObject({ status: 'executed' });
  });

  it('of parameter_change: holds for what is proposed afterwards, and is checked again', async () => {
    const shorter = await proposed('parameter_change', { timelock_hours: 0, admin_mint: false });
    const before = await proposed('text');
    const again = await proposed('parameter_change', { admin_mint: true });
    await vote(shorter, before, again);
    expect(await executionOf(shorter)).toMatchObject({ status: 'waiting_timelock' });
    app.advance(24 * HOUR);
    expect((await execute(shorter)).status).toBe(200);
    expect(slug(await execute(again))).toEqual([400, 'invalid_value', 'proposal_id']);
    expect(await executionOf(again)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('stays false'),
    });
    const after = await proposed('text');
    await vote(after);
    expect([await executionOf(before), await executionOf(after)]).toMatchObject([
      { status: 'ready' },
      { status: 'ready', from: (await proposal(after)).expires_at },
    ]);
    expect((await proposal(before)).settings.timelock_hours).toBe(24);
    expect((await execute(await ready('parameter_change', { timelock_hours: 24 }))).status).toBe(200);
  });

  it('of token_mint: also where administrators may mint no more', async () => {
    const { holder_id: address } = (await app.get(`${BASE}/tokens/balance`)).body;
    const done = await execute(await ready('token_mint', { address, amount: '5.5' }));
    expect(done.body, done.text).toMatchObject({ execution: { status: 'executed', txid: null } });
    expect((await app.get(`${BASE}/tokens/balance`)).body.balance).toBe('1000005.50000000');
  });

  it('of token_mint: for whoever had the address when it was proposed', async () => {
    const [had, has] = await Promise.all(
      [1, 2].map(async () => {
        const apiKey = await app.key({ scopes: ['governance:read'] });
        return { apiKey, id: (await app.get(`${BASE}/tokens/balance`, { apiKey })).body.holder_id as string };
      }),
    );
    const at = (holderId: string, address: string) =>
      app.app.store.write(async (tx) => {
        const found = await tx.governance.findHolder(app.accountId, holderId);
        await tx.governance.putHolder({ ...(found ?? newHolder(app.accountId, holderId, 1)), address });
      });
    await at(had!.id, PAYEE);
    const id = await ready('token_mint', { address: PAYEE, amount: '7' });
    await at(had!.id, 'moved');
    await at(has!.id, PAYEE);
    expect((await execute(id)).body.parameters).toMatchObject({ address: PAYEE, holder_id: had!.id });
    for (const [{ apiKey }, balance] of [
      [had!, '7.00000000'],
      [has!, '0.00000000'],
    ] as const)
      expect((await app.get(`${BASE}/tokens/balance`, { apiKey })).body.balance).toBe(balance);
  });

  it('of policy_change: puts a complete set of rules in the place of those there are', async () => {
    await rule({ when: { amount_over: '40' }, then: { action: 'deny' } });
    const deny = { name: 'No more than a coin', when: { amount_over: '1.00000000' }, then: { action: 'deny' } };
    const [id, void_] = [
      await proposed('policy_change', { policies: [deny] }),
      await proposed('policy_change', { policies: [] }),
    ];
    await vote(id, void_);
    app.advance(24 * HOUR);
    const noRules = await app.key({ role: 'admin', scopes: ['governance:write'] });
    expect((await execute(id, { apiKey: noRules })).status).toBe(403);
    const rules = async () => (await app.get('/api/v1/enterprise/policies')).body.data;
    expect((await rules()).map(({ name }: Json) => name)).toEqual(['a rule']);
    expect((await execute(id)).body.execution).toMatchObject({ status: 'executed' });
    expect(await rules()).toMatchObject([{ ...deny, enabled: true, position: 1 }]);
    expect((await execute(void_)).status).toBe(200);
    expect(await rules()).toEqual([]);
    const approve = { name: 'Never', then: { action: 'approve', required: 20, from: { roles: ['viewer'] } } };
    expect(slug(await execute(await ready('policy_change', { policies: [approve] })))).toEqual([
      ...[422, 'policy_refused', 'proposal_id'],
    ]);
    expect(await rules()).toEqual([]);
  });

  it('that change rules wait for approval where policy_change is set, and are as they were once it is rejected', async () => {
    const other = await app.key({ role: 'operator', scopes: ['*'] });
    const approvals = { required: 1, from: { roles: ['operator'] }, expires_in_hours: 720 };
    const configured = await app.call('PUT', '/api/v1/enterprise/config', { policy_change: approvals });
    expect(configured.status, configured.text).toBe(200);
    const [id, late] = [
      await proposed('parameter_change', { quorum_percent: 21 }),
      await proposed('parameter_change', { quorum_percent: 22 }),
    ];
    await vote(id, late);
    app.advance(24 * HOUR);
    const waits = async (of: string) => {
      expect((await execute(of)).status).toBe(202);
      expect(await executionOf(of)).toMatchObject({ status: 'awaiting_approval', txid: null, reason: null });
      expect(slug(await execute(of))).toEqual([409, 'state_conflict', 'proposal_id']);
    };
    const quorum = async () => (await proposal(await proposed('text'))).settings.quorum_percent;
    await waits(id);
    const { approval_id } = await executionOf(id);
    const { signs } = verifyApproval(await exportOf(approval_id)).text;
    expect(signs).toMatchObject({ kind: 'rules_change', proposal: { proposal_id: id, title: 'A test' } });
    expect((await decide('reject', other)).status).toBe(200);
    expect([await executionOf(id), await quorum()]).toMatchObject([{ status: 'ready', reason: null }, 20]);
    await waits(id);
    expect((await decide('approve', other)).status).toBe(200);
    await expect.poll(() => executionOf(id)).toMatchObject({ status: 'executed' });
    expect(await quorum()).toBe(21);
    // Nothing expires while it waits.
    await waits(late);
    app.advance(14 * 24 * HOUR);
    expect(await executionOf(late)).toMatchObject({ status: 'awaiting_approval' });
    expect((await decide('reject', other)).status).toBe(200);
    expect([await executionOf(late), await quorum()]).toMatchObject([{ status: 'expired' }, 21]);
    expect((await app.call('PUT', '/api/v1/enterprise/config', {})).status).toBe(202);
    expect((await decide('approve', other)).status).toBe(200);
    const policyChange = async () => (await app.get('/api/v1/enterprise/config')).body.policy_change;
    await expect.poll(policyChange).toBeNull();
  });

  it.each([
    ['policy_change', {}, 'parameters.policies'],
    [
      'policy_change',
      { policies: [{ name: 'x', then: { action: 'allow' }, when: { amount: '1' } }] },
      'parameters.policies[0].when.amount',
    ],
    [
      'policy_change',
      { policies: [{ name: 'x', then: { action: 'allow' }, when: { wallets: ['wal_3mVb1k7Q2xYt9LpRw0Zc5A'] } }] },
      'parameters.policies[0].when.wallets[0]',
    ],
    ['text', { a: 1 }, 'parameters.a'],
    ['token_mint', { address: 'usr_x', amount: '1', holder_id: 'key_y' }, 'parameters.address'],
    ['treasury_change', { wallet_id: 'wal_nothing' }, 'parameters.wallet_id'],
    ['treasury_spend', {}, 'parameters.recipients'],
    ['treasury_spend', { recipients: [{ address: PAYEE, amount: 1 }] }, 'parameters.recipients[0].amount'],
    ['treasury_spend', { recipients: [{ address: 'x', amount: '1' }] }, 'parameters.recipients[0].address'],
    ['treasury_spend', { ...PAYS, fee_rate: 'fast' }, 'parameters.fee_rate'],
    ['treasury_spend', { ...PAYS, wallet_id: 'wal_other' }, 'parameters.wallet_id'],
    ['token_mint', { address: 'usr_x', amount: '0' }, 'parameters.amount, parameters.address'],
    ['treasury_change', { wallet: 'x' }, 'parameters.wallet, parameters.wallet_id'],
    [
      'treasury_spend',
      { fee_rate: 'fast', recipients: [{ address: 'x', amount: 1 }, { to: PAYEE }], a: 1 },
      'parameters.a, parameters.fee_rate, parameters.recipients[0].address, parameters.recipients[0].amount, ' +
        'parameters.recipients[1].to, parameters.recipients[1].address, parameters.recipients[1].amount',
    ],
  ])('of %s refuse %j', async (type, parameters, fields) => {
    const body = { title: 'A test', description: 'Of a test', type, parameters };
    const { status, ...answer } = await app.post(`${BASE}/proposals`, body);
    const { field, errors = [{ field }] } = answer.body.error.details;
    expect(errors.map((one: { field: string }) => one.field).join(', '), answer.text).toBe(fields);
    expect([400, 404]).toContain(status);
  });
});

describe('payments of the treasury', () => {
  it('are made once, by an administrator, to the last confirmation', async () => {
    const id = await ready('treasury_spend', PAYS);
    expect(await executionOf(id)).toMatchObject({ status: 'ready' });
    expect((await app.get(`${BASE}/dao/treasury`)).body.committed).toBe('0.25000000');
    const operator = await app.key({ role: 'operator', scopes: ['governance:write'] });
    const noPayer = await app.key({ role: 'admin', scopes: ['governance:write', 'wallets:write'] });
    for (const apiKey of [operator, noPayer]) expect((await execute(id, { apiKey })).status).toBe(403);
    const answers = await Promise.all(Array.from({ length: 20 }, () => execute(id)));
    expect(answers.map(({ status }) => status).sort()[1]).toBe(409);
    const { execution, executed_at } = await proposal(id);
    expect([execution, executed_at]).toMatchObject([{ status: 'executed' }, expect.any(String)]);
    const paid = async () => (await app.get(`/api/v1/transactions/${execution.txid}`)).body;
    expect(await paid()).toMatchObject({ status: 'broadcast', amount: '0.25000000', wallet_id: treasury });
    for (const verb of ['bump', 'cancel'])
      expect((await app.post(`/api/v1/transactions/${execution.txid}/${verb}`, { fee_rate: '9' })).status).toBe(403);
    await mine(1);
    expect(await paid()).toMatchObject({ status: 'confirmed' });
    expect(await executionOf(id)).toMatchObject({ status: 'executed', txid: execution.txid });
    const { movements, committed } = (await app.get(`${BASE}/dao/treasury`)).body;
    expect([movements[0], committed]).toMatchObject([{ txid: execution.txid, proposal_id: id }, '0.00000000']);
  });

  it('are denied by rules of whoever proposed or executes, say why, and are made once rules allow', async () => {
    const operator = await app.key({ role: 'operator', scopes: ['governance:write'] });
    const { holder_id: address } = (await app.get(`${BASE}/tokens/balance`, { apiKey: operator })).body;
    await app.post(`${BASE}/tokens/transfer`, { address, amount: '2' });
    const id = await ready('treasury_spend', PAYS, operator);
    const end = await rule({
      when: { operations: ['payment'], initiators: { api_key_ids: [address] } },
      then: { action: 'deny', message: 'not by this one' },
    });
    expect(slug(await execute(id))).toEqual([403, 'policy_denied', 'proposal_id']);
    expect(await executionOf(id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('not by this one'),
    });
    await end();
    expect((await execute(id)).body.execution).toMatchObject({ status: 'executed', reason: null });
    await mine(1);
  });

  it('wait for approvals that neither proposer nor executor give, do not expire meanwhile, and can be tried again', async () => {
    const id = await ready('treasury_spend', PAYS);
    const end = await rule({
      when: { operations: ['treasury_spend'] },
      then: { action: 'approve', required: 1, from: { roles: ['operator'] }, expires_in_hours: 720 },
    });
    const executor = await app.key({ role: 'admin', scopes: ['*'] });
    const other = await app.key({ role: 'operator', scopes: ['*'] });
    const waits = await execute(id, { apiKey: executor });
    expect(waits.body, waits.text).toMatchObject({ execution: { status: 'awaiting_approval' }, executed_at: null });
    expect(slug(await execute(id))).toEqual([409, 'state_conflict', 'proposal_id']);
    for (const apiKey of [executor, app.adminKey]) expect((await decide('approve', apiKey)).status).toBe(403);
    expect((await decide('reject', other)).status).toBe(200);
    expect(await executionOf(id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('rejected') });
    expect((await execute(id, { apiKey: executor })).body.execution.status).toBe('awaiting_approval');
    app.advance(15 * 24 * HOUR);
    const { status, approval_id: approvalId } = await executionOf(id);
    expect([status, await listed('execution=awaiting_approval')]).toEqual(['awaiting_approval', [id]]);
    expect((await decide('approve', other)).status).toBe(200);
    await expect.poll(() => executionOf(id), { timeout: 30_000 }).toMatchObject({ status: 'executed' });
    expect((await proposal(id)).executed_at).not.toBeNull();
    expect((await executionOf(id)).approval_id).toBe(approvalId);
    const file = await exportOf(approvalId);
    const verified = verifyApproval(file);
    const proposer = { kind: 'api_key', id: expect.stringMatching(/^key_/) };
    expect(verified).toMatchObject({
      ...{ met: true, status: 'approved' },
      text: { signs: { proposal: { proposal_id: id, title: 'A test', proposer } } },
    });
    const { signs, initiator } = JSON.parse(file.text);
    for (const own of [initiator, signs.proposal.proposer]) {
      const votes = [{ ...file.votes[0], credential: { ...file.votes[0].credential, ...own } }];
      expect(() => verifyApproval({ ...file, votes })).toThrow('a vote of an initiator counts');
    }
    const unnamed = canonicalJson({ ...JSON.parse(file.text), signs: { ...signs, proposal: { proposal_id: id } } });
    expect(() =>
      verifyApproval({ ...file, text: unnamed, digest: digestOfText(unnamed), votes: [], status: 'pending' }),
    ).toThrow('the text names no proposal');
    expect(await toldOf(id)).toEqual([
      ...['waiting_timelock', 'ready', 'awaiting_approval', 'failed', 'awaiting_approval'].map(
        (status) => `proposal_updated ${status}`,
      ),
      'proposal_executed executed',
    ]);
    await end();
    await mine(1);
  });

  it('fail where the treasury is short; each further one spends an input of those that were signed', async () => {
    const short = await ready('treasury_spend', { recipients: [{ address: PAYEE, amount: '1000' }] });
    expect(slug(await execute(short))).toEqual([422, 'insufficient_funds', 'proposal_id']);
    expect(await executionOf(short)).toMatchObject({ status: 'failed', txid: null });

    const id = await ready('treasury_spend', PAYS);
    const inputsOf = async (txid: Txid) =>
      (await app.app.store.read.transactions.inputs(app.accountId, txid)).map(({ prev }) => outpointKey(prev));
    const pays = async (): Promise<Txid> => {
      const { body, text } = await execute(id);
      expect(body.execution, text).toMatchObject({ status: 'executed' });
      return body.execution.txid;
    };
    const loses = async (txid: Txid) => {
      await app.simulated.evict(txid);
      expect((await app.post(`/api/v1/transactions/${txid}/abandon`)).status).toBe(200);
      expect(await executionOf(id)).toMatchObject({ status: 'failed', txid, reason: 'abandoned on request' });
    };
    const first = await pays();
    const committed = async () => (await app.get(`${BASE}/dao/treasury`)).body.committed;
    const others = Number(await committed());
    await loses(first);
    expect(Number(await committed()) - others).toBe(0.25);
    const second = await pays();
    await loses(second);
    const third = await pays();
    expect(new Set([first, second, third]).size).toBe(3);
    const [ones, twos, threes] = [await inputsOf(first), await inputsOf(second), await inputsOf(third)];
    expect(ones.filter((one) => twos.includes(one) && threes.includes(one))).not.toEqual([]);
    expect(await executionOf(id)).toMatchObject({ status: 'executed', txid: third });
    // The first confirms after all, and is the one.
    const { raw } = (await app.app.store.read.transactions.find(app.accountId, first))!;
    await app.simulated.evict(third);
    await app.simulated.mineTransactions([raw!]);
    await app.synced();
    expect(await executionOf(id)).toMatchObject({ status: 'executed', txid: first });
    expect((await app.get(`/api/v1/transactions/${third}`)).body.status).toBe('conflicted');
    expect(slug(await execute(id))).toEqual([409, 'state_conflict', 'proposal_id']);
  });

  it('are not those of others that take the same coins, and are made again once these are deep in the chain', async () => {
    const lasting = { recipients: [{ address: PAYEE, amount: '60' }], fee_rate: '2' };
    const [first, second] = [await proposed('treasury_spend', lasting), await proposed('treasury_spend', PAYS)];
    await vote(first, second);
    app.advance(24 * HOUR);
    const { txid } = (await execute(first)).body.execution;
    const { raw } = (await app.app.store.read.transactions.find(app.accountId, txid))!;
    await app.simulated.evict(txid);
    expect((await app.post(`/api/v1/transactions/${txid}/abandon`)).status).toBe(200);
    const taken = (await execute(second)).body.execution.txid;
    await app.simulated.evict(taken);
    await app.simulated.mineTransactions([raw!]);
    await app.synced();
    expect(await executionOf(first)).toMatchObject({ status: 'executed', txid });
    expect(await executionOf(second)).toMatchObject({ status: 'failed', txid: taken });
    const early = await execute(second);
    expect([slug(early), early.body.error.message]).toEqual([
      [409, 'state_conflict', 'proposal_id'],
      expect.stringContaining('6 blocks deep'),
    ]);
    await mine(5);
    expect((await execute(second)).body.execution).toMatchObject({ status: 'executed' });
    await mine(1);
  });

  it('are made again where what they spent came from a payment that lost its coins', async () => {
    const wallet_id = (await app.post('/api/v1/wallets', { name: 'one coin', type: 'segwit', backup_type: 'none' }))
      .body.wallet_id;
    const change = await ready('treasury_change', { wallet_id });
    expect((await execute(change)).status).toBe(200);
    const { address } = (await app.post(`/api/v1/wallets/${wallet_id}/addresses`)).body;
    await app.post('/api/v1/bitcoin/blocks', { count: 1, address });
    await mine(100);
    const [first, second] = [await proposed('treasury_spend', PAYS), await proposed('treasury_spend', PAYS)];
    await vote(first, second);
    app.advance(24 * HOUR);
    const txids: Txid[] = [];
    for (const id of [first, second]) txids.push((await execute(id)).body.execution.txid);
    for (const txid of txids.toReversed()) await app.simulated.evict(txid);
    for (const txid of txids.toReversed())
      expect((await app.post(`/api/v1/transactions/${txid}/abandon`)).status).toBe(200);
    const again = (await execute(first)).body.execution.txid;
    expect(again).not.toBe(txids[0]);
    await mine(1);
    expect((await execute(second)).body.error.message).toContain('6 blocks deep');
    await mine(5);
    expect((await execute(second)).body.execution).toMatchObject({ status: 'executed' });
    await mine(1);
    const back = await ready('treasury_change', { wallet_id: treasury });
    expect((await execute(back)).status).toBe(200);
  });

  it('are not made where whoever proposed is gone: no rule of roles, groups or people would match', async () => {
    const proposer = await app.key({ role: 'operator', scopes: ['governance:write'] });
    const { holder_id: address } = (await app.get(`${BASE}/tokens/balance`, { apiKey: proposer })).body;
    await app.post(`${BASE}/tokens/transfer`, { address, amount: '2' });
    const [id, rotated] = [
      await ready('treasury_spend', PAYS, proposer),
      await app.post(`/api/v1/api-keys/${address}/rotate`, { overlap_seconds: 0 }),
    ];
    const end = await rule({ when: { initiators: { roles: ['operator'] } }, then: { action: 'deny' } });
    expect(slug(await execute(id))).toEqual([403, 'policy_denied', 'proposal_id']);
    await end();
    expect((await app.call('DELETE', `/api/v1/api-keys/${rotated.body.api_key_id}`)).status).toBe(204);
    const refused = await execute(id);
    expect([slug(refused), refused.body.error.message]).toEqual([
      [403, 'policy_denied', 'proposal_id'],
      expect.stringContaining('propose it anew'),
    ]);
    expect(await executionOf(id)).toMatchObject({ status: 'failed' });
  });

  it('are of the treasury of the time when they were proposed', async () => {
    const wallet = { name: 'next', type: 'segwit', backup_type: 'none' };
    const { wallet_id } = (await app.post('/api/v1/wallets', wallet)).body;
    const [change, pays] = [await proposed('treasury_change', { wallet_id }), await proposed('treasury_spend', PAYS)];
    await vote(change, pays);
    app.advance(24 * HOUR);
    expect((await execute(change)).status).toBe(200);
    expect((await app.get(`${BASE}/dao/treasury`)).body.wallet_id).toBe(wallet_id);
    const { txid } = (await execute(pays)).body.execution;
    expect((await app.get(`/api/v1/transactions/${txid}`)).body.wallet_id).toBe(treasury);
    const pay = { wallet_id: treasury, recipients: [{ address: PAYEE, amount: '0.1' }], fee_rate: '2', rbf: true };
    expect((await app.post('/api/v1/transactions', pay)).status).toBe(403);
  });
});
