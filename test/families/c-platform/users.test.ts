import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallOptions, Json } from '../../builders/app.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

let app: UsersApp;
beforeAll(async () => {
  app = await startUsersApp();
});
afterAll(() => app.close());

const as = (token: string): CallOptions => ({ apiKey: token, sign: false });
const field = (answer: { status: number; body: Json }) => [answer.status, answer.body.error?.details.field];
const put = (userId: string, body: unknown, options?: CallOptions) =>
  app.call('PUT', `/api/v1/users/${userId}`, body, options);
const remove = (userId: string, options?: CallOptions) =>
  app.call('DELETE', `/api/v1/users/${userId}`, undefined, options);
const tokenOf = async (username: string, password = PASSWORD): Promise<string> =>
  (await app.login({ username, password })).body.access_token;

describe('users', () => {
  it('are made with least rights, read, listed and filtered, without a trace of the password', async () => {
    const made = await app.person({ username: 'Grace', email: 'grace@example.com', name: 'Grace Hopper' });
    expect(made).toMatchObject({
      username: 'Grace',
      role: 'viewer',
      scopes: ['wallets:read'],
      tier: 'standard',
      disabled: false,
      has_password: true,
      totp_enabled: false,
      last_login_at: null,
      invitation: null,
    });
    expect(JSON.stringify(made)).not.toMatch(/argon2|correct horse/);
    const { invitation: _, warnings: __, ...user } = made;
    expect((await app.get(`/api/v1/users/${made.user_id}`)).body).toEqual(user);
    expect((await app.get('/api/v1/users?username=grace')).body.data).toEqual([user]);
    expect((await app.get('/api/v1/users?email=GRACE@example.com')).body.pagination.total).toBe(1);
    expect((await app.get('/api/v1/users?role=admin&username=grace')).body.data).toEqual([]);
    expect((await app.get('/api/v1/users?disabled=true&username=grace')).body.data).toEqual([]);
  });

  it('have names that nobody else has in the service, without telling whose they are', async () => {
    await app.person({ username: 'taken', email: 'taken@example.com' });
    const { apiKey } = await app.anotherAccount('late');
    const make = (body: object) => app.post('/api/v1/users', { scopes: ['wallets:read'], ...body }, { apiKey });
    const byName = await make({ username: 'TAKEN' });
    expect(field(byName)).toEqual([409, 'username']);
    expect(byName.text).not.toContain(app.accountId);
    expect(field(await make({ username: 'other', email: 'Taken@Example.com' }))).toEqual([409, 'email']);
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, i) => make({ username: i % 2 === 0 ? 'raced' : 'RACED' })),
    );
    expect(many.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  it('have passwords of 12 to 256 characters that are not their name', async () => {
    const make = (password: string) =>
      app.post('/api/v1/users', {
        username: 'long.enough.name',
        email: 'long.enough@example.com',
        scopes: ['wallets:read'],
        password,
      });
    for (const password of ['elevenchars', 'x'.repeat(257), 'LONG.enough.NAME', 'long.enough@example.com', '']) {
      expect(field(await make(password)), password).toEqual([400, 'password']);
    }
    // Eleven characters after normalization, though typed as more.
    expect(field(await make('e\u0301'.repeat(11)))).toEqual([400, 'password']);
    expect((await make('🔑'.repeat(256))).status).toBe(201);
  });

  it('are given nothing that whoever makes them does not have', async () => {
    const { accountId } = await app.anotherAccount('small');
    const apiKey = await app.key({ accountId, role: 'admin', scopes: ['users:write', 'wallets:read'] });
    const make = (body: object) =>
      app.post('/api/v1/users', { username: 'granted', scopes: ['wallets:read'], ...body }, { apiKey });
    expect(field(await make({ scopes: ['wallets:read', 'wallets:write'] }))).toEqual([403, 'scopes[1]']);
    expect(field(await make({ scopes: ['*'] }))).toEqual([403, 'scopes[0]']);
    expect(field(await make({ tier: 'enterprise' }))).toEqual([403, 'tier']);
    expect((await make({ role: 'admin' })).status).toBe(201);
    const powerful = await app.person({ role: 'admin', scopes: ['*'] });
    const weaker = await app.key({ role: 'admin', scopes: ['users:write', 'wallets:read'] });
    const path = `/api/v1/users/${powerful.user_id}/password-reset`;
    const reset = await app.post(path, undefined, { apiKey: weaker });
    expect(reset.status).toBe(403);
    const mine = { username: powerful.username, role: 'admin', scopes: ['wallets:read'], email: 'mine@example.com' };
    expect((await put(powerful.user_id, mine, { apiKey: weaker })).status).toBe(403);
  });

  it('are replaced whole by an administrator, and their tokens follow at once', async () => {
    const user = await app.person({ username: 'mover', email: 'mover@example.com', name: 'Before' });
    const token = await tokenOf('mover');
    expect((await app.get('/api/v1/users', as(token))).status).toBe(403);
    const body = { username: 'moved', role: 'admin', scopes: ['users:read', 'wallets:read'] };
    const replaced = await put(user.user_id, body);
    expect(replaced.body).toMatchObject({
      username: 'moved',
      email: null,
      name: null,
      role: 'admin',
      tier: 'standard',
    });
    expect((await app.login({ username: 'mover', password: PASSWORD })).status).toBe(401);
    const again = await app.login({ username: 'moved', password: PASSWORD });
    expect((await app.get('/api/v1/users', as(again.body.access_token))).status).toBe(200);
    // More rights are for a new login.
    expect((await app.get('/api/v1/users', as(token))).status).toBe(401);
    await put(user.user_id, { ...body, role: 'viewer' });
    expect((await app.get('/api/v1/users', as(again.body.access_token))).status).toBe(403);
    for (const missing of ['username', 'role', 'scopes']) {
      expect(field(await put(user.user_id, { ...body, [missing]: undefined }))).toEqual([400, missing]);
    }
  });

  it('end their sessions and links with a password that an administrator sets', async () => {
    const user = await app.person({ username: 'renewed' });
    const before = (await app.login({ username: 'renewed', password: PASSWORD })).body;
    const link = (await app.post(`/api/v1/users/${user.user_id}/password-reset`)).body;
    const password = 'another good password';
    const body = { username: 'renewed', role: 'viewer', scopes: ['wallets:read'], password };
    expect((await put(user.user_id, body)).status).toBe(200);
    expect((await app.refresh(before.refresh_token)).status).toBe(401);
    expect((await app.login({ username: 'renewed', password: PASSWORD })).status).toBe(401);
    expect((await app.login({ username: 'renewed', password })).status).toBe(200);
    const late = { reset_token: link.reset_token, new_password: PASSWORD };
    expect((await app.login(late)).status).toBe(401);
  });

  it('change their own name and password, unsigned, and nothing else of themselves', async () => {
    const user = await app.person({ username: 'selfish', role: 'admin', scopes: ['*'] });
    const here = (await app.login({ username: 'selfish', password: PASSWORD })).body;
    const elsewhere = (await app.login({ username: 'selfish', password: PASSWORD })).body;
    const me = as(here.access_token);
    expect((await put(user.user_id, { name: 'Me' }, me)).body).toMatchObject({ name: 'Me', username: 'selfish' });
    const same = { username: 'selfish', email: null, name: 'Me', role: 'admin', scopes: ['*'], disabled: false };
    expect((await put(user.user_id, same, me)).status).toBe(200);
    for (const [name, value] of Object.entries({
      username: 'generous',
      email: 'boss@example.com',
      role: 'viewer',
      scopes: ['wallets:read'],
      tier: 'pro',
      disabled: true,
    })) {
      expect(field(await put(user.user_id, { ...same, [name]: value }, me)), name).toEqual([403, name]);
    }
    const password = 'my own new password';
    expect(field(await put(user.user_id, { password }, me))).toEqual([400, 'current_password']);
    const wrong = { password, current_password: 'not this one at all' };
    expect(field(await put(user.user_id, wrong, me))).toEqual([403, 'current_password']);
    const right = { password, current_password: PASSWORD };
    expect(field(await put(user.user_id, { ...right, password: 'too short' }, me))).toEqual([400, 'password']);
    expect((await put(user.user_id, right, me)).status).toBe(200);
    expect((await app.get('/api/v1/auth/me', me)).status).toBe(200);
    expect((await app.get('/api/v1/auth/me', as(elsewhere.access_token))).status).toBe(401);
    expect((await app.login({ username: 'selfish', password })).status).toBe(200);
    const other = await app.person();
    expect((await put(other.user_id, { name: 'Mine' }, me)).status).toBe(401);
    expect((await app.get(`/api/v1/users/${other.user_id}`, as(await tokenOf(other.username)))).status).toBe(200);
  });

  it('cannot guess their own password endlessly with a token', async () => {
    const user = await app.person({ username: 'hijacked' });
    const me = as(await tokenOf('hijacked'));
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess++) {
      const body = { password: 'the password of a thief', current_password: `guess ${guess}` };
      statuses.push((await put(user.user_id, body, me)).status);
    }
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
  });

  it('are deleted for good: logged out, their names free, their keys dead; by others than themselves', async () => {
    const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
    const given = { username: 'gone', email: 'gone@example.com', role: 'admin', scopes: ['*'], public_key: publicJwk };
    const user = await app.person(given);
    const login = (await app.login({ username: 'gone', password: PASSWORD }, { sign: privateJwk })).body;
    const self = await remove(user.user_id, { apiKey: login.access_token, sign: privateJwk });
    expect(self.status).toBe(409);
    const { apiKey } = await app.anotherAccount('outside');
    expect((await remove(user.user_id, { apiKey })).status).toBe(404);
    expect((await remove(user.user_id)).status).toBe(204);
    expect((await remove(user.user_id)).status).toBe(404);
    expect((await app.get(`/api/v1/users/${user.user_id}`)).status).toBe(404);
    expect((await app.get('/api/v1/auth/me', as(login.access_token))).status).toBe(401);
    expect((await app.login({ username: 'gone', password: PASSWORD })).status).toBe(401);
    expect((await app.post('/api/v1/users', { ...given, public_key: undefined })).status).toBe(201);
    const key = await app.app.services.signingKeys.find(login.signing_key_id);
    expect(key?.revokedAt).not.toBeNull();
  });
});

