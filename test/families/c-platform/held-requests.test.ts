/** Requests that wait for approval and make no record of their own: what is answered, who sees the result, and how each way ends. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEventRecords } from '../../../src/app/event-records.ts';
import { digestOfText } from '../../../src/core/policies/approval-text.ts';
import { ApprovalRefused, verifyApproval } from '../../../src/core/policies/verify-approval.ts';
import type { PrivateJwk } from '../../../src/core/request-signatures/signing-algorithm.ts';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { silent } from '../../builders/stores.ts';
import { APPROVALS, type ApprovalsApp, startApprovalsApp } from './approvals-app.ts';
import { HELD_KINDS, type HeldKind } from './held-kinds.ts';

let app: ApprovalsApp;
const kinds = {} as Record<keyof typeof HELD_KINDS, HeldKind>;
let [eve, ada, bob]: [string, string, string] = ['', '', ''];
beforeAll(async () => {
  app = await startApprovalsApp();
  for (const [name, make] of Object.entries(HELD_KINDS)) kinds[name as keyof typeof HELD_KINDS] = make(app);
});
afterAll(() => app.close());
beforeEach(async () => {
  eve = await app.voice('usr_eve', { scopes: ['*'], role: 'admin' });
  ada = await app.voice('usr_ada');
  bob = await app.voice('usr_bob');
});

const refusal = ({ status, body }: TestAnswer) => [status, body.error?.details?.code];
const ended = async (id: string, status: string): Promise<Json> => {
  const probe = async () => {
    const approval = await app.approval(id);
    return status === 'done' ? approval.done_at !== null : approval.status === status;
  };
  await expect.poll(probe, { timeout: 90_000, interval: 50 }).toBe(true);
  return read(id, eve);
};
/** Signed: only so a secret result is answered. */
const read = async (id: string, apiKey: string, sign: PrivateJwk | false = app.pairOf(apiKey)): Promise<Json> =>
  (await app.get(`${APPROVALS}/${id}`, { apiKey, sign })).body;
const storedOf = (id: string) => app.app.store.read.approvals.find(app.accountId, id as `apr_${string}`);

