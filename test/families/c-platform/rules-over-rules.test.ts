/** Changes of who may decide, or by which rules, where policy_change is set: what waits, what is approved by approving it, and how each ends. */
import { address as codec } from 'bitcoinjs-lib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyApproval } from '../../../src/core/policies/verify-approval.ts';
import { makeProof } from '../../../src/core/request-signatures/proof-of-possession.ts';
import type { PrivateJwk } from '../../../src/core/request-signatures/signing-algorithm.ts';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import { APPROVALS, type ApprovalsApp, startApprovalsApp } from './approvals-app.ts';
import { PASSWORD } from './users-app.ts';

const CONFIG = '/api/v1/enterprise/config';
const POLICIES = '/api/v1/enterprise/policies';
const BOOK = '/api/v1/enterprise/address-book';
const KEYS = '/api/v1/api-keys';
const USERS = '/api/v1/users';
const ASKS = { name: 'asks', role: 'operator', scopes: ['transactions:write'] };
const HOUR = 3_600_000;

let app: ApprovalsApp;
/** Administrators, each a voice. */
let [eve, ada, bob]: [string, string, string] = ['', '', ''];
beforeAll(async () => {
  app = await startApprovalsApp({ env: { ARGON2_MEMORY_KIB: '7168', ARGON2_PASSES: '1' } });
  const admin = { role: 'admin' as const, scopes: ['*'] };
  eve = await app.voice('usr_eve', admin);
  ada = await app.voice('usr_ada', admin);
  bob = await app.voice('usr_bob', admin);
});
afterAll(() => app.close());
beforeEach(() => policyChange(1));

/** Past what it would itself wait for. */
const policyChange = (required: number | null) =>
  app.app.store.write(async (tx) => {
    await tx.enterpriseConfig.lockOrMake(app.accountId, 1);
    const from = { roles: ['admin' as const] };
    const value = required === null ? null : { required, from, expiresInHours: 24 };
    await tx.enterpriseConfig.update(app.accountId, { policyChange: value });
  });
const free = async <T>(make: () => Promise<T>): Promise<T> => {
  await policyChange(null);
  const made = await make();
  await policyChange(1);
  return made;
};

const refusal = ({ status, body }: TestAnswer) => [status, body.error?.details?.code];
const by = (apiKey: string) => ({ apiKey });
/** A change that waits: its approval, and what is approved by approving it. */
async function waits(asked: Promise<TestAnswer>): Promise<{ id: string; signs: Json }> {
  const { status, body, text } = await asked;
  expect(status, text).toBe(202);
  return { id: body.approval_id, signs: JSON.parse(body.text).signs };
}
async function ended(id: string): Promise<Json> {
  const probe = async () => {
    const { status, done_at } = await app.approval(id);
    return status !== 'approved' || done_at !== null;
  };
  await expect.poll(probe, { timeout: 90_000, interval: 50 }).toBe(true);
  return app.approval(id);
}
async function rejectAll(): Promise<void> {
  const { data } = (await app.get(`${APPROVALS}?status=pending&limit=100`)).body;
  for (const { approval_id } of data) await app.vote(approval_id, bob, { decision: 'reject' });
}
async function approved(asked: Promise<TestAnswer>): Promise<Json> {
  const { id } = await waits(asked);
  expect((await app.vote(id, ada)).status).toBe(200);
  return ended(id);
}
const person = (given: Json = {}) =>
  free(async () => {
    const username = `person-${Math.random().toString(36).slice(2)}`;
    const made = await app.post(USERS, { username, password: PASSWORD, scopes: ['wallets:read'], ...given });
    expect(made.status, made.text).toBe(201);
    return { ...made.body, path: `${USERS}/${made.body.user_id}` } as Json;
  });
const raise = ({ path, username }: Json, given: Json = {}) =>
  app.call('PUT', path, { username, role: 'operator', scopes: ['*'], ...given }, by(eve));
function enrolment(kind: string, id: string): Json {
  const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
  const now = Date.parse('2026-11-21T12:00:00Z') / 1000;
  const proof = makeProof(privateJwk, { accountId: app.accountId, credentialId: id }, now);
  return { public_key: publicJwk, credential: { kind, id }, proof };
}
const entry = (given: Json = {}) => ({
  name: `entry ${Math.random()}`,
  address: outsider(`${Math.random()}`),
  ...given,
});
const madeEntry = (given: Json = {}): Promise<string> =>
  free(async () => (await app.post(BOOK, entry(given), by(eve))).body.address_book_id);