describe('a one-time link', () => {
  it('invites who was made without a password, and is good once', async () => {
    const made = await app.person({ username: 'invited', password: undefined });
    expect(made.has_password).toBe(false);
    const { reset_token: token, reset_link: link, expires_at: expires } = made.invitation;
    expect(link).toMatch(new RegExp(`/docs/password-reset#token=${token}$`));
    expect(Date.parse(expires) - app.now()).toBe(24 * 3_600_000);
    expect((await app.login({ username: 'invited', password: PASSWORD })).status).toBe(401);
    expect(field(await app.login({ reset_token: token, new_password: 'short' }))).toEqual([400, 'new_password']);
    const set = await app.login({ reset_token: token, new_password: PASSWORD });
    expect(set.status, set.text).toBe(200);
    expect((await app.get('/api/v1/auth/sessions', as(set.body.access_token))).body.data).toMatchObject([
      { method: 'reset' },
    ]);
    expect((await app.login({ reset_token: token, new_password: PASSWORD })).status).toBe(401);
    expect((await app.login({ username: 'invited', password: PASSWORD })).status).toBe(200);
  });

  it('dies with a newer one, after a day, and ends every session when used', async () => {
    const user = await app.person({ username: 'forgetful' });
    const before = (await app.login({ username: 'forgetful', password: PASSWORD })).body;
    const make = async () => (await app.post(`/api/v1/users/${user.user_id}/password-reset`)).body.reset_token;
    const older = await make();
    const newer = await make();
    const fresh = 'a brand new password';
    expect((await app.login({ reset_token: older, new_password: fresh })).status).toBe(401);
    app.advance(24 * 3_600_000);
    expect((await app.login({ reset_token: newer, new_password: fresh })).status).toBe(401);
    const latest = await make();
    const used = await Promise.all(
      Array.from({ length: 4 }, () => app.login({ reset_token: latest, new_password: fresh })),
    );
    expect(used.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await app.refresh(before.refresh_token)).status).toBe(401);
    expect((await app.login({ username: 'forgetful', password: fresh })).status).toBe(200);
  });

  it('opens a page that nothing from elsewhere gets into', async () => {
    const page = await app.get('/docs/password-reset', { apiKey: null });
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const scripts = [...page.text.matchAll(/<script>([\s\S]*?)<\/script>/g)];
    expect(scripts).toHaveLength(1);
    const { createHash } = await import('node:crypto');
    const hash = createHash('sha256')
      .update(scripts[0]?.[1] ?? '')
      .digest('base64');
    expect(policy).toContain(`'sha256-${hash}'`);
    expect(page.headers['referrer-policy']).toBe('no-referrer');
    expect(page.headers['cache-control']).toBe('no-store');
  });
});

