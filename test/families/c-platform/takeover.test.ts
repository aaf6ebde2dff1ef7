/** Ways to become more than one is, step by step: each begins with a lesser administrator, and ends where it has to. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { makeProof } from '../../../src/core/request-signatures/proof-of-possession.ts';
import type { PrivateJwk } from '../../../src/services/credentials/signing-keys.ts';
import type { CallOptions, Json, TestAnswer } from '../../builders/app.ts';
import { requestContext } from '../../builders/request-context.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

let app: UsersApp;
beforeAll(async () => {
  app = await startUsersApp({ env: { TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => app.close());

const LESSER = ['users:write', 'signing-keys:write'];
const lesser = async (): Promise<CallOptions> => ({ apiKey: await app.key({ scopes: LESSER }) });
const refusal = ({ status, body }: TestAnswer) => [
  status,
  body.error?.details.code ?? body.error,
  body.error?.details.field,
];
const path = (userId: string) => `/api/v1/users/${userId}`;
const put = ({ user_id, username }: Json, given: Json, options?: CallOptions) =>
  app.call('PUT', path(user_id), { username, role: 'admin', scopes: ['*'], ...given }, options);

/** A fresh pair, and what enrols it for a person. */
function enrolment(userId: string): { jwk: PrivateJwk; body: Json } {
  const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
  const proof = makeProof(privateJwk, { accountId: app.accountId, credentialId: userId }, Math.floor(app.now() / 1000));
  return { jwk: privateJwk, body: { public_key: publicJwk, credential: { kind: 'person', id: userId }, proof } };
}
const enrol = (body: Json, options?: CallOptions) => app.post('/api/v1/signing-keys', body, options);
const standing = async (userId: string) =>
  (await app.get(`/api/v1/signing-keys?credential_kind=person&credential_id=${userId}&revoked=false`)).body.data.length;
const linked = (userId: string) => app.app.store.read.sso.findIdentityOf(app.accountId, userId, 'https://idp.example');

/** Every change of a person that a caller could try. */
const everyChange = (person: Json, options: CallOptions): (() => Promise<TestAnswer>)[] => [
  () => put(person, { scopes: LESSER }, options),
  () => put(person, { scopes: LESSER, email: 'evil@example.com' }, options),
  () => put(person, { scopes: LESSER, password: 'a password of the attacker' }, options),
  () => put(person, { scopes: LESSER, disabled: true }, options),
  () => enrol(enrolment(person.user_id).body, options),
  () => app.post(`${path(person.user_id)}/password-reset`, undefined, options),
  () => app.call('DELETE', `${path(person.user_id)}/totp`, undefined, options),
  () => app.call('DELETE', path(person.user_id), undefined, options),
];

/** A person in the hands of whoever made the call: password, e-mail, a key, one enrolled with it, a link, single sign-on, a session. */
async function plant(person: Json, options: CallOptions) {
  const { user_id: userId, username } = person;
  const evil = 'a password of the attacker';
  expect((await put(person, { role: 'viewer', scopes: LESSER, password: evil }, options)).status).toBe(200);
  const first = enrolment(userId);
  expect((await enrol(first.body, options)).status).toBe(201);
  const link = (await app.post(`${path(userId)}/password-reset`, undefined, options)).body.reset_token;
  await app.app.store.write((tx) =>
    tx.sso.insertIdentity({
      issuer: 'https://idp.example',
      subject: userId,
      accountId: app.accountId,
      userId,
      createdAt: 1,
    }),
  );
  const login = () => app.login({ username, password: evil }, { sign: first.jwk });
  const session = (await login()).body;
  return { userId, login, link, session, first };
}