describe('the config', () => {
  const put = (policy_change: Json | null, apiKey = eve) => app.call('PUT', CONFIG, { policy_change }, { apiKey });

  it('is set at once, and what lifts or weakens it waits, with the difference in the text that is approved', async () => {
    await policyChange(null);
    expect((await put({ required: 2, from: { roles: ['admin'] } })).status).toBe(200);
    const { id, signs } = await waits(put({ required: 1, from: { roles: ['admin'] } }));
    const shown = { required: 1, from: { roles: ['admin'] }, expires_in_hours: 72 };
    expect(signs).toMatchObject({ kind: 'rules_change', target: null });
    expect([signs.before.policy_change, signs.after.policy_change]).toEqual([{ ...shown, required: 2 }, shown]);
    expect((await app.get(CONFIG)).body.policy_change.required).toBe(2);
    expect(refusal(await app.vote(id, eve))).toEqual([403, 'forbidden']);
    await app.vote(id, ada);
    expect((await app.vote(id, bob)).body.status).toBe('approved');
    expect(await ended(id)).toMatchObject({ result: { policy_change: shown } });
    expect((await app.get(CONFIG)).body.policy_change.required).toBe(1);
    const file = (await app.get(`${APPROVALS}/${id}/export`)).body;
    expect(verifyApproval(file)).toMatchObject({ met: true, text: { signs } });
    const lifted = await approved(put(null));
    expect(lifted.done_at).not.toBeNull();
    expect((await app.get(CONFIG)).body.policy_change).toBeNull();
  });

  it('is refused where nobody could change the rules any more, and asks for as many as it says by the last vote', async () => {
    expect(refusal(await put({ required: 20, from: { roles: ['admin'] } }))).toEqual([422, 'policy_refused']);
    const { id } = await waits(app.post(POLICIES, { name: 'any', then: { action: 'allow' } }, by(eve)));
    await policyChange(2);
    expect((await app.vote(id, ada)).body).toMatchObject({ status: 'pending', requirements: [{ required: 2 }] });
    expect((await app.vote(id, bob)).body.status).toBe('approved');
    expect((await ended(id)).done_at).not.toBeNull();
  });
});

describe('rules and the address book', () => {
  it('of two changes that wait on each other the second fails, and says why', async () => {
    const path = `${POLICIES}/${await free(async () => (await app.post(POLICIES, { name: 'first', then: { action: 'allow' } }, by(eve))).body.policy_id)}`;
    const [one, other] = [
      await waits(app.call('PATCH', path, { name: 'one', then: { action: 'allow' } }, by(eve))),
      await waits(app.call('PATCH', path, { name: 'other', then: { action: 'allow' } }, by(eve))),
    ];
    await app.vote(one.id, ada);
    expect((await ended(one.id)).done_at).not.toBeNull();
    await app.vote(other.id, ada);
    const failed = await ended(other.id);
    expect([failed.status, failed.reason]).toEqual(['failed', expect.stringContaining('repeat the request')]);
    expect((await app.get(path)).body.name).toBe('one');
    // Its place decides nothing.
    expect((await app.call('PATCH', path, { position: 1 }, by(eve))).status).toBe(200);
  });

  it('an entry that a rule goes by is removed when that is approved, any other at once', async () => {
    const [named, tagged] = [await madeEntry(), await madeEntry({ tags: ['risky'] })];
    const [other, another] = [await madeEntry(), await madeEntry()];
    await rejectAll();
    await app.rules({ when: { destinations: { entries: [named], tags: ['risky'] } } });
    expect((await app.call('DELETE', `${BOOK}/${other}`, undefined, by(eve))).status).toBe(204);
    for (const id of [named, tagged]) {
      const { signs } = await waits(app.call('DELETE', `${BOOK}/${id}`, undefined, by(eve)));
      expect(signs).toMatchObject({ target: id, before: { name: expect.any(String) }, after: null });
      expect((await app.get(`${BOOK}/${id}`)).status).toBe(200);
    }
    // A rule that waits may name it.
    await waits(app.call('DELETE', `${BOOK}/${another}`, undefined, by(eve)));
    const { signs } = await waits(app.call('PATCH', `${BOOK}/${tagged}`, { tags: [] }, by(eve)));
    expect([signs.before.tags, signs.after.tags]).toEqual([['risky'], []]);
    const gone = await approved(app.call('DELETE', `${BOOK}/${named}`, undefined, by(eve)));
    expect([gone.done_at === null, (await app.get(`${BOOK}/${named}`)).status]).toEqual([false, 404]);
    await app.rules();
  });

  it('an import shows its rows, and is refused where they are more than can be read', async () => {
    const addressOf = (at: number) => codec.toBase58Check(Buffer.from(`${at}`.padStart(40, '0'), 'hex'), 111);
    let made = 0;
    const row = () => `row ${++made},${addressOf(made)}\r\n`;
    const csv = (rows: number) =>
      app.call('POST', `${BOOK}/import`, `name,address\r\n${Array.from({ length: rows }, row).join('')}`, {
        ...by(eve),
        headers: { 'content-type': 'text/csv' },
      });
    const before = (await app.get(BOOK)).body.pagination.total;
    const { id, signs } = await waits(csv(3));
    expect(signs.after.entries).toHaveLength(3);
    await app.vote(id, ada);
    expect(await ended(id)).toMatchObject({ result: { imported: 3 } });
    expect((await app.get(BOOK)).body.pagination.total).toBe(before + 3);
    expect(refusal(await csv(5_000))).toEqual([422, 'too_large']);
  });
});