describe('a second factor', () => {
  const STEP = 30_000;
  const codeOf = (secret: string, ms = 0) => new TOTP({ secret }).generate({ timestamp: app.now() + ms });

  async function enrolled(username: string) {
    const user = await app.person({ username });
    const me = as(await tokenOf(username));
    const started = await app.post('/api/v1/auth/totp', { password: PASSWORD }, me);
    expect(started.status, started.text).toBe(201);
    const { secret, otpauth_uri: uri } = started.body;
    expect(uri).toBe(
      `otpauth://totp/Ashlar:${username}?issuer=Ashlar&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
    const confirmed = await app.post('/api/v1/auth/totp/confirm', { totp: codeOf(secret) }, me);
    expect(confirmed.status, confirmed.text).toBe(200);
    return { user, secret, codes: confirmed.body.recovery_codes as string[], me };
  }

  it('is asked for once in force, and takes each code once', async () => {
    const { secret, me } = await enrolled('twofold');
    expect((await app.get('/api/v1/auth/me', me)).body.totp_enabled).toBe(true);
    const bare = await app.login({ username: 'twofold', password: PASSWORD });
    expect([bare.status, bare.body.error.details.code]).toEqual([401, 'totp_required']);
    const wrongPassword = await app.login({ username: 'twofold', password: 'wrong', totp: codeOf(secret) });
    expect(wrongPassword.body.error.details.code).toBe('unauthorized');
    const login = (totp: string) => app.login({ username: 'twofold', password: PASSWORD, totp });
    // Confirming took this step's code.
    expect((await login(codeOf(secret))).status).toBe(401);
    app.advance(STEP);
    const all = await Promise.all(Array.from({ length: 3 }, () => login(codeOf(secret))));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    app.advance(STEP);
    expect((await login(codeOf(secret, -3 * STEP))).status).toBe(401);
    expect((await login(codeOf(secret, STEP))).status).toBe(200);
  });

  it('is passed by each recovery code once', async () => {
    const { codes } = await enrolled('lost-app');
    expect(new Set(codes).size).toBe(10);
    const login = (totp: string) => app.login({ username: 'lost-app', password: PASSWORD, totp });
    expect((await login(codes[0] as string)).status).toBe(200);
    expect((await login(codes[0] as string)).status).toBe(401);
    expect((await login('000000000000')).status).toBe(401);
    expect((await login(codes[1] as string)).status).toBe(200);
  });

  it('is not passed by a one-time link', async () => {
    const { user, codes } = await enrolled('linked');
    const { reset_token: token } = (await app.post(`/api/v1/users/${user.user_id}/password-reset`)).body;
    const fresh = 'a brand new password';
    const bare = await app.login({ reset_token: token, new_password: fresh });
    expect(bare.body.error.details.code).toBe('totp_required');
    const login = await app.login({ reset_token: token, new_password: fresh, totp: codes[0] });
    expect(login.status, login.text).toBe(200);
  });

  it('is taken away with a code, or by an administrator, and cannot be guessed', async () => {
    const { me, codes } = await enrolled('tired');
    const off = (totp: string) => app.call('DELETE', '/api/v1/auth/totp', { totp }, me);
    const guesses = [];
    for (let guess = 0; guess < 5; guess++) guesses.push((await off(`00000${guess}`)).status);
    expect(guesses).toEqual([403, 403, 403, 403, 403]);
    expect((await off(codes[0] as string)).status).toBe(429);
    app.advance(15_000);
    expect((await off(codes[0] as string)).status).toBe(204);
    expect((await app.login({ username: 'tired', password: PASSWORD })).status).toBe(200);

    const lost = await enrolled('lost-all');
    expect((await app.call('DELETE', `/api/v1/users/${lost.user.user_id}/totp`)).status).toBe(204);
    expect((await app.get('/api/v1/auth/me', lost.me)).status).toBe(401);
    expect((await app.login({ username: 'lost-all', password: PASSWORD })).status).toBe(200);
  });

  it('needs the password to start and a right code to be in force', async () => {
    await app.person({ username: 'hasty' });
    const me = as(await tokenOf('hasty'));
    expect((await app.post('/api/v1/auth/totp/confirm', { totp: '123456' }, me)).status).toBe(409);
    expect((await app.post('/api/v1/auth/totp', {}, me)).status).toBe(403);
    const { secret } = (await app.post('/api/v1/auth/totp', { password: PASSWORD }, me)).body;
    const wrong = codeOf(secret, 10 * STEP);
    expect((await app.post('/api/v1/auth/totp/confirm', { totp: wrong }, me)).status).toBe(403);
    expect((await app.login({ username: 'hasty', password: PASSWORD })).status).toBe(200);
  });

  it('is not readable in the database', async () => {
    const { user, secret, codes } = await enrolled('sealed');
    const row = JSON.stringify(await app.app.store.read.users.find(app.accountId, user.user_id));
    expect(row).not.toContain(secret);
    for (const code of codes) expect(row).not.toContain(code);
  });
});