describe.each(Object.keys(HELD_KINDS) as (keyof typeof HELD_KINDS)[])('%s', (name) => {
  let kind: HeldKind;
  let operation = '';
  beforeAll(async () => {
    kind = kinds[name];
    await app.rules();
    await kind.prepare?.();
  });
  beforeEach(async () => {
    operation = kind.operation;
    await app.rules({ when: { operations: [operation] } });
  });
  const waiting = async (): Promise<Json> => {
    const answer = await kind.ask(eve);
    expect(answer.status, answer.text).toBe(202);
    return answer.body;
  };

  it('is answered with its approval, done with the last vote, and the answer stands there as its result', async () => {
    await app.rules({ required: 2, when: { operations: [operation] } });
    const made = await waiting();
    expect(made).toMatchObject({ operation, status: 'pending', result: null, votes: [], done_at: null });
    expect(made.digest).toBe(digestOfText(made.text));
    expect(JSON.parse(made.text)).toMatchObject({ operation, signs: kind.signs });
    // With characters that no Base64 has.
    expect((await storedOf(made.approval_id))!.request).not.toMatch(/I own|heads\\?"/);
    expect((await app.vote(made.approval_id, ada)).body).toMatchObject({ status: 'pending' });
    expect((await app.vote(made.approval_id, bob)).body).toMatchObject({ status: 'approved', result: null });
    const done = await ended(made.approval_id, 'done');
    expect(await kind.holds(done.result)).toBe(true);
    expect(await storedOf(made.approval_id)).toMatchObject({ request: null });
    const page = await app.get(`${APPROVALS}?operation=${operation}&status=approved`);
    expect(page.body.data[0]).toMatchObject({ approval_id: made.approval_id });
    expect(page.text).not.toContain('result');

    const file = (await app.get(`${APPROVALS}/${made.approval_id}/export`)).body;
    expect(verifyApproval(file)).toMatchObject({ met: true, text: { signs: kind.signs } });
    expect(() => verifyApproval({ ...file, text: `${file.text} ` })).toThrow('digest');
    const lies = [{ kind: 'other' }, { kind: 'transaction' }, { more: 1 }, ...kind.lies];
    for (const lie of lies) {
      const text = JSON.stringify({ ...JSON.parse(file.text), signs: { ...JSON.parse(file.text).signs, ...lie } });
      expect(() => verifyApproval({ ...file, text, digest: digestOfText(text), votes: [] })).toThrow(ApprovalRefused);
    }
  });

  it('is answered at once where no rule wants it approved, and never where one denies it', async () => {
    await app.rules({ when: { operations: ['payment'] } });
    const answer = await kind.ask(eve);
    expect(answer.status, answer.text).toBe(kind.status);
    expect(await kind.holds(answer.body)).toBe(true);
    await app.rules({ when: { operations: [operation] }, then: { action: 'deny', message: 'no' } });
    expect(refusal(await kind.ask(eve))).toEqual([403, 'policy_denied']);
  });

  it('is answered the same to who asks again with the same Idempotency-Key, and waits once', async () => {
    const before = (await app.get(APPROVALS)).body.pagination.total;
    const [made, again] = [await kind.ask(eve, 'once'), await kind.ask(eve, 'once')];
    expect([again.status, again.body]).toEqual([202, made.body]);
    expect((await app.get(APPROVALS)).body.pagination.total).toBe(before + 1);
    await app.vote(made.body.approval_id, ada, { decision: 'reject' });
  });

  it('shows its result to whoever could ask for it (of a secret one, to whoever did), and to nobody else', async () => {
    const { approval_id } = await waiting();
    await app.vote(approval_id, ada);
    await ended(approval_id, 'done');
    // As webhooks deliver it, which have no key to sign with.
    const { accountId } = app;
    const delivered = createEventRecords({ ...app.app.services, log: silent })['approval.get']!;
    const { result } = (await delivered(approval_id, { accountId, role: 'admin', scopes: ['*'] }))!;
    expect(result === null).toBe(kind.secret === true);
    const seenBy = async (scopes: string[]) => {
      const apiKey = await app.voice('usr_carol', { scopes, role: 'admin' });
      return (await read(approval_id, apiKey)).result;
    };
    expect(await seenBy(['approvals:read'])).toBeNull();
    const seen = await seenBy(['approvals:read', kind.scope]);
    if (!kind.secret) return expect(seen).not.toBeNull();
    for (const scopes of [['approvals:read', kind.scope], ['*']]) expect(await seenBy(scopes)).toBeNull();
    const sameVoice = await app.voice('usr_eve', { scopes: ['*'], role: 'admin' });
    expect((await read(approval_id, sameVoice)).result).toBeNull();
    expect((await read(approval_id, eve, false)).result).toBeNull();
    expect((await read(approval_id, eve)).result).not.toBeNull();
  });

  it.each([
    ['rejected', 'rejected by usr_ada: no', (id: string) => app.vote(id, ada, { decision: 'reject', comment: 'no' })],
    ['rejected', 'rejected by usr_eve', (id: string) => app.vote(id, eve, { decision: 'reject' })],
    ['expired', 'nobody approved it in time', async () => app.advance(24 * 3_600_000)],
    [
      'failed',
      'not today',
      async (id: string) => {
        await app.rules({ then: { action: 'deny', message: 'not today' } });
        await app.vote(id, ada);
      },
    ],
  ])('is %s (%s): nothing is done, and what was asked is forgotten', async (status, reason, end) => {
    const { approval_id } = await waiting();
    await end(approval_id);
    expect(await ended(approval_id, status)).toMatchObject({ reason: expect.stringContaining(reason), result: null });
    expect(await storedOf(approval_id)).toMatchObject({ request: null, result: null, doneAt: null });
    expect(refusal(await app.vote(approval_id, bob))).toEqual([409, 'state_conflict']);
  });

  it('has the votes that payments have: not one’s own, not of another digest, not twice', async () => {
    await app.rules({ required: 2, when: { operations: [operation] } });
    const { approval_id } = await waiting();
    expect(refusal(await app.vote(approval_id, await app.voice('usr_eve')))).toEqual([403, 'forbidden']);
    expect(refusal(await app.vote(approval_id, ada, { digest: '0'.repeat(64) }))).toEqual([409, 'state_conflict']);
    expect((await app.vote(approval_id, ada)).status).toBe(200);
    expect(refusal(await app.vote(approval_id, await app.voice('usr_ada')))).toEqual([409, 'state_conflict']);
    await app.vote(approval_id, bob, { decision: 'reject' });
  });

  it.each([
    ['is disabled', 'has ended', { disabledAt: 1 }],
    ['is demoted', 'may no longer do so', { role: 'viewer' }],
    ['has lost the scope', 'may no longer do so', { scopes: ['approvals:write'] }],
  ] as const)('fails where whoever asked %s before the last vote, or before it is done', async (_, reason, change) => {
    for (const end of [(id: string) => app.vote(id, ada), approvedUnseen]) {
      const { userId, token } = await app.person({ role: 'admin' });
      const made = await kind.ask(token);
      expect(made.body.initiator, made.text).toMatchObject({ kind: 'person', id: userId });
      await app.app.store.write((tx) => tx.users.update(app.accountId, userId, change as never));
      await end(made.body.approval_id);
      expect((await ended(made.body.approval_id, 'failed')).reason).toContain(
        `${userId}, which asked for it, ${reason}`,
      );
      expect(await storedOf(made.body.approval_id)).toMatchObject({ request: null, result: null });
    }
  });

  it('approved and not done when the service ended, it is done once, by whoever goes on', async () => {
    const { approval_id } = await waiting();
    await approvedUnseen(approval_id);
    const done = await ended(approval_id, 'done');
    expect(await kind.holds(done.result)).toBe(true);
  });

  it('of twenty votes at once one approves; approved and rejected at once it ends one way', async () => {
    const { approval_id } = await waiting();
    const keys = await Promise.all(Array.from({ length: 20 }, (_, index) => app.voice(`usr_${index}`)));
    const answers = await Promise.all(keys.map((key) => app.vote(approval_id, key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
    await ended(approval_id, 'done');
    const next = await waiting();
    const [yes, no] = await Promise.all([
      app.vote(next.approval_id, ada),
      app.vote(next.approval_id, bob, { decision: 'reject' }),
    ]);
    expect([yes.status, no.status].sort()).toEqual([200, 409]);
    await ended(next.approval_id, yes.status === 200 ? 'done' : 'rejected');
  });

  it.each([
    ['denies it', { action: 'deny', message: 'not now' }, 403],
    ['wants it approved', undefined, 202],
  ] as const)('a rule that %s, set after the rules were asked, is heeded by the job that does it', async (_, then, status) => {
    await app.rules({ when: { operations: ['payment'] } });
    await app.post('/api/v1/enterprise/policies/evaluate', { recipients: [] });
    const { enterpriseConfig } = app.app.store.read;
    const find = enterpriseConfig.find.bind(enterpriseConfig);
    const spied = vi.spyOn(enterpriseConfig, 'find').mockImplementationOnce(async (id) => {
      const asked = await find(id);
      await app.rules({ when: { operations: [operation] }, ...(then && { then }) });
      return asked;
    });
    const answer = await kind.ask(eve);
    expect(spied).toHaveBeenCalled();
    spied.mockRestore();
    expect(answer.status, answer.text).toBe(status);
    if (status !== 202) return;
    await app.vote(answer.body.approval_id, ada);
    expect(await kind.holds((await ended(answer.body.approval_id, 'done')).result)).toBe(true);
  });
});

describe('attestations', () => {
  const stored = ({ subject }: Json) =>
    app.app.store.read.oracleEvents.list(app.accountId, { eventId: subject }, { limit: 1, offset: 0 });

  it('commits no outcome and opens no nonce while it waits; another outcome that came first is the end', async () => {
    await app.rules({ when: { operations: ['attest'] } });
    const made = (await kinds.attest.ask(eve)).body;
    expect((await stored(made)).data[0]).toMatchObject({ committedOutcome: null });
    const other = { oracle: 'local', event_id: made.subject, outcome: 'tails' };
    const second = (await app.post('/api/v1/dlc/attestations', other, { apiKey: eve })).body;
    expect(second.status).toBe('pending');
    // One whose text was changed keeps the oracle from nothing.
    const changed = 'apr_000000000000000changed' as const;
    const record = (await storedOf(made.approval_id))!;
    const text = record.text.replaceAll('"outcome":"heads"', '"outcome":"edge"');
    await app.app.store.write((tx) => tx.approvals.insert({ ...record, approvalId: changed, text }));
    await app.vote(second.approval_id, ada);
    const { result } = await ended(second.approval_id, 'done');
    expect(result.outcome).toBe('tails');
    expect((await app.approval(changed)).status).toBe('failed');
    // Nobody has to vote to learn it.
    expect((await app.approval(made.approval_id)).reason).toContain('the oracle has decided otherwise');
    expect((await app.vote(made.approval_id, ada)).status).toBe(409);
    expect(
      refusal(await app.post('/api/v1/dlc/attestations', { ...other, outcome: 'heads' }, { apiKey: eve })),
    ).toEqual([409, 'outcome_conflict']);
    // Signed already: nothing is left to approve.
    expect(await app.post('/api/v1/dlc/attestations', other, { apiKey: eve })).toMatchObject({
      ...{ status: 201, body: result },
    });
  });

  it('stopped after its outcome was committed it is signed once, of that outcome', async () => {
    await app.rules({ when: { operations: ['attest'] } });
    const made = (await kinds.attest.ask(eve)).body;
    const { oracle_id: oracleId } = JSON.parse(made.text).signs;
    await app.app.store.write((tx) =>
      tx.oracleEvents.commitOutcome({ accountId: app.accountId, oracleId, eventId: made.subject }, '["heads"]', 1),
    );
    await approvedUnseen(made.approval_id);
    expect(await kinds.attest.holds((await ended(made.approval_id, 'done')).result)).toBe(true);
    expect(await app.app.store.read.attestations.ofEvent(app.accountId, oracleId, made.subject)).toHaveLength(1);
  });

  it('waits for nothing that could not be signed', async () => {
    await app.rules({ when: { operations: ['attest'] } });
    const { subject } = (await kinds.attest.ask(eve)).body;
    const asking = (body: Json) => app.post('/api/v1/dlc/attestations', body, { apiKey: eve });
    const none = await asking({ oracle: 'local', event_id: subject, outcome: 'edge' });
    expect([none.status, none.body.error.details.field]).toEqual([400, 'outcome']);
    expect((await asking({ oracle: 'local', event_id: 'no such event', outcome: 'heads' })).status).toBe(404);
    const event = { oracle: 'local', maturity: '2027-01-01T00:00:00Z', outcomes: ['heads', 'tails'] };
    const { event_id } = (await app.post('/api/v1/dlc/events', event)).body;
    expect(refusal(await asking({ oracle: 'local', event_id, outcome: 'heads' }))).toEqual([409, 'state_conflict']);
  });
});

it('a session that ends while its partial signature waits ends that, and takes nothing', async () => {
  await app.rules({ when: { operations: ['musig'] } });
  const { approval_id, text, subject } = (await kinds.musig.ask(eve)).body;
  const path = `/api/v1/taproot/musig-sessions/${subject}`;
  expect((await app.get(path)).body.participants[0].partial_signature).toBeNull();
  expect(Object.keys(JSON.parse(text).signs)).not.toContain('partial_signature');
  expect((await app.call('DELETE', path)).status).toBe(204);
  const { status, reason } = await app.approval(approval_id);
  expect([status, reason]).toEqual(['failed', expect.stringContaining('the session is in state cancelled')]);
  expect((await app.get(path)).body.participants[0].partial_signature).toBeNull();
});

it('a backup’s passphrase is nowhere in clear, and the backup is erased after a day', async () => {
  await app.rules({ when: { operations: ['backup'] } });
  const { approval_id } = (await kinds.backup.ask(eve)).body;
  const everywhere = async () =>
    JSON.stringify([
      await storedOf(approval_id),
      (await app.get(`${APPROVALS}/${approval_id}`, { apiKey: eve })).text,
      (await app.get(`${APPROVALS}/${approval_id}/export`, { apiKey: eve })).text,
      (await app.get('/api/v1/compliance/audit?limit=100')).text,
    ]);
  expect(await everywhere()).not.toContain('four horses');
  await app.vote(approval_id, ada);
  const { result } = await ended(approval_id, 'done');
  expect(await everywhere()).not.toContain('four horses');
  expect((await storedOf(approval_id))!.result).not.toContain(result.backup.slice(0, 40));
  app.advance(24 * 3_600_000 - 1);
  expect((await app.approval(approval_id)).result).toBeNull();
  const seen = async () => (await read(approval_id, eve)).result;
  expect(await seen()).toEqual(result);
  app.advance(1);
  expect(await seen()).toBeNull();
  await app.app.services.held.sweep();
  expect(await storedOf(approval_id)).toMatchObject({ result: null, resultUntil: null, status: 'approved' });
});

it('at most 30 requests of one asker and 100 of an account wait; those of who could not ask any more end where room is needed', async () => {
  // What was left over has ended: it would end between the requests that are counted.
  await expect.poll(() => app.app.store.read.approvals.due(app.now(), { ofEach: 1, all: 1 })).toEqual([]);
  await app.rules({ when: { operations: ['message'] } });
  const { address } = (await app.post(`/api/v1/wallets/${app.walletId}/addresses`)).body;
  let said = 0;
  // Another each time: the same would be answered with what waits.
  const ask = (apiKey: string) =>
    app.post(`/api/v1/wallets/${app.walletId}/messages`, { address, message: `${said++}` }, { apiKey });
  const asked = async (apiKey: string) => storedOf((await ask(apiKey)).body.approval_id);
  const record = await asked(eve);
  const fill = async (upTo: number, initiator = record!.initiator) => {
    const waiting = (await app.app.store.read.approvals.held(app.accountId)).length;
    await app.app.store.write(async (tx) => {
      for (let n = waiting; n < upTo; n++)
        await tx.approvals.insert({ ...record!, initiator, approvalId: `apr_${String(n).padStart(22, '0')}` });
    });
  };
  await fill(30);
  expect(refusal(await ask(eve))).toEqual([422, 'policy_refused']);
  const another = (await ask(ada)).body.approval_id;
  const { initiator } = (await asked(bob))!;
  await fill(100, initiator);
  expect(refusal(await ask(ada))).toEqual([422, 'policy_refused']);
  expect((await app.vote(another, ada, { decision: 'reject' })).status).toBe(200);
  const last = (await ask(ada)).body.approval_id;
  expect(refusal(await ask(ada))).toEqual([422, 'policy_refused']);

  await app.app.store.write((tx) => tx.apiKeys.revoke(app.accountId, initiator.id, app.now()));
  expect((await ask(ada)).status).toBe(202);
  const waiting = await app.app.store.read.approvals.held(app.accountId);
  expect(waiting.filter((one) => one.initiator.id === initiator.id)).toEqual([]);
  expect(waiting.map(({ approvalId }) => approvalId)).toContain(last);
  const page = await app.get(`${APPROVALS}?operation=message&status=failed`);
  expect(page.body.data[0]).toMatchObject({ reason: `${initiator.id}, which asked for it, has ended` });
});

/** As where the process ended right after the job of the last vote. */
const approvedUnseen = (approvalId: string) =>
  app.app.store.write((tx) =>
    tx.approvals.close(
      { accountId: app.accountId, approvalId: approvalId as `apr_${string}` },
      { status: 'approved', reason: null, closedAt: 1 },
    ),
  );
