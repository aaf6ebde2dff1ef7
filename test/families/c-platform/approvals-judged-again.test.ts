/** Who asked, who approved and what the rules want, judged again: with the last vote, and before it is carried out, which may be later. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { AccountFrozen } from '../../../src/services/approvals/approval-subject.ts';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { type ApprovalsApp, startApprovalsApp } from './approvals-app.ts';
import { PASSWORD } from './users-app.ts';

let app: ApprovalsApp;
let [ada, bob]: [string, string] = ['', ''];
beforeAll(async () => {
  app = await startApprovalsApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.rules({});
  ada = await app.voice('usr_ada');
  bob = await app.voice('usr_bob');
});

/** A person of the role admin, logged in and signing. */
async function person(): Promise<{ id: string; token: string }> {
  const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
  const username = `p-${Buffer.from(publicJwk.x).toString('hex').slice(0, 16)}`;
  const user = { username, password: PASSWORD, role: 'admin', scopes: ['*'], public_key: publicJwk };
  const made = await app.post('/api/v1/users', user);
  expect(made.status, made.text).toBe(201);
  const login = await app.post(
    '/api/v1/auth/login',
    { username, password: PASSWORD },
    { apiKey: null, sign: privateJwk },
  );
  app.remember(login.body.access_token, privateJwk);
  return { id: made.body.user_id, token: login.body.access_token };
}
const change = (id: string, fields: Json) =>
  app.app.store.write((tx) => tx.users.update(app.accountId, id, fields as never));
const keyId = async (apiKey: string): Promise<string> =>
  (await app.app.store.read.apiKeys.findByPrefix(apiKey.split('_')[1]!))!.keyId;
const until = async (id: string, status: string): Promise<Json> => {
  const probe = async () => {
    const { done_at, status: is } = await app.approval(id);
    return status === 'done' ? done_at !== null : is === status;
  };
  await expect.poll(probe, { timeout: 90_000, interval: 50 }).toBe(true);
  return app.approval(id);
};
const lockedIn = async (): Promise<string> => (await app.get(`/api/v1/wallets/${app.walletId}`)).body.balance.locked;

const CONTRACT = { type: 'dlc', oracle: 'local', outcomes: ['a', 'b'], collateral: '0.01' };
const ASKS: Record<string, (apiKey: string) => Promise<TestAnswer>> = {
  payment: (apiKey) => app.pay({}, apiKey),
  contract: (apiKey) => app.post('/api/v1/contracts', { ...CONTRACT, wallet_id: app.walletId }, { apiKey }),
};
/** As where the last vote came before what happened since, and the service ended or the node was away. */
const approvedBefore = (approvalId: string) =>
  app.app.store.write((tx) =>
    tx.approvals.close(
      { accountId: app.accountId, approvalId: approvalId as `apr_${string}` },
      { status: 'approved', reason: null, closedAt: 1 },
    ),
  );

const ENDED: [string, string, (by: { id: string; token: string }) => Promise<unknown>][] = [
  ['is disabled', 'has ended', ({ id }) => change(id, { disabledAt: 1 })],
  ['is over', 'has ended', ({ id }) => change(id, { expiresAt: 1 })],
  ['is a viewer by now', 'may no longer do so', ({ id }) => change(id, { role: 'viewer' })],
  ['has lost the scope', 'may no longer do so', ({ id }) => change(id, { scopes: ['approvals:write'] })],
];
it.each(
  Object.keys(ASKS).flatMap((kind) => ENDED.map((one) => [kind, ...one] as const)),
)('a %s of whom %s fails, before the last vote and before it is carried out: its coins are free', async (kind, _, why, end) => {
  const before = await lockedIn();
  for (const late of [false, true]) {
    const by = await person();
    const { body, status } = await ASKS[kind]!(by.token);
    expect(status).toBe(202);
    await end(by);
    if (late) await approvedBefore(body.approval_id);
    else expect((await app.vote(body.approval_id, ada)).body.status).toBe('failed');
    const { reason, done_at } = await until(body.approval_id, 'failed');
    expect([reason, done_at]).toEqual([`${by.id}, which asked for it, ${why}`, null]);
    const at = kind === 'payment' ? `transactions/${body.txid}` : `contracts/${body.contract_id}`;
    expect((await app.get(`/api/v1/${at}`)).body).toMatchObject({ status: 'failed', reason });
    expect(await lockedIn()).toBe(before);
  }
});

it.each([
  ['by the same person it goes on', 'usr_eve', {}, 'done'],
  ['by another it fails', 'usr_mallory', {}, 'failed'],
  ['and revoked, it fails', 'usr_eve', { revoke: true }, 'failed'],
] as const)('the key that asked was rotated, and its overlap is over: %s', async (_, voice, {
  revoke = false,
}: Json, end) => {
  const eve = await app.voice('usr_eve');
  const { body } = await app.pay({}, eve);
  const id = await keyId(eve);
  const rotation = { overlapSeconds: 60, createdBy: null, voice };
  await app.app.services.apiKeys.rotate(app.accountId, id, rotation);
  if (revoke) await app.app.store.write((tx) => tx.apiKeys.revoke(app.accountId, id, app.now()));
  app.advance(2 * 60_000);
  await app.vote(body.approval_id, ada);
  await until(body.approval_id, end);
});

