/** Signing in through a real OpenID provider, over real ports. */
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AnyOperation } from '../../../src/hooks/operation.ts';
import type { Json } from '../../builders/app.ts';
import { type AnswerCheck, createAnswerCheck } from '../../builders/described-answers.ts';
import { CLIENT, createBrowser, type OpenIdProvider, startOpenIdProvider } from '../../builders/openid-provider.ts';
import { freePort } from '../../builders/service-process.ts';
import { startUsersApp, type UsersApp } from './users-app.ts';

let app: UsersApp;
let provider: OpenIdProvider;
let origin: string;
let callback: string;
let check: AnswerCheck;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  callback = `${origin}/api/v1/auth/sso/callback`;
  provider = await startOpenIdProvider(callback);
  app = await startUsersApp({
    clock: Date.now,
    env: {
      PORT: String(port),
      PUBLIC_ORIGINS: origin,
      SSO_ISSUER: provider.issuer,
      SSO_CLIENT_ID: CLIENT.id,
      SSO_CLIENT_SECRET: CLIENT.secret,
    },
  });
  await app.listen();
  check = createAnswerCheck((await app.get('/openapi.json')).body);
});
afterAll(async () => {
  await app.close();
  await provider.stop();
});
afterEach(() => provider.forge(null));

type Browser = ReturnType<typeof createBrowser>;
const begin = async (browser: Browser): Promise<string> => {
  const { status, headers, body } = await answer(await browser.get(`${origin}/api/v1/auth/sso/start`));
  expect(status).toBe(302);
  expect(body.authorization_url).toBe(headers.get('location'));
  return body.authorization_url;
};
async function answer(response: Response): Promise<{ status: number; body: Json; headers: Headers }> {
  const { status, headers } = response;
  const text = await response.text();
  const body = JSON.parse(text);
  const id = new URL(response.url).pathname.endsWith('/start') ? 'sso.start' : 'sso.finish';
  const operation = app.app.operations.find((each) => each.id === id) as AnyOperation;
  expect(check(operation, { status, headers: Object.fromEntries(headers), body, text })).toBeNull();
  return { status, headers, body };
}
/** A whole sign-on of whoever the provider has. */
async function signOn(browser = createBrowser()) {
  return answer(await browser.get(await browser.follow(await begin(browser), callback)));
}