describe('somebody who has more', () => {
  it('is not changed by somebody who has less, in any way', async () => {
    const person = await app.person({ role: 'admin', scopes: ['*'] });
    for (const change of everyChange(person, await lesser()))
      expect(refusal(await change()).slice(0, 2)).toEqual([403, 'forbidden']);
  });

  it('is not while they have less for a time', async () => {
    const person = await app.person({ role: 'admin', scopes: ['*'] });
    expect((await put(person, { role: 'viewer', scopes: LESSER })).status).toBe(200);
    for (const change of everyChange(person, await lesser()))
      expect(refusal(await change()).slice(0, 2)).toEqual([403, 'forbidden']);
    // Raised again by the same administrator, they have what they had, but for what was open.
    const open = (await app.login({ username: person.username, password: PASSWORD })).body;
    expect((await put(person, {})).body).toMatchObject({ has_password: true, scopes: ['*'] });
    expect((await app.refresh(open.refresh_token)).status).toBe(401);
    expect((await app.login({ username: person.username, password: PASSWORD })).status).toBe(200);
  });
});

describe('what a lesser administrator set', () => {
  it('is worth nothing once the person is given more', async () => {
    const options = await lesser();
    const person = await app.person({ role: 'viewer', scopes: LESSER });
    const { userId, login, link, session, first } = await plant(person, options);
    // What the person enrols is enrolled by whoever can log in as them.
    await put(person, { role: 'operator', scopes: LESSER }, options);
    const inside = (await login()).body.access_token;
    const second = enrolment(userId);
    expect((await enrol(second.body, { apiKey: inside, sign: first.jwk })).status).toBe(201);
    expect(await standing(userId)).toBe(2);

    expect((await put(person, {})).body).toMatchObject({ scopes: ['*'], has_password: false });
    expect((await app.refresh(session.refresh_token)).status).toBe(401);
    expect((await app.get('/api/v1/wallets', { apiKey: inside })).status).toBe(401);
    expect((await login()).status).toBe(401);
    expect((await app.login({ reset_token: link, new_password: 'another of the attacker' })).status).toBe(401);
    expect([await standing(userId), await linked(userId)]).toEqual([0, null]);
    // From here on it is as if the greater administrator had made them.
    const { reset_token } = (await app.post(`${path(userId)}/password-reset`)).body;
    expect((await app.login({ reset_token, new_password: PASSWORD })).status).toBe(200);
    await put(person, { role: 'viewer' });
    expect((await put(person, {})).body.has_password).toBe(true);
  });

  it('is told from what a greater one set', async () => {
    const person = await app.person({ scopes: LESSER, public_key: app.app.services.signingKeys.newPair().publicJwk });
    const open = (await app.login({ username: person.username, password: PASSWORD })).body;
    const { reset_token } = (await app.post(`${path(person.user_id)}/password-reset`)).body;
    expect((await put(person, {})).body.has_password).toBe(true);
    expect((await app.refresh(open.refresh_token)).status).toBe(401);
    expect((await app.login({ reset_token, new_password: 'whatever it may be' })).status).toBe(401);
    expect(await standing(person.user_id)).toBe(1);
    // More of the pace alone is nothing to end a session for.
    const again = (await app.login({ username: person.username, password: PASSWORD })).body;
    await put(person, { tier: 'pro' });
    expect((await app.refresh(again.refresh_token)).status).toBe(200);
  });

  it('is nothing that a link by the former address still opens', async () => {
    const person = await app.person({ email: 'before@example.com' });
    await plant(person, {});
    await put(person, { role: 'viewer', scopes: LESSER, email: 'after@example.com' });
    expect(await linked(person.user_id)).toBeNull();
  });

  it('is not set by a request of theirs that was under way', async () => {
    const person = await app.person({ role: 'operator', scopes: LESSER });
    const { session_id: sessionId } = (await app.login({ username: person.username, password: PASSWORD })).body;
    const { body } = enrolment(person.user_id);
    const { public_key: publicKey, proof } = body;
    const credential = { kind: 'person', id: person.user_id, sessionId } as const;
    const late = () =>
      app.app.services.signingKeyManagement.enrol(
        { publicKey, proof },
        requestContext({ accountId: app.accountId, credential }),
      );
    await put(person, {});
    await expect(late()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await standing(person.user_id)).toBe(0);
  });

  it('closes what listens as the person', async () => {
    const person = await app.person({ scopes: LESSER });
    const { access_token } = (await app.login({ username: person.username, password: PASSWORD })).body;
    const socket = new WebSocket(`${(await app.listen()).replace('http', 'ws')}/v1/ws`);
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    const heard = new Promise((resolve) => socket.on('message', resolve));
    socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', access_token })));
    expect(String(await heard)).toContain('authenticated');
    await put(person, {});
    expect(await closed).toBe(4401);
  });
});