it.each([
  ['denies it: it fails', [{ then: { action: 'deny', message: 'not today' } }], 'failed', 'not today'],
  ['wants one more, of whom nobody voted: it fails', [{}, { from: { userIds: ['usr_bob'] } }], 'failed', 'has 0'],
  ['wants what its votes meet: it goes on', [{ from: { userIds: ['usr_ada'] } }], 'done', null],
  ['wants nothing of it: it goes on', [{ amountOverSats: 900_000_000n }], 'done', null],
  ['is as it was: what was met stays met', null, 'done', null],
] as const)('a rule set after the last vote, before it is carried out, %s', async (_, rules, end, reason) => {
  for (const kind of Object.keys(ASKS)) {
    await app.rules({ required: 2 });
    const { body } = await ASKS[kind]!(await app.voice('usr_eve'));
    await app.vote(body.approval_id, ada);
    if (rules !== null) await app.rules(...rules);
    await approvedBefore(body.approval_id);
    const after = await until(body.approval_id, end);
    if (reason !== null) expect(after.reason).toContain(reason);
  }
});

it.each(
  Object.keys(ASKS),
)('a %s that a rule denies while it is carried out, after it was judged, is not made', async (kind) => {
  const before = await lockedIn();
  const { body } = await ASKS[kind]!(await app.voice('usr_eve'));
  // Read after it was judged, and before the job that commits it.
  const { accounts } = app.app.store.read;
  const find = accounts.find.bind(accounts);
  const spied = vi.spyOn(accounts, 'find').mockImplementationOnce(async (id) => {
    await app.rules({ then: { action: 'deny', message: 'not now' } });
    return find(id);
  });
  await approvedBefore(body.approval_id);
  const stored = () => app.app.store.read.approvals.find(app.accountId, body.approval_id);
  await expect.poll(async () => (await stored())?.status, { timeout: 90_000, interval: 50 }).toBe('failed');
  expect(spied).toHaveBeenCalled();
  spied.mockRestore();
  expect((await app.approval(body.approval_id)).reason).toMatch(/it was approved, and could not be made: .*not now/);
  expect(await lockedIn()).toBe(before);
});

it.each([
  ...Object.keys(ASKS),
  'message',
])('a %s whose account is frozen while it is carried out waits until that is free again', async (kind) => {
  const eve = await app.voice('usr_eve');
  const body = { address: await fresh(), message: 'own' };
  const ask = ASKS[kind] ?? (() => app.post(`/api/v1/wallets/${app.walletId}/messages`, body, { apiKey: eve }));
  const { approval_id: approvalId } = (await ask(eve)).body;
  const { store } = app.app;
  const { accounts, approvals } = store.read;
  const stored = () => approvals.find(app.accountId, approvalId);
  const write = store.write.bind(store);
  const refused: unknown[] = [];
  vi.spyOn(store, 'write').mockImplementation((job) => {
    const written = write(job);
    written.catch((error: unknown) => error instanceof AccountFrozen && refused.push(error));
    return written;
  });
  const find = accounts.find.bind(accounts);
  vi.spyOn(accounts, 'find').mockImplementationOnce(async (id) => {
    const before = await find(id);
    await store.write((tx) => tx.accounts.freeze(id, 1, 'stolen'));
    return before;
  });
  await approvedBefore(approvalId);
  await expect.poll(() => refused.length, { timeout: 20_000 }).toBe(1);
  vi.restoreAllMocks();
  expect(await stored()).toMatchObject({ status: 'approved', doneAt: null });
  await app.app.store.write((tx) => tx.accounts.unfreeze(app.accountId));
  await expect.poll(async () => (await stored())?.doneAt, { timeout: 90_000, interval: 50 }).not.toBeNull();
});

it.each([
  ['was disabled', (id: string) => change(id, { disabledAt: 1 })],
  ['is an operator by now', (id: string) => change(id, { role: 'operator' })],
  ['has lost the scope', (id: string) => change(id, { scopes: ['approvals:read'] })],
  [
    'has a revoked signing key',
    async (_: string, key: string) => app.app.store.write((tx) => tx.signingKeys.revoke(app.accountId, key, 1)),
  ],
])('the vote of who %s does not count with the last one, and theirs alone', async (_, end) => {
  await app.rules({ required: 2, from: { roles: ['admin'] } });
  const { approval_id } = await app.waiting();
  const [carol, dave] = [await person(), await person()];
  const voted = await app.vote(approval_id, carol.token);
  expect(voted.body.requirements[0].approvals).toBe(1);
  await end(carol.id, voted.body.votes[0].key_id);
  const { body } = await app.vote(approval_id, dave.token);
  expect([body.status, body.requirements[0].approvals]).toEqual(['pending', 1]);
  expect((await app.vote(approval_id, await app.voice('usr_bob', { role: 'admin' }))).body.status).toBe('approved');
  await until(approval_id, 'done');
});

it('20 approvals of one account at once are carried out once each', async () => {
  await app.rules();
  const coins = await Promise.all(Array.from({ length: 20 }, async () => ({ address: await fresh(), amount: '0.01' })));
  const { status, text } = await app.pay({ recipients: coins });
  expect(status, text).toBe(201);
  await app.simulated.mine(1, '51');
  await app.synced();
  await app.rules({});
  const made: Json[] = [];
  for (const { address } of coins) made.push(await app.waiting({ recipients: [{ address, amount: '0.001' }] }));
  const answers = await Promise.all(made.map(({ approval_id }, n) => app.vote(approval_id, n % 2 ? ada : bob)));
  expect(new Set(answers.map(({ body }) => body.status))).toEqual(new Set(['approved']));
  for (const { txid } of made) await app.status(txid, 'broadcast');
});
const fresh = async (): Promise<string> => (await app.post(`/api/v1/wallets/${app.walletId}/addresses`)).body.address;