describe('single sign-on', () => {
  it('gives tokens to the person whose verified address it is, and knows them by their subject from then on', async () => {
    const user = await app.person({ username: 'sso-ada', email: 'ada@sso.example', password: undefined });
    provider.signsIn('subject-ada', { email: 'Ada@SSO.example', verified: true });
    const first = await signOn();
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.body).toMatchObject({ token_type: 'Bearer', signing_key_id: null, user: { user_id: user.user_id } });
    const me = await app.get('/api/v1/auth/sessions', { apiKey: first.body.access_token });
    expect(me.body.data).toMatchObject([{ method: 'sso', current: true }]);
    expect((await app.refresh(first.body.refresh_token)).status).toBe(200);

    provider.signsIn('subject-ada', { email: 'married@sso.example', verified: false });
    expect((await signOn()).body.user.user_id).toBe(user.user_id);
  });

  it('begins with PKCE, state, nonce and cookies that scripts and other sites cannot read', async () => {
    const response = await createBrowser().get(`${origin}/api/v1/auth/sso/start`);
    const { searchParams } = new URL(response.headers.get('location') as string);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: callback,
      scope: 'openid email',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/.{40}/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(response.headers.getSetCookie()).toHaveLength(2);
    for (const cookie of response.headers.getSetCookie()) {
      expect(cookie).toMatch(/; Max-Age=600; Path=\/api\/v1\/auth\/sso; HttpOnly; SameSite=Lax$/);
    }
  });

  it('lets in nobody who is not a user, is disabled, or whose address is not verified', async () => {
    await app.person({ username: 'sso-bob', email: 'bob@sso.example' });
    await app.person({ username: 'sso-off', email: 'off@sso.example', disabled: true });
    for (const [subject, email, verified] of [
      ['subject-nobody', 'nobody@sso.example', true],
      ['subject-bob', 'bob@sso.example', false],
      ['subject-off', 'off@sso.example', true],
    ] as const) {
      provider.signsIn(subject, { email, verified });
      expect((await signOn()).status, subject).toBe(403);
    }
    expect((await app.get('/api/v1/users?email=nobody@sso.example')).body.data).toEqual([]);
  });

  it('links a person to one identity of the provider alone', async () => {
    await app.person({ username: 'sso-eve', email: 'eve@sso.example' });
    provider.signsIn('subject-eve', { email: 'eve@sso.example', verified: true });
    expect((await signOn()).status).toBe(200);
    provider.signsIn('subject-mallory', { email: 'eve@sso.example', verified: true });
    expect((await signOn()).status).toBe(403);
  });

  it('refuses a state that is missing, foreign, replayed, or of another browser', async () => {
    await app.person({ username: 'sso-carol', email: 'carol@sso.example' });
    provider.signsIn('subject-carol', { email: 'carol@sso.example', verified: true });
    const browser = createBrowser();
    const back = await browser.follow(await begin(browser), callback);
    const without = new URL(back);
    without.searchParams.delete('state');
    expect((await browser.get(without.href)).status).toBe(400);
    const foreign = new URL(back);
    foreign.searchParams.set('state', `${foreign.searchParams.get('state')}x`);
    expect((await browser.get(foreign.href)).status).toBe(401);
    expect((await browser.get(back)).status).toBe(200);
    const again = await answer(await browser.get(back));
    expect([again.status, again.body.error.details.field]).toEqual([401, 'query.state']);

    const begun = createBrowser();
    const led = await begun.follow(await begin(begun), callback);
    const victim = await answer(await createBrowser().get(led));
    expect([victim.status, victim.body.error.details.field]).toEqual([401, 'query.state']);
  });

  it('refuses what the provider does not vouch for: its own refusal, and another provider', async () => {
    const browser = createBrowser();
    const state = new URL(await begin(browser)).searchParams.get('state');
    const denied = await browser.get(`${callback}?error=access_denied&state=${state}`);
    expect(denied.status).toBe(401);
    const mixed = await browser.get(`${callback}?code=x&state=${state}&iss=https://evil.example`);
    expect(mixed.status).toBe(401);
    const invented = await browser.get(`${callback}?code=invented&state=${state}`);
    expect((await answer(invented)).body.error.details.field).toBe('query.code');
  });

  it('refuses an id_token of another nonce', async () => {
    provider.signsIn('subject-ada', { email: 'ada@sso.example', verified: true });
    const browser = createBrowser();
    const url = new URL(await begin(browser));
    url.searchParams.set('nonce', 'a'.repeat(43));
    const refused = await answer(await browser.get(await browser.follow(url.href, callback)));
    expect([refused.status, refused.body.error.message]).toEqual([401, expect.stringContaining('nonce')]);
  });

  it('takes an id_token only as the provider signs it for this client, and not after its end', async () => {
    provider.signsIn('subject-ada', { email: 'ada@sso.example', verified: true });
    const now = Math.floor(Date.now() / 1000);
    const none = (claims: object) =>
      [{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const symmetric = (claims: Record<string, unknown>) =>
      new SignJWT(claims as never)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(Buffer.from(CLIENT.secret.padEnd(32, '.')));
    const { sign } = provider;
    const forgeries: Record<string, (claims: Record<string, unknown>) => Promise<string>> = {
      'another audience': (claims) => sign({ ...claims, aud: 'another-client' }),
      'another issuer': (claims) => sign({ ...claims, iss: 'https://evil.example' }),
      'another party': (claims) => sign({ ...claims, aud: [CLIENT.id, 'another-client'], azp: 'another-client' }),
      'several audiences and no party': (claims) => sign({ ...claims, aud: [CLIENT.id, 'another-client'] }),
      expired: (claims) => sign({ ...claims, exp: now - 31 }),
      'no end': ({ exp: _, ...claims }) => sign(claims),
      'no nonce': ({ nonce: _, ...claims }) => sign(claims),
      'no subject': ({ sub: _, ...claims }) => sign(claims),
      'an unknown key': (claims) => sign(claims, { kid: 'two' }),
      'no signature': async (claims) => `${none(claims)}.`,
      'a shared secret': symmetric,
      'a broken signature': async (claims) => {
        const [header, payload, tag = ''] = (await sign(claims)).split('.');
        return `${header}.${payload}.${tag[0] === 'A' ? 'B' : 'A'}${tag.slice(1)}`;
      },
      'no token at all': async () => 'nonsense',
    };
    for (const [name, make] of Object.entries(forgeries)) {
      provider.forge(make);
      const refused = await signOn();
      expect(refused.status, `${name}: ${JSON.stringify(refused.body)}`).toBe(401);
    }
    provider.forge((claims) => sign(claims));
    expect((await signOn()).status).toBe(200);
  });
});

describe('without a provider', () => {
  it('says so where none is configured', async () => {
    const plain = await startUsersApp();
    try {
      expect((await plain.get('/api/v1/auth/sso/start', { apiKey: null })).status).toBe(404);
      expect((await plain.get('/api/v1/auth/sso/callback?code=x&state=y', { apiKey: null })).status).toBe(404);
    } finally {
      await plain.close();
    }
  });

  it('starts all the same, and says that it is away', async () => {
    const port = await freePort();
    const env = { SSO_ISSUER: `http://127.0.0.1:${port}`, SSO_CLIENT_ID: 'x', SSO_CLIENT_SECRET: 'a-secret-of-nobody' };
    const service = await startUsersApp({ env });
    try {
      const start = await service.get('/api/v1/auth/sso/start', { apiKey: null });
      expect([start.status, start.headers['retry-after']]).toEqual([503, '10']);
      expect(start.body.error.message).toContain('provider');
      expect((await service.get('/livez', { apiKey: null })).status).toBe(200);
    } finally {
      await service.close();
    }
  });

  it('ends in 503 when it goes away between start and callback', async () => {
    const port = await freePort();
    const at = `http://127.0.0.1:${port}`;
    const brief = await startOpenIdProvider(`${at}/api/v1/auth/sso/callback`);
    const service = await startUsersApp({
      clock: Date.now,
      env: {
        PORT: String(port),
        PUBLIC_ORIGINS: at,
        SSO_ISSUER: brief.issuer,
        SSO_CLIENT_ID: CLIENT.id,
        SSO_CLIENT_SECRET: CLIENT.secret,
      },
    });
    await service.listen();
    try {
      brief.signsIn('subject', { email: 'x@sso.example', verified: true });
      const browser = createBrowser();
      const start = await browser.get(`${at}/api/v1/auth/sso/start`);
      const back = await browser.follow(start.headers.get('location') as string, `${at}/api/v1/auth/sso/callback`);
      await brief.stop();
      expect((await browser.get(back)).status).toBe(503);
    } finally {
      await service.close();
    }
  });
});