describe('what ends, or is taken from some places alone', () => {
  const HOUR = 3_600_000;
  const HERE = { 'x-forwarded-for': '10.1.2.3' };
  const ELSEWHERE = { 'x-forwarded-for': '192.0.2.1' };
  const scopes = ['wallets:read'];
  const ends = () => new Date(app.now() + HOUR).toISOString();
  const makers = async (): Promise<CallOptions> => ({
    apiKey: await app.key({ tier: 'free', expiresAt: app.now() + HOUR, allowedIps: ['10.0.0.0/8'] }),
    headers: HERE,
  });

  it('makes what ends no later and comes from nowhere else, and so does that', async () => {
    const maker = await makers();
    const bounds = { tier: 'free', expires_at: ends(), allowed_ips: ['10.0.0.0/8'], may_grant: false };
    const key = await app.post('/api/v1/api-keys', { name: 'k', role: 'admin', scopes: ['*'] }, maker);
    expect(key.body).toMatchObject(bounds);
    app.remember(key.body.api_key, key.body.private_key);
    const next = { ...maker, apiKey: key.body.api_key };
    const client = await app.post('/api/v1/oauth-clients', { name: 'c', scopes }, next);
    expect(client.body).toMatchObject(bounds);
    const user = await app.post('/api/v1/users', { username: 'bounded', password: PASSWORD, scopes }, next);
    expect(user.body).toMatchObject(bounds);
    const login = (headers: Record<string, string>) =>
      app.login({ username: 'bounded', password: PASSWORD }, { headers });
    expect((await login(ELSEWHERE)).status).toBe(403);
    const { access_token: apiKey, refresh_token } = (await login(HERE)).body;
    const reads = (headers: Record<string, string>) => app.get('/api/v1/wallets', { apiKey, headers });
    expect([(await reads(HERE)).status, (await reads(ELSEWHERE)).status]).toEqual([200, 403]);
    expect((await app.refresh(refresh_token)).status).toBe(403);
    app.advance(HOUR);
    expect([(await reads(HERE)).status, (await login(HERE)).status]).toEqual([401, 403]);
  });

  it('is refused, naming the field that asks for more', async () => {
    const maker = await makers();
    for (const [field, asked] of [
      ['expires_at', { expires_at: new Date(app.now() + HOUR + 1).toISOString() }],
      ['allowed_ips[1]', { allowed_ips: ['10.0.0.1', '11.0.0.0/8'] }],
      ['tier', { tier: 'standard' }],
      ['may_grant', { may_grant: true }],
    ] as const) {
      for (const noun of ['api-keys', 'oauth-clients', 'users']) {
        const named = noun === 'users' ? { username: 'beyond' } : { name: 'beyond' };
        expect(refusal(await app.post(`/api/v1/${noun}`, { ...named, scopes, ...asked }, maker))).toEqual([
          403,
          'forbidden',
          field,
        ]);
      }
    }
  });

  it('is a key during its overlap, and the successor has what the key had', async () => {
    const granting = await app.post('/api/v1/api-keys', { name: 'g', role: 'admin', scopes: ['*'], may_grant: true });
    const old = await app.post('/api/v1/api-keys', { name: 'old', role: 'admin', scopes: ['*'], expires_at: ends() });
    for (const { body } of [granting, old]) app.remember(body.api_key, body.private_key);
    const rotate = (id: string, body: Json, apiKey: string) =>
      app.post(`/api/v1/api-keys/${id}/rotate`, body, { apiKey });
    const later = { overlap_seconds: 60, expires_at: new Date(app.now() + 2 * HOUR).toISOString() };
    const itself = () => rotate(old.body.api_key_id, later, old.body.api_key);
    expect(refusal(await itself())).toEqual([403, 'forbidden', 'expires_at']);
    expect((await rotate(old.body.api_key_id, { overlap_seconds: 60 }, old.body.api_key)).status).toBe(201);
    const made = await app.post('/api/v1/api-keys', { name: 'm', scopes }, { apiKey: old.body.api_key });
    expect(made.body.expires_at).toBe(new Date(app.now() + 60_000).toISOString());
    const successor = await rotate(granting.body.api_key_id, {}, granting.body.api_key);
    expect(successor.body.may_grant).toBe(true);
  });

  /** Makes API keys by tokens, of some scope, of a new client. */
  async function clientMaking(given: Json) {
    const pair = app.app.services.signingKeys.newPair();
    const asked = { name: 'c', role: 'admin', scopes: ['*'], public_key: pair.publicJwk, ...given };
    const { client_id, client_secret } = (await app.post('/api/v1/oauth-clients', asked)).body;
    const identity = { grant_type: 'client_credentials', client_id, client_secret };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return async (scope: string, body: Json) => {
      const form = new URLSearchParams({ ...identity, scope }).toString();
      const { access_token: apiKey } = (await app.call('POST', '/oauth/token', form, { apiKey: null, headers })).body;
      return app.post('/api/v1/api-keys', { name: 'm', ...body }, { apiKey, sign: pair.privateJwk });
    };
  }

  it('is a client or a person, and not their token of fifteen minutes', async () => {
    const expires_at = ends();
    const free = await clientMaking({});
    expect((await free('*', { scopes })).body.expires_at).toBeNull();
    const bounded = await clientMaking({ expires_at });
    expect((await bounded('*', { scopes })).body.expires_at).toBe(expires_at);
    const { publicJwk, privateJwk: sign } = app.app.services.signingKeys.newPair();
    const person = await app.person({ role: 'admin', scopes: ['*'], expires_at, public_key: publicJwk });
    const { access_token: apiKey } = (await app.login({ username: person.username, password: PASSWORD }, { sign }))
      .body;
    const made = await app.post('/api/v1/api-keys', { name: 'm', scopes }, { apiKey, sign });
    expect(made.body.expires_at).toBe(expires_at);
  });

  it('is a token that was narrowed: it gives what it has, whatever its client may grant', async () => {
    const make = await clientMaking({ may_grant: true });
    expect((await make('*', { scopes, tier: 'pro', may_grant: true })).body.may_grant).toBe(true);
    expect(refusal(await make('api-keys:write', { scopes }))).toEqual([403, 'forbidden', 'scopes[0]']);
    const granting = { scopes: ['api-keys:read'], may_grant: true };
    expect(refusal(await make('api-keys:write', granting))).toEqual([403, 'forbidden', 'may_grant']);
  });
});

describe('an e-mail address that a lesser one set', () => {
  it('does not stay with a person who is given more, unless whoever gives it sets another', async () => {
    const person = await app.person({ role: 'viewer', scopes: ['users:read'] });
    const evil = 'mallory@example.com';
    const shown = { role: 'viewer', scopes: ['users:read'] };
    expect((await put(person, { ...shown, email: evil }, await lesser())).status).toBe(200);
    const read = (await app.get(path(person.user_id))).body;
    const widened = await put(person, { email: read.email });
    expect([widened.status, widened.body.email]).toEqual([200, null]);
    expect(await app.app.store.read.users.findById(person.user_id)).toMatchObject({ email: null });

    const other = await app.person({ role: 'viewer', scopes: ['users:read'] });
    expect((await put(other, { ...shown, email: 'mallory2@example.com' }, await lesser())).status).toBe(200);
    expect((await put(other, { email: 'ada@example.com' })).body.email).toBe('ada@example.com');
  });
});