describe('credentials', () => {
  it('a new one that may write waits, under another voice and one’s own', async () => {
    expect((await waits(app.post(KEYS, ASKS))).signs.after).toMatchObject({ name: 'asks', counts_as: null });
    expect((await waits(app.post(KEYS, ASKS, by(eve)))).signs.after.counts_as).toBe('usr_eve');
    expect((await app.post(KEYS, { ...ASKS, role: 'viewer' })).status).toBe(201);
    await waits(app.post(KEYS, { ...ASKS, scopes: ['approvals:write'] }, by(eve)));
    await waits(app.post('/api/v1/oauth-clients', ASKS));
    await waits(app.post('/api/v1/oauth-clients', ASKS, by(eve)));
    await waits(app.post(USERS, { username: 'invited', ...ASKS, name: 'New' }, by(eve)));
  });

  it('rotating another’s key waits, and the successor is whose the difference says', async () => {
    const { api_key_id } = await free(async () => (await app.post(KEYS, ASKS, by(ada))).body);
    const { signs } = await waits(app.post(`${KEYS}/${api_key_id}/rotate`, {}, by(eve)));
    expect(signs).toMatchObject({
      target: api_key_id,
      before: { counts_as: 'usr_ada' },
      after: { counts_as: 'usr_eve', rotated_by: 'usr_eve' },
    });
  });

  it('rotating one’s own key waits while a rule does, which would name it and not its successor', async () => {
    const { api_key_id } = await free(async () => (await app.post(KEYS, ASKS, by(ada))).body);
    const rotate = (id: string) => app.post(`${KEYS}/${id}/rotate`, {}, by(ada));
    await rejectAll();
    const successor = await rotate(api_key_id);
    expect(successor.status, successor.text).toBe(201);
    const when = { initiators: { api_key_ids: [successor.body.api_key_id] } };
    const rule = await waits(app.post(POLICIES, { name: 'stops it', when, then: { action: 'deny' } }, by(eve)));
    const rotation = await waits(rotate(successor.body.api_key_id));
    await app.vote(rule.id, ada);
    await app.vote(rotation.id, eve);
    const { policy_id } = (await ended(rule.id)).result;
    await ended(rotation.id);
    const named = (await app.get(`${POLICIES}/${policy_id}`)).body.when.initiators.api_key_ids;
    expect(named).toHaveLength(2);
    await free(async () => app.call('DELETE', `${POLICIES}/${policy_id}`));
  });

  it('a new key is made when it is approved, and shown to whoever asked, for a day', async () => {
    const asked = app.post(KEYS, { ...ASKS, scopes: ['approvals:write'] }, by(eve));
    const { approval_id } = await approved(asked);
    const path = `${APPROVALS}/${approval_id}`;
    const shown = async (apiKey: string, sign: PrivateJwk | false = app.pairOf(apiKey)) =>
      (await app.get(path, { apiKey, sign })).body.result;
    const result = await shown(eve);
    expect(result).toMatchObject({ api_key: expect.stringMatching(/^ak_/), private_key: expect.anything() });
    expect([await shown(ada), await shown(eve, false)]).toEqual([null, null]);
    const stored = () => app.app.store.read.approvals.find(app.accountId, approval_id);
    expect((await stored())!.result).not.toContain('ak_');
    expect((await app.get(`${KEYS}/${result.api_key_id}`)).body.counts_as).toBe('usr_eve');
    app.advance(24 * HOUR);
    expect(await shown(eve)).toBeNull();
    await app.app.store.write((tx) => tx.approvals.eraseResults(Date.parse('2026-11-22T12:00:00Z')));
    expect((await stored())!.result).toBeNull();
  });

  it('a key for somebody’s voice waits; the proof that came with it is judged by when it was sent', async () => {
    const { api_key_id } = await free(async () => (await app.post(KEYS, ASKS, by(ada))).body);
    const now = (await app.app.store.read.apiKeys.find(app.accountId, api_key_id))!.createdAt;
    const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
    const enrol = (at: number) => {
      const proof = makeProof(
        privateJwk,
        { accountId: app.accountId, credentialId: api_key_id },
        Math.floor(at / 1000),
      );
      const body = { public_key: publicJwk, credential: { kind: 'api_key', id: api_key_id }, proof };
      return app.post('/api/v1/signing-keys', body, by(eve));
    };
    expect((await enrol(now - 2 * HOUR)).status).toBeGreaterThanOrEqual(400);
    const { id, signs } = await waits(enrol(now));
    expect(signs.after).toMatchObject({ credential: { id: api_key_id } });
    app.advance(5 * HOUR);
    await app.vote(id, ada);
    expect((await ended(id)).done_at).not.toBeNull();
    const keys = await app.get(
      `/api/v1/signing-keys?credential_kind=api_key&credential_id=${api_key_id}&revoked=false`,
    );
    expect(keys.body.data).toHaveLength(2);
  });
});

