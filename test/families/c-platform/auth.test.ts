import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS_TOKEN_LIFE_SECONDS } from '../../../src/services/tokens/token-claims.ts';
import { createPasswords } from '../../../src/services/users/passwords.ts';
import { PASSWORD, startUsersApp, type UsersApp } from './users-app.ts';

let app: UsersApp;
beforeAll(async () => {
  app = await startUsersApp();
});
afterAll(() => app.close());

const MINUTE = 60_000;
const as = (token: string) => ({ apiKey: token, sign: false as const });

describe('login', () => {
  it('answers tokens by username or e-mail address, however they are typed', async () => {
    const ada = await app.person({ username: 'Ada.L', email: 'Ada@Example.com' });
    for (const name of [{ username: 'ada.l' }, { username: 'ADA@example.COM' }, { email: 'ada@example.com' }]) {
      const answer = await app.login({ ...name, password: PASSWORD });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body).toMatchObject({
        token_type: 'Bearer',
        expires_in: ACCESS_TOKEN_LIFE_SECONDS,
        refresh_token: expect.stringMatching(/^rt_[0-9A-Za-z]{43}$/),
        session_id: expect.stringMatching(/^ses_/),
        signing_key_id: null,
        user: { user_id: ada.user_id, username: 'Ada.L' },
      });
      const me = await app.get('/api/v1/auth/me', as(answer.body.access_token));
      expect(me.body).toMatchObject({
        user_id: ada.user_id,
        account_id: app.accountId,
        session_id: answer.body.session_id,
      });
    }
  });

  it('takes a password however its characters were typed', async () => {
    await app.person({ username: 'unicode', password: 'Ångström ﬁfteen' });
    expect((await app.login({ username: 'unicode', password: 'Ångström fifteen' })).status).toBe(200);
  });

  it('refuses a wrong password, an unknown name and a disabled person in one voice', async () => {
    await app.person({ username: 'gone-off', disabled: true });
    await app.person({ username: 'active' });
    const answers = [
      await app.login({ username: 'active', password: `${PASSWORD}!` }),
      await app.login({ username: 'nobody-here', password: PASSWORD }),
      await app.login({ username: 'gone-off', password: PASSWORD }),
    ];
    for (const { status, body, headers } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual(answers[0]?.body);
      expect(headers['www-authenticate']).toBeDefined();
    }
  });

  it('names what is missing or does not go together', async () => {
    for (const [body, field] of [
      [{ password: PASSWORD }, 'username'],
      [{ username: 'ada' }, 'password'],
      [{ username: 'ada', email: 'a@b.c', password: PASSWORD }, 'email'],
      [{ reset_token: 'pr_x' }, 'new_password'],
      [{ username: 'ada', reset_token: 'pr_x', new_password: PASSWORD }, 'username'],
      [{ username: 'ada', password: PASSWORD, totp: '12' }, 'totp'],
    ] as const) {
      const answer = await app.login(body);
      expect([answer.status, answer.body.error.details.field], JSON.stringify(body)).toEqual([400, field]);
    }
  });

  it('slows guessing of one name down, from one neighbourhood, and hears the person from another', async () => {
    const env = { TRUST_PROXY: '127.0.0.1' };
    const service = await startUsersApp({ env });
    try {
      await service.person({ username: 'target' });
      const from = (address: string, password: string) =>
        service.login({ username: 'target', password }, { headers: { 'x-forwarded-for': address } });
      for (let guess = 0; guess < 5; guess++) expect((await from('203.0.113.7', 'wrong')).status).toBe(401);
      const locked = await from('203.0.113.99', PASSWORD);
      expect(locked.status).toBe(429);
      expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(locked.headers['retry-after'])).toBeLessThanOrEqual(15);
      expect((await from('198.51.100.1', PASSWORD)).status).toBe(200);
      service.advance(15_000);
      expect((await from('203.0.113.7', 'wrong')).status).toBe(401);
      expect(Number((await from('203.0.113.7', PASSWORD)).headers['retry-after'])).toBe(30);
      service.advance(30_000);
      expect((await from('203.0.113.7', PASSWORD)).status).toBe(200);
      expect((await from('203.0.113.7', 'wrong')).status).toBe(401);
    } finally {
      await service.close();
    }
  });

  it('counts guesses that come all at once', async () => {
    await app.person({ username: 'swarmed' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => app.login({ username: 'swarmed', password: `guess number ${i}` })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });

  it('locks nobody out who comes from where they came before, while many neighbourhoods guess', async () => {
    const service = await startUsersApp({ env: { TRUST_PROXY: '127.0.0.1' } });
    try {
      await service.person({ username: 'famous' });
      const from = (address: string, password: string) =>
        service.login({ username: 'famous', password }, { headers: { 'x-forwarded-for': address } });
      expect((await from('198.51.100.1', PASSWORD)).status).toBe(200);
      for (let net = 0; net < 50; net++) expect((await from(`10.0.${net}.1`, 'wrong')).status).toBe(401);
      expect((await from('10.1.0.1', PASSWORD)).status).toBe(429);
      expect((await from('198.51.100.2', PASSWORD)).status).toBe(200);
    } finally {
      await service.close();
    }
  });

  it('slows one address down that guesses many names', async () => {
    const service = await startUsersApp({ limits: true });
    try {
      let last = 0;
      for (let guess = 0; guess < 31; guess++) {
        last = (await service.login({ username: `name-${guess}`, password: 'wrong' })).status;
      }
      expect(last).toBe(429);
    } finally {
      await service.close();
    }
  });

  it('hashes anew at login what was hashed at another cost', async () => {
    const { user_id: userId } = await app.person({ username: 'old-timer' });
    const cheap = (await app.app.store.read.users.find(app.accountId, userId))?.passwordHash as string;
    expect(cheap).toMatch(/^\$argon2id\$v=19\$m=7168,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    const dear = createPasswords({ cost: { memoryKib: 8192, passes: 2, parallelism: 2 }, randomBytes });
    const passwordHash = await dear.hash(PASSWORD, { accountId: app.accountId });
    await app.app.store.write((tx) => tx.users.update(app.accountId, userId, { passwordHash }));
    expect((await app.login({ username: 'old-timer', password: PASSWORD })).status).toBe(200);
    const now = (await app.app.store.read.users.find(app.accountId, userId))?.passwordHash;
    expect(now).toMatch(/^\$argon2id\$v=19\$m=7168,t=1,p=1\$/);
    expect((await app.login({ username: 'old-timer', password: PASSWORD })).status).toBe(200);
  });
});

describe('a signed login', () => {
  it('binds the tokens to the key, which then signs changes; an unsigned one reads', async () => {
    const { publicJwk, privateJwk, keyId } = app.app.services.signingKeys.newPair();
    const someone = { username: 'signer', role: 'admin', scopes: ['*'], public_key: publicJwk };
    const { user_id: userId } = await app.person(someone);
    const signed = await app.login({ username: 'signer', password: PASSWORD }, { sign: privateJwk });
    expect(signed.status, signed.text).toBe(200);
    expect(signed.body.signing_key_id).toBe(keyId);
    const token = signed.body.access_token;
    const other = { username: 'made-by-signer', scopes: ['wallets:read'], password: PASSWORD };
    const made = await app.post('/api/v1/users', other, { apiKey: token, sign: privateJwk });
    expect(made.status, made.text).toBe(201);
    expect((await app.post('/api/v1/users', other, { apiKey: token, sign: false })).status).toBe(401);

    const next = await app.refresh(signed.body.refresh_token);
    expect(next.body.signing_key_id).toBe(keyId);
    const removed = await app.call('DELETE', `/api/v1/users/${made.body.user_id}`, undefined, {
      apiKey: next.body.access_token,
      sign: privateJwk,
    });
    expect(removed.status, removed.text).toBe(204);

    const bare = await app.login({ username: 'signer', password: PASSWORD });
    expect(bare.body.signing_key_id).toBeNull();
    const tried = await app.post('/api/v1/users', other, { apiKey: bare.body.access_token, sign: privateJwk });
    expect(tried.status).toBe(401);
    expect((await app.get(`/api/v1/users/${userId}`, as(bare.body.access_token))).status).toBe(200);
  });

  it("is refused with another person's key", async () => {
    const { publicJwk, privateJwk } = app.app.services.signingKeys.newPair();
    await app.person({ username: 'key-owner', public_key: publicJwk });
    await app.person({ username: 'key-borrower' });
    const answer = await app.login({ username: 'key-borrower', password: PASSWORD }, { sign: privateJwk });
    expect(answer.status).toBe(401);
    const fresh = app.app.services.signingKeys.newPair().privateJwk;
    expect((await app.login({ username: 'key-owner', password: PASSWORD }, { sign: fresh })).status).toBe(401);
  });
});

describe('refresh', () => {
  const loggedIn = async (username: string) => {
    const user = await app.person({ username });
    return { user, tokens: (await app.login({ username, password: PASSWORD })).body };
  };

  it('gives one successor to fifty at once, and the same again within the grace', async () => {
    const { tokens } = await loggedIn('impatient');
    const answers = await Promise.all(Array.from({ length: 50 }, () => app.refresh(tokens.refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    const successors = new Set(answers.map(({ body }) => body.refresh_token));
    expect(successors.size).toBe(1);
    app.advance(10_000);
    const again = await app.refresh(tokens.refresh_token);
    expect(successors).toContain(again.body.refresh_token);
    const access = await app.get('/api/v1/auth/me', as(again.body.access_token));
    expect(access.body.session_id).toBe(tokens.session_id);
  });

  it('ends the session when a spent token comes back later: all that came of it is refused at once', async () => {
    const { tokens } = await loggedIn('robbed');
    const next = (await app.refresh(tokens.refresh_token)).body;
    expect((await app.get('/api/v1/auth/me', as(next.access_token))).status).toBe(200);
    app.advance(10_001);
    expect((await app.refresh(tokens.refresh_token)).status).toBe(401);
    expect((await app.refresh(next.refresh_token)).status).toBe(401);
    expect((await app.get('/api/v1/auth/me', as(next.access_token))).status).toBe(401);
  });

  it('lives thirty days from the last one', async () => {
    const { tokens } = await loggedIn('absent');
    app.advance(29 * 24 * 60 * MINUTE);
    const next = await app.refresh(tokens.refresh_token);
    expect(next.status).toBe(200);
    app.advance(30 * 24 * 60 * MINUTE);
    expect((await app.refresh(next.body.refresh_token)).status).toBe(401);
  });

  it('ends with the access of the person, who loses the access token at once', async () => {
    const { user, tokens } = await loggedIn('leaver');
    const put = await app.call('PUT', `/api/v1/users/${user.user_id}`, {
      username: 'leaver',
      role: 'viewer',
      scopes: ['wallets:read'],
      disabled: true,
    });
    expect(put.status, put.text).toBe(200);
    expect((await app.get('/api/v1/auth/me', as(tokens.access_token))).status).toBe(401);
    expect((await app.refresh(tokens.refresh_token)).status).toBe(401);
  });

  it('and login end when the account is frozen; what was logged in reads on', async () => {
    const other = await app.anotherAccount('to freeze');
    const given = { username: 'frozen-one', scopes: ['auth:read'], password: PASSWORD };
    await app.post('/api/v1/users', given, { apiKey: other.apiKey });
    const { body } = await app.login({ username: 'frozen-one', password: PASSWORD });
    const frozen = await app.post(`/api/v1/accounts/${other.accountId}/freeze`, { reason: 'a test' });
    expect(frozen.status, frozen.text).toBeLessThan(300);
    expect((await app.refresh(body.refresh_token)).status).toBe(403);
    expect((await app.login({ username: 'frozen-one', password: PASSWORD })).status).toBe(403);
    expect((await app.get('/api/v1/auth/me', as(body.access_token))).status).toBe(200);
    const put = await app.call('PUT', `/api/v1/users/${body.user.user_id}`, { name: 'New' }, as(body.access_token));
    expect(put.status).toBe(403);
  });

  it('refuses what is no token as one that has ended', async () => {
    expect((await app.refresh('rt_nobody_was_given_this_one')).status).toBe(401);
    expect((await app.refresh(`rt_${'0'.repeat(43)}`)).status).toBe(401);
  });
});

describe('logout', () => {
  it('ends the session, its access token too; of an unknown token there is nothing to end', async () => {
    await app.person({ username: 'quitter' });
    const { body } = await app.login({ username: 'quitter', password: PASSWORD });
    expect((await app.get('/api/v1/auth/me', as(body.access_token))).status).toBe(200);
    const out = { refresh_token: body.refresh_token };
    expect((await app.post('/api/v1/auth/logout', out, { apiKey: null })).status).toBe(204);
    expect((await app.get('/api/v1/auth/me', as(body.access_token))).status).toBe(401);
    expect((await app.refresh(body.refresh_token)).status).toBe(401);
    expect((await app.post('/api/v1/auth/logout', out, { apiKey: null })).status).toBe(204);
    expect((await app.post('/api/v1/auth/logout', { refresh_token: 'x' }, { apiKey: null })).status).toBe(204);
  });
});

describe('sessions', () => {
  it('are listed to their person, the asking one marked, and end one by one', async () => {
    await app.person({ username: 'busy' });
    const first = (await app.login({ username: 'busy', password: PASSWORD })).body;
    app.advance(1000);
    const second = (await app.login({ username: 'busy', password: PASSWORD })).body;
    const list = await app.get('/api/v1/auth/sessions?limit=1', as(second.access_token));
    expect(list.body.pagination).toMatchObject({ total: 2, has_more: true });
    expect(list.body.data).toMatchObject([{ session_id: second.session_id, current: true, method: 'password' }]);
    const rest = await app.get(
      `/api/v1/auth/sessions?limit=1&cursor=${list.body.pagination.next_cursor}`,
      as(second.access_token),
    );
    expect(rest.body.data).toMatchObject([{ session_id: first.session_id, current: false }]);
    const path = `/api/v1/auth/sessions/${first.session_id}`;
    expect((await app.call('DELETE', path, undefined, as(second.access_token))).status).toBe(204);
    expect((await app.call('DELETE', path, undefined, as(second.access_token))).status).toBe(404);
    expect((await app.get('/api/v1/auth/me', as(first.access_token))).status).toBe(401);
    expect((await app.get('/api/v1/auth/me', as(second.access_token))).status).toBe(200);
  });

  it('of others end through their administrator, and through nobody of another account', async () => {
    const watched = await app.person({ username: 'watched' });
    const { body } = await app.login({ username: 'watched', password: PASSWORD });
    const path = `/api/v1/users/${watched.user_id}/sessions`;
    expect((await app.get(path)).body.data).toMatchObject([{ session_id: body.session_id }]);
    const { apiKey } = await app.anotherAccount('strangers');
    expect((await app.get(path, { apiKey })).status).toBe(404);
    expect((await app.call('DELETE', `${path}/${body.session_id}`, undefined, { apiKey })).status).toBe(404);
    expect((await app.call('DELETE', `${path}/${body.session_id}`)).status).toBe(204);
    expect((await app.get('/api/v1/auth/me', as(body.access_token))).status).toBe(401);
  });

  it('of people are for people: an API key has none', async () => {
    for (const path of ['/api/v1/auth/me', '/api/v1/auth/sessions']) expect((await app.get(path)).status).toBe(401);
  });
});
