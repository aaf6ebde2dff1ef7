/** Payments that wait for approval: who may approve, when they are sent, and how approvals end. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { approvals } from '../../../src/cli/approvals.ts';
import type { Terminal } from '../../../src/cli/terminal.ts';
import { parseConfig } from '../../../src/config.ts';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import { digestOfText } from '../../../src/core/policies/approval-text.ts';
import { ApprovalRefused, verifyApproval } from '../../../src/core/policies/verify-approval.ts';
import type { Json } from '../../builders/app.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import { APPROVALS, type ApprovalsApp, startApprovalsApp, TRANSACTIONS } from './approvals-app.ts';

let app: ApprovalsApp;
let [ada, bob]: [string, string] = ['', ''];
beforeAll(async () => {
  app = await startApprovalsApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.rules({ amountOverSats: 100_000n });
  ada = await app.voice('usr_ada');
  bob = await app.voice('usr_bob');
});

const refusal = ({ status, body }: { status: number; body: Json }) => [status, body.error?.details?.code];
const lockedIn = async (): Promise<string> => (await app.get(`/api/v1/wallets/${app.walletId}`)).body.balance.locked;

describe('a payment that a rule wants approved', () => {
  it('holds its coins unsigned, and goes out as it was approved with the last vote', async () => {
    await app.rules({ required: 2 });
    const made = await app.waiting();
    expect(made).toMatchObject({ psbt: null, policy: { action: 'approve' } });
    const before = await app.app.store.read.transactions.find(app.accountId, made.txid);
    expect(before).toMatchObject({ raw: null, psbt: null });

    const waiting = await app.approval(made.approval_id);
    expect(waiting).toMatchObject({ operation: 'payment', subject: made.txid, status: 'pending', votes: [] });
    expect(waiting.digest).toBe(digestOfText(waiting.text));
    const { signs, ...said } = JSON.parse(waiting.text);
    expect(said).toMatchObject({ approval_id: made.approval_id, account_id: app.accountId, network: 'regtest' });
    expect(said.initiator).toMatchObject({ kind: 'api_key', counts_as: 'usr_eve' });
    expect(signs).toMatchObject({ wallet_id: app.walletId, unsigned_txid: made.txid, fee: made.fee });
    expect(signs.outputs).toContainEqual(
      expect.objectContaining({ address: outsider('payee'), amount: '0.01000000', own: false }),
    );

    const first = await app.vote(made.approval_id, ada, { comment: 'invoice 4711' });
    expect([first.status, first.body.status, first.body.requirements[0].approvals]).toEqual([200, 'pending', 1]);
    const last = await app.vote(made.approval_id, bob);
    expect([last.status, last.body.status]).toEqual([200, 'approved']);
    const sent = await app.status(made.txid, 'broadcast');
    expect(sent).toMatchObject({ txid: made.txid, fee: made.fee, recipients: made.recipients });
    const done = await app.approval(made.approval_id);
    expect(done).toMatchObject({ status: 'approved', done_at: expect.any(String) });
    expect(done.votes.map((vote: Json) => [vote.credential.counts_as, vote.counted, vote.comment])).toEqual([
      ['usr_ada', true, 'invoice 4711'],
      ['usr_bob', true, null],
    ]);
  });

  it('is shown with the names of its wallet and payees, to who may read them', async () => {
    await app.rules({});
    const address = outsider('named');
    const made = await app.post('/api/v1/enterprise/address-book', { name: 'Exchange', address });
    const recipients = [
      { address, amount: '0.01' },
      { address: outsider('payee'), amount: '0.01' },
    ];
    const { approval_id } = await app.waiting({ recipients });
    const payees = [{ address, name: 'Exchange', address_book_id: made.body.address_book_id }];
    expect((await app.approval(approval_id)).names).toEqual({ wallets: { [app.walletId]: 'Treasury' }, payees });
    const lesser = await app.key({ role: 'operator', scopes: ['approvals:read'] });
    const seen = await app.get(`${APPROVALS}/${approval_id}`, { apiKey: lesser });
    expect(seen.body.names).toEqual({ wallets: {}, payees: [] });
    const ended = await app.vote(approval_id, ada, { decision: 'reject' });
    expect(ended.body).toMatchObject({ status: 'rejected', names: null });
  });

  it('can be checked without the service, and not changed unnoticed', async () => {
    const made = await app.waiting();
    const exported = async () => (await app.get(`${APPROVALS}/${made.approval_id}/export`)).body;
    const path = join(app.dataDir, 'export.json');
    const exitCode = async () => {
      writeFileSync(path, JSON.stringify(await exported()));
      const terminal = { env: {}, out: () => {}, err: () => {} } as unknown as Terminal;
      return approvals(parseConfig({ DATA_DIR: app.dataDir }), ['verify', path], terminal);
    };
    expect(await exitCode()).toBe(1);
    await app.vote(made.approval_id, ada);
    await app.status(made.txid, 'broadcast');
    expect(await exitCode()).toBe(0);
    const file = await exported();
    expect(verifyApproval(file)).toMatchObject({ met: true, status: 'approved', votes: [{ voice: 'usr_ada' }] });
    const changed = (change: (copy: Json) => void): unknown => {
      const copy = structuredClone(file);
      change(copy);
      return () => verifyApproval(copy);
    };
    const other = file.text.replace('0.01000000', '0.02000000');
    const lies: ((copy: Json) => void)[] = [
      (copy) => Object.assign(copy, { text: other }),
      (copy) => Object.assign(copy, { text: other, digest: digestOfText(other) }),
      (copy) => Object.assign(copy.votes[0], { body: copy.votes[0].body.replace(/[0-9a-f]{64}/, '0'.repeat(64)) }),
      (copy) => Object.assign(copy.votes[0], { decision: 'reject' }),
      (copy) =>
        Object.assign(copy.votes[0], {
          signature: copy.votes[0].signature.replace(/^./, (c: string) => (c === 'A' ? 'B' : 'A')),
        }),
      (copy) => Object.assign(copy.votes[0].credential, { counts_as: 'usr_eve' }),
      (copy) => Object.assign(copy.votes[0].public_key, { x: 'A'.repeat(43) }),
      (copy) => Object.assign(copy.requirements[0], { required: 2 }),
      (copy) => Object.assign(copy, { votes: [] }),
      (copy) => Object.assign(copy, { version: 2 }),
      // One signature as two people's.
      (copy) => {
        const counts_as = 'usr_bob';
        copy.votes.push({ ...copy.votes[0], credential: { ...copy.votes[0].credential, id: 'key_bob', counts_as } });
        copy.requirements[0].required = 2;
      },
    ];
    for (const lie of lies) expect(changed(lie)).toThrow(ApprovalRefused);
  });

  it('is not below the rule’s bound, nor in a dry run', async () => {
    await app.rules({ amountOverSats: 1_000_000n });
    expect((await app.pay()).body.status).toBe('broadcast');
    await app.rules({ amountOverSats: 999_999n });
    const dry = await app.app.http.inject({
      method: 'GET',
      url: APPROVALS,
      headers: { host: app.host, authorization: `Bearer ${ada}` },
    });
    const answer = await app.post(`${TRANSACTIONS}?dry_run=true`, {
      recipients: [{ address: outsider('payee'), amount: '0.01' }],
      fee_rate: '2',
      rbf: true,
      wallet_id: app.walletId,
    });
    expect([answer.status, answer.body.status, answer.body.policy.action]).toEqual([200, 'preview', 'approve']);
    expect((await app.get(APPROVALS, { apiKey: ada })).body.pagination.total).toBe(
      JSON.parse(dry.body).pagination.total,
    );
  });
});

describe('a vote is refused', () => {
  it('with another digest', async () => {
    const { approval_id } = await app.waiting();
    expect(refusal(await app.vote(approval_id, ada, { digest: '0'.repeat(64) }))).toEqual([409, 'state_conflict']);
    expect((await app.approval(approval_id)).votes).toEqual([]);
    await app.vote(approval_id, ada, { decision: 'reject' });
  });

  it('to whoever asked, with whichever credential; who may take it back', async () => {
    const { approval_id, txid } = await app.waiting();
    const eve = await app.voice('usr_eve', { name: 'second' });
    expect(refusal(await app.vote(approval_id, eve))).toEqual([403, 'forbidden']);
    const rejected = await app.vote(approval_id, eve, { decision: 'reject' });
    expect([rejected.status, rejected.body.status]).toEqual([200, 'rejected']);
    expect(await app.status(txid, 'failed')).toMatchObject({ reason: 'rejected by usr_eve' });
  });

  it('to a second credential of one person', async () => {
    await app.rules({ required: 2 });
    const { approval_id } = await app.waiting();
    expect((await app.vote(approval_id, ada)).status).toBe(200);
    expect(refusal(await app.vote(approval_id, await app.voice('usr_ada')))).toEqual([409, 'state_conflict']);
    expect(refusal(await app.vote(approval_id, ada))).toEqual([409, 'state_conflict']);
    expect(await app.approval(approval_id)).toMatchObject({ status: 'pending', requirements: [{ approvals: 1 }] });
    await app.vote(approval_id, bob, { decision: 'reject' });
  });

  it('to who is not among the approvers, to who does not sign, and of another account', async () => {
    await app.rules({ from: { userIds: ['usr_ada'] } });
    const { approval_id } = await app.waiting();
    expect(refusal(await app.vote(approval_id, bob))).toEqual([403, 'forbidden']);
    expect(refusal(await app.vote(approval_id, bob, { decision: 'reject' }))).toEqual([403, 'forbidden']);
    const stranger = await app.anotherAccount('elsewhere');
    const { digest } = await app.approval(approval_id);
    expect(refusal(await app.vote(approval_id, stranger.apiKey, { digest }))).toEqual([404, 'not_found']);
    expect((await app.get(`${APPROVALS}/${approval_id}`, { apiKey: stranger.apiKey })).status).toBe(404);
    expect((await app.get(`${APPROVALS}/${approval_id}/export`, { apiKey: stranger.apiKey })).status).toBe(404);
    await app.vote(approval_id, ada, { decision: 'reject' });
  });

  it('after it was rejected, approved or over', async () => {
    const rejected = await app.waiting();
    await app.vote(rejected.approval_id, ada, { decision: 'reject', comment: 'no' });
    expect(await app.status(rejected.txid, 'failed')).toMatchObject({ reason: 'rejected by usr_ada: no' });
    expect(refusal(await app.vote(rejected.approval_id, bob))).toEqual([409, 'state_conflict']);
    const approved = await app.waiting();
    await app.vote(approved.approval_id, ada);
    expect(refusal(await app.vote(approved.approval_id, bob))).toEqual([409, 'state_conflict']);
    expect(refusal(await app.vote(approved.approval_id, bob, { decision: 'reject' }))).toEqual([409, 'state_conflict']);
    await app.status(approved.txid, 'broadcast');
  });
});

describe('a vote no longer counts', () => {
  it('of a key that was revoked, or whose role was taken, when the last one comes', async () => {
    await app.rules({ required: 2, from: { roles: ['admin'] } });
    const admins = {
      ada: await app.voice('usr_ada', { role: 'admin' }),
      bob: await app.voice('usr_bob', { role: 'admin' }),
    };
    const { approval_id, txid } = await app.waiting();
    const voted = await app.vote(approval_id, admins.ada);
    const { id } = voted.body.votes[0].credential;
    expect((await app.app.store.write((tx) => tx.apiKeys.revoke(app.accountId, id, 1))) as unknown).toBe(true);
    const second = await app.vote(approval_id, admins.bob);
    expect(second.body).toMatchObject({ status: 'pending', requirements: [{ approvals: 1 }] });
    expect(second.body.votes.map((vote: Json) => vote.counted)).toEqual([false, true]);
    // Another credential of hers may vote again.
    const again = await app.vote(approval_id, await app.voice('usr_ada', { role: 'admin' }));
    expect(again.body.status).toBe('approved');
    await app.status(txid, 'broadcast');
  });
});

describe('a waiting payment', () => {
  it('is neither bumped, cancelled nor abandoned, and says what to do', async () => {
    const { txid, approval_id } = await app.waiting();
    const asked = await Promise.all([
      app.post(`${TRANSACTIONS}/${txid}/bump`, { fee_rate: '9' }),
      app.post(`${TRANSACTIONS}/${txid}/cancel`, {}),
      app.post(`${TRANSACTIONS}/${txid}/abandon`),
    ]);
    for (const answer of asked) {
      expect(refusal(answer)).toEqual([409, 'state_conflict']);
      expect(answer.body.error.message).toContain('reject');
    }
    expect((await app.get(`${TRANSACTIONS}/${txid}`)).body.status).toBe('awaiting_approval');
    await app.vote(approval_id, ada, { decision: 'reject' });
  });

  it('ends when nobody approves it in time, and its coins are free', async () => {
    const before = await lockedIn();
    const { txid, approval_id } = await app.waiting();
    expect(await lockedIn()).not.toBe(before);
    app.advance(24 * 3_600_000);
    expect(refusal(await app.vote(approval_id, ada))).toEqual([409, 'state_conflict']);
    expect(await app.status(txid, 'failed')).toMatchObject({ reason: 'nobody approved it in time' });
    expect((await app.approval(approval_id)).status).toBe('expired');
    expect(await lockedIn()).toBe(before);
  });

  it('pays what was approved, whatever the fee market does', async () => {
    const { txid, approval_id, fee } = await app.waiting();
    app.simulated.setMempoolLimits({ minFeeRate: 50_000n as FeeRate });
    await app.vote(approval_id, ada);
    const signed = await app.status(txid, 'signed');
    expect(signed.fee).toBe(fee);
    await expect
      .poll(async () => (await app.get(`${TRANSACTIONS}/${txid}`)).body.reason, { timeout: 90_000 })
      .toContain('not taken yet');
    app.simulated.setMempoolLimits({ minFeeRate: 0n as FeeRate });
    await app.simulated.mine(1, '51');
    await app.status(txid, 'broadcast');
  });

  it('fails where the rules deny it by now', async () => {
    const { txid, approval_id } = await app.waiting();
    await app.rules({ then: { action: 'deny', message: 'not today' } });
    const voted = await app.vote(approval_id, ada);
    expect(voted.body).toMatchObject({ status: 'failed', reason: expect.stringContaining('not today') });
    expect(await app.status(txid, 'failed')).toMatchObject({ reason: expect.stringContaining('not today') });
  });

  it('waits for the others, too, where the rules want more by now', async () => {
    const { txid, approval_id } = await app.waiting();
    await app.rules({}, { from: { userIds: ['usr_bob'] } });
    expect((await app.vote(approval_id, ada)).body.status).toBe('pending');
    expect((await app.vote(approval_id, bob)).body.status).toBe('approved');
    await app.status(txid, 'broadcast');
  });

  it('is not in its own way: a window that it fills is asked without it', async () => {
    await app.rules(
      {},
      {
        when: { window: { hours: 1, per: 'account', amountOverSats: 1_500_000n } },
        then: { action: 'deny', message: 'full' },
      },
    );
    app.advance(50 * 3_600_000);
    const { txid, approval_id } = await app.waiting();
    expect((await app.pay()).status).toBe(403);
    expect((await app.vote(approval_id, ada)).body.status).toBe('approved');
    await app.status(txid, 'broadcast');
  });
});

it('of twenty votes at once one approves, and the payment is made once', async () => {
  const { txid, approval_id } = await app.waiting();
  const keys = await Promise.all(Array.from({ length: 20 }, (_, index) => app.voice(`usr_${index}`)));
  const answers = await Promise.all(keys.map((key) => app.vote(approval_id, key)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  await app.status(txid, 'broadcast');
});

it('approved and rejected at the same moment it ends one way', async () => {
  for (let round = 0; round < 5; round++) {
    const { txid, approval_id } = await app.waiting();
    const [yes, no] = await Promise.all([
      app.vote(approval_id, ada),
      app.vote(approval_id, bob, { decision: 'reject' }),
    ]);
    expect([yes.status, no.status].sort()).toEqual([200, 409]);
    await app.status(txid, yes.status === 200 ? 'broadcast' : 'failed');
    await app.simulated.mine(1, '51');
    await app.synced();
  }
});

it('payments of one bulk request wait each for its own; a bump and a cancellation wait, too', async () => {
  await app.rules({ amountOverSats: 100_000n });
  const of = (amount: string) => ({
    recipients: [{ address: outsider('payee'), amount }],
    fee_rate: '2',
    rbf: true,
    wallet_id: app.walletId,
  });
  const bulk = await app.post(`${TRANSACTIONS}/bulk`, { transactions: [of('0.0005'), of('0.02'), of('0.03')] });
  const made: Json[] = bulk.body.data ?? bulk.body.results;
  const records = made.map((one) => one.transaction ?? one);
  expect(records.map(({ status }) => status)).toEqual(['broadcast', 'awaiting_approval', 'awaiting_approval']);
  for (const { approval_id, txid } of records.slice(1)) {
    await app.vote(approval_id, ada);
    await app.status(txid, 'broadcast');
  }
  await app.rules({ when: { operations: ['bump', 'cancel'] } });
  const bump = await app.post(`${TRANSACTIONS}/${records[1].txid}/bump`, { fee_rate: '9' });
  expect([bump.status, bump.body.status]).toEqual([202, 'awaiting_approval']);
  expect(refusal(await app.post(`${TRANSACTIONS}/${records[1].txid}/bump`, { fee_rate: '19' }))).toEqual([
    409,
    'state_conflict',
  ]);
  await app.vote(bump.body.approval_id, ada);
  await app.status(bump.body.txid, 'broadcast');
  await app.status(records[1].txid, 'replaced');
  const cancel = await app.post(`${TRANSACTIONS}/${records[2].txid}/cancel`, {});
  expect(cancel.status, cancel.text).toBe(202);
  // Its original confirms meanwhile.
  await app.simulated.mine(1, '51');
  await app.synced();
  expect(await app.status(cancel.body.txid, 'failed')).toMatchObject({ reason: expect.any(String) });
  expect((await app.approval(cancel.body.approval_id)).status).toBe('failed');
});