describe('people', () => {
  it('who becomes a voice is shown with the keys enrolled for them, and one that is enrolled meanwhile fails the change', async () => {
    const lesser = await person();
    const planted = await app.app.store.write((tx) =>
      app.app.services.signingKeys.enrol(
        tx,
        { accountId: app.accountId, kind: 'person', id: lesser.user_id },
        { name: 'planted', publicJwk: enrolment('person', lesser.user_id).public_key },
      ),
    );
    const { id, signs } = await waits(raise(lesser));
    expect(signs.before).toMatchObject({ role: 'viewer', signing_keys: [planted.keyId] });
    expect(signs.after).toMatchObject({ role: 'operator', signing_keys: [planted.keyId] });
    await app.app.store.write((tx) =>
      app.app.services.signingKeys.enrol(
        tx,
        { accountId: app.accountId, kind: 'person', id: lesser.user_id },
        { name: 'later', publicJwk: enrolment('person', lesser.user_id).public_key },
      ),
    );
    await app.vote(id, ada);
    expect(await ended(id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('repeat the request') });
    expect((await app.get(lesser.path)).body.role).toBe('viewer');
    const again = await waits(raise(lesser));
    const { role, scopes, ...same } = (await app.get(lesser.path)).body;
    expect([role, again.signs.before.password_changed_at]).toEqual(['viewer', expect.any(String)]);
    app.advance(1000);
    const password = `${PASSWORD} of another`;
    const given = { username: same.username, role, scopes, password };
    expect((await app.call('PUT', lesser.path, given, by(eve))).status).toBe(200);
    await app.vote(again.id, ada);
    expect((await ended(again.id)).status).toBe('failed');
  });

  it('a password or a link for a voice waits, and the text tells of it and nothing of the password', async () => {
    const voice = await person({ role: 'operator', scopes: ['*'] });
    const words = 'another horse battery staple';
    const answer = await raise(voice, { password: words });
    expect([answer.status, answer.text.includes(words)]).toEqual([202, false]);
    expect(JSON.parse(answer.body.text).signs.after.password).toBe('a new one');
    expect(
      (await waits(app.post(`${voice.path}/password-reset`, undefined, by(eve)))).signs.after.password,
    ).toBeDefined();
    expect((await raise(voice, { disabled: true })).status).toBe(200);
    await waits(raise(voice, { disabled: false }));
    expect((await app.call('DELETE', voice.path, undefined, by(eve))).status).toBe(204);
  });

  it.each([
    ['role', { role: 'operator' }],
    ['scope', { scopes: ['approvals:write'] }],
  ] as const)('fails where whoever asked has lost the %s before it is done', async (_, patch) => {
    const { userId, token } = await free(() => app.person({ role: 'admin' }));
    const { id } = await waits(app.post(POLICIES, { name: 'x', then: { action: 'allow' } }, by(token)));
    await app.app.store.write((tx) => tx.users.update(app.accountId, userId, patch));
    await app.vote(id, ada);
    expect(await ended(id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('may no longer do so') });
  });
});
