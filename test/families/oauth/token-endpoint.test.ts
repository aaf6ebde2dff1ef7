/** /oauth/token and /oauth/revoke as RFC 6749 and RFC 7009 want them, and what becomes of tokens when their client changes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, type Json, startTestApp, type TestApp } from '../../builders/app.ts';

let it_: TestApp;
let offset = 0;
const clock = () => Date.now() + offset;

beforeAll(async () => {
  it_ = await startTestApp({ clock, env: { SIGNATURE_POLICY: 'per-key', TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => it_.close());

interface Client {
  id: string;
  secret: string;
}
const SCOPES = ['wallets:read', 'transactions:write'];

async function makeClient(given: Json = {}, options: CallOptions = {}): Promise<Client> {
  const made = await it_.post('/api/v1/oauth-clients', { name: 'client', scopes: SCOPES, ...given }, options);
  expect(made.status).toBe(201);
  return { id: made.body.client_id, secret: made.body.client_secret };
}
const basic = ({ id, secret }: Client) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

/** A form as it is given, or made of names and values. */
async function send(path: string, form: string | Record<string, string>, headers: Record<string, string> = {}) {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const type = 'application/x-www-form-urlencoded';
  return it_.call('POST', path, body, { apiKey: null, headers: { 'content-type': type, ...headers } });
}
const GRANT = { grant_type: 'client_credentials' };
const ask = (client: Client, more: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  send('/oauth/token', { ...GRANT, ...more }, { authorization: basic(client), ...headers });
const tokenOf = async (client: Client, more: Record<string, string> = {}): Promise<string> => {
  const granted = await ask(client, more);
  expect(granted.status).toBe(200);
  return granted.body.access_token;
};
const wallets = (token: string, headers: Record<string, string> = {}) =>
  it_.get('/api/v1/wallets', { apiKey: token, headers });

describe('the token endpoint', () => {
  it('answers as RFC 6749 §5.1, never to be kept', async () => {
    const client = await makeClient();
    const granted = await ask(client);
    expect(granted.status).toBe(200);
    expect(granted.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(granted.headers['x-ratelimit-limit']).toBeDefined();
    expect(granted.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 900,
      scope: SCOPES.join(' '),
    });
  });

  it('takes id and secret that are form-encoded in Basic, and an empty scope as none', async () => {
    const { id, secret } = await makeClient();
    const encoded = Buffer.from(`${id.replace('_', '%5F')}:${secret.replace('_', '%5f')}`).toString('base64');
    const granted = await send('/oauth/token', { ...GRANT, scope: '' }, { authorization: `basic ${encoded}` });
    expect(granted.status).toBe(200);
    expect(granted.body.scope).toBe(SCOPES.join(' '));
  });

  it('ignores parameters that it does not know', async () => {
    expect((await ask(await makeClient(), { audience: 'whoever', resource: 'x' })).status).toBe(200);
  });

  it('narrows to what is asked for, write letting read', async () => {
    const granted = await ask(await makeClient(), { scope: 'transactions:read' });
    expect(granted.body.scope).toBe('transactions:read');
  });

  it.each([
    ['a scope that the client does not have', { scope: 'wallets:read contracts:read' }],
    ['everything', { scope: '*' }],
    ['scopes with two blanks between', { scope: 'wallets:read  transactions:read' }],
    ['a scope with a quotation mark', { scope: '"wallets:read"' }],
  ])('refuses %s: invalid_scope', async (_, more) => {
    const refused = await ask(await makeClient(), more);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      error: 'invalid_scope',
      error_description: expect.any(String),
      error_uri: expect.any(String),
    });
    expect(refused.headers['cache-control']).toBe('no-store');
  });

  it.each([
    'authorization_code',
    'password',
    'refresh_token',
    'CLIENT_CREDENTIALS',
  ])('refuses the grant %s: unsupported_grant_type', async (grant) => {
    const refused = await ask(await makeClient(), { grant_type: grant });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toBe('unsupported_grant_type');
  });

  it.each<[string, (client: Client) => ReturnType<typeof send>]>([
    ['no grant_type', (client) => send('/oauth/token', {}, { authorization: basic(client) })],
    ['nothing', (client) => send('/oauth/token', '', { authorization: basic(client) })],
    [
      'a parameter given twice',
      (client) =>
        send('/oauth/token', 'grant_type=client_credentials&scope=wallets:read&scope=wallets:read', {
          authorization: basic(client),
        }),
    ],
    [
      'the grant given twice, once in escapes',
      (client) =>
        send('/oauth/token', 'grant_type=client_credentials&grant%5ftype=password', { authorization: basic(client) }),
    ],
    ['two ways of authenticating', (client) => ask(client, { client_id: client.id, client_secret: client.secret })],
    ['another client_id than the one in Basic', (client) => ask(client, { client_id: 'cli_another' })],
    [
      'an escape that is not UTF-8',
      (client) => send('/oauth/token', 'grant_type=%ff', { authorization: basic(client) }),
    ],
    ['a secret in the query', (client) => send(`/oauth/token?client_secret=${client.secret}`, GRANT)],
  ])('refuses %s: invalid_request', async (_, request) => {
    const refused = await request(await makeClient());
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      error: 'invalid_request',
      error_description: expect.any(String),
      error_uri: expect.any(String),
    });
  });

  it('refuses JSON and other types in the same form of error', async () => {
    const client = await makeClient();
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const refused = await send('/oauth/token', JSON.stringify(GRANT), {
        'content-type': type,
        authorization: basic(client),
      });
      expect(refused.status).toBe(415);
      expect(refused.body).toEqual({
        error: 'invalid_request',
        error_description: expect.stringContaining('application/x-www-form-urlencoded'),
        error_uri: expect.stringMatching(/\/docs\/errors#unsupported_media_type$/),
      });
    }
  });

  it.each<[string, (client: Client) => Record<string, string>]>([
    ['no client', () => ({})],
    ['a wrong secret', ({ id }) => ({ authorization: basic({ id, secret: `cs_${'0'.repeat(43)}` }) })],
    ['an unknown client', ({ secret }) => ({ authorization: basic({ id: `cli_${'0'.repeat(22)}`, secret }) })],
    ['an id that is no text', ({ secret }) => ({ authorization: basic({ id: 'cli%00', secret }) })],
    ['an empty secret', ({ id }) => ({ authorization: basic({ id, secret: '' }) })],
    ['a bearer token', () => ({ authorization: `Bearer ${it_.adminKey}` })],
    ['Basic without a colon', () => ({ authorization: `Basic ${Buffer.from('nothing').toString('base64')}` })],
    ['Basic that is not base64', () => ({ authorization: 'Basic ???' })],
  ])('refuses %s: invalid_client', async (_, headersOf) => {
    const client = await makeClient();
    const refused = await send('/oauth/token', GRANT, headersOf(client));
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toMatch(/^Basic realm="ashlar"/);
    expect(refused.body.error).toBe('invalid_client');
    expect(refused.text).not.toContain(client.secret);
  });

  it('says of 405 which method there is', async () => {
    const refused = await it_.get('/oauth/token', { apiKey: null });
    expect(refused.status).toBe(405);
    expect(refused.headers.allow).toBe('POST');
  });

  it('is for the addresses that the client allows, and so are its tokens', async () => {
    const client = await makeClient({ allowed_ips: ['10.1.0.0/16'] });
    const inside = { 'x-forwarded-for': '10.1.2.3' };
    const refused = await ask(client, {}, { 'x-forwarded-for': '10.2.0.1' });
    expect(refused.status).toBe(403);
    expect(refused.body.error).toBe('unauthorized_client');
    const granted = await ask(client, {}, inside);
    expect((await wallets(granted.body.access_token, inside)).status).toBe(200);
    expect((await wallets(granted.body.access_token, { 'x-forwarded-for': '10.2.0.1' })).status).toBe(403);
  });
});

describe('a client that asks too often', () => {
  it('gets Retry-After and does not block others', async () => {
    const [busy, other] = [await makeClient(), await makeClient()];
    // All within one minute of the clock.
    offset += 60_000 - (clock() % 60_000);
    for (let i = 0; i < 100; i++) expect((await ask(busy, { scope: 'wallets:write' })).status).toBe(400);
    const refused = await ask(busy);
    expect(refused.status).toBe(429);
    expect(refused.body.error).toBe('temporarily_unavailable');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask(other)).status).toBe(200);
    offset += 60_000;
    expect((await ask(busy)).status).toBe(200);
  });
});

describe('revocation', () => {
  const revoke = (client: Client, token: string, more: Record<string, string> = {}) =>
    send('/oauth/revoke', { token, ...more }, { authorization: basic(client) });

  it('ends the token and no other, whatever the hint, and again', async () => {
    const client = await makeClient();
    const [token, other] = [await tokenOf(client), await tokenOf(client)];
    expect((await wallets(token)).status).toBe(200);
    const revoked = await revoke(client, token, { token_type_hint: 'refresh_token' });
    expect(revoked.status).toBe(200);
    expect(revoked.headers['cache-control']).toBe('no-store');
    expect((await wallets(token)).status).toBe(401);
    expect((await wallets(other)).status).toBe(200);
    expect((await revoke(client, token)).status).toBe(200);
  });

  it('has nothing to say of what is no token', async () => {
    const client = await makeClient();
    for (const token of ['nonsense', 'a.b.c', it_.adminKey]) expect((await revoke(client, token)).status).toBe(200);
    expect((await it_.get('/api/v1/wallets')).status).toBe(200);
  });

  it("leaves another client's token as it is", async () => {
    const [one, two] = [await makeClient(), await makeClient()];
    const token = await tokenOf(one);
    const refused = await revoke(two, token);
    expect(refused.status).toBe(403);
    expect(refused.body.error).toBe('unauthorized_client');
    expect((await wallets(token)).status).toBe(200);
  });

  it('is for clients that authenticate, and names the token', async () => {
    const client = await makeClient();
    const token = await tokenOf(client);
    const stranger = await send('/oauth/revoke', { token });
    expect(stranger.status).toBe(401);
    expect(stranger.body.error).toBe('invalid_client');
    expect((await wallets(token)).status).toBe(200);
    const bare = await send('/oauth/revoke', {}, { authorization: basic(client) });
    expect(bare.status).toBe(400);
    expect(bare.body.error).toBe('invalid_request');
  });
});

describe('an OAuth client', () => {
  it('is shown without its secrets, listed and kept after it is revoked', async () => {
    const { id, secret } = await makeClient({ name: 'shown' });
    await ask({ id, secret });
    const shown = await it_.get(`/api/v1/oauth-clients/${id}`);
    expect(shown.body).toMatchObject({ client_id: id, name: 'shown', role: 'operator', scopes: SCOPES, active: true });
    expect(shown.body.last_used_at).not.toBeNull();
    expect((await it_.call('DELETE', `/api/v1/oauth-clients/${id}`)).status).toBe(204);
    const listed = await it_.get('/api/v1/oauth-clients?limit=100');
    const entry = listed.body.data.find((one: Json) => one.client_id === id);
    expect(entry).toMatchObject({ active: false, revoked_at: expect.any(String) });
    for (const text of [shown.text, listed.text]) {
      expect(text).not.toMatch(/secret_hash|"client_secret"/);
      expect(text).not.toContain(secret);
    }
  });

  it('is not there for another account', async () => {
    const { id } = await makeClient();
    const { apiKey } = await it_.anotherAccount('oauth neighbour');
    expect((await it_.get(`/api/v1/oauth-clients/${id}`, { apiKey })).status).toBe(404);
    expect((await it_.call('DELETE', `/api/v1/oauth-clients/${id}`, undefined, { apiKey })).status).toBe(404);
    expect((await it_.post(`/api/v1/oauth-clients/${id}/rotate`, {}, { apiKey })).status).toBe(404);
    expect((await it_.get('/api/v1/oauth-clients', { apiKey })).body.data).toEqual([]);
  });

  it('has no more than whoever makes it', async () => {
    const apiKey = await it_.key({ scopes: ['oauth-clients:write', 'wallets:read'] });
    const make = (given: Json) =>
      it_.post('/api/v1/oauth-clients', { name: 'more', scopes: ['wallets:read'], ...given }, { apiKey });
    expect((await make({})).status).toBe(201);
    const refused = await make({ scopes: ['wallets:write'] });
    expect(refused.status).toBe(403);
    expect(refused.body.error.details.field).toBe('scopes[0]');
    expect((await make({ expires_at: '2001-01-01T00:00:00Z' })).body.error.details.field).toBe('expires_at');
    expect((await make({ limits: { requests_per_minute: 5 } })).body.error.details.field).toBe('limits');
    expect((await make({ public_key: { kty: 'OKP', crv: 'Ed25519', x: 'short' } })).body.error.details.field).toBe(
      'public_key',
    );
    expect((await it_.post('/api/v1/oauth-clients', { name: 'x', scopes: [], secret: 1 })).status).toBe(400);
  });

  it('is made once, however often the request comes; the answer is the same, secret and all', async () => {
    const body = { name: 'once', scopes: SCOPES };
    const first = await it_.post('/api/v1/oauth-clients', body, { idempotencyKey: 'client-once' });
    const again = await it_.post('/api/v1/oauth-clients', body, { idempotencyKey: 'client-once' });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.text).toBe(first.text);
  });

  it('loses its tokens at once when it is revoked or expires', async () => {
    const client = await makeClient();
    const token = await tokenOf(client);
    expect((await wallets(token)).status).toBe(200);
    await it_.call('DELETE', `/api/v1/oauth-clients/${client.id}`);
    expect((await wallets(token)).status).toBe(401);
    expect((await ask(client)).status).toBe(401);

    const expiring = await makeClient({ expires_at: new Date(clock() + 60_000).toISOString() });
    const short = await tokenOf(expiring);
    expect((await wallets(short)).status).toBe(200);
    offset += 60_001;
    expect((await wallets(short)).status).toBe(401);
    expect((await ask(expiring)).status).toBe(401);
  });

  it('reads and does not write while its account is frozen, with the token that it has', async () => {
    const { accountId, apiKey } = await it_.anotherAccount('to be frozen');
    const client = await makeClient({ scopes: ['wallets:write'], require_signature: false }, { apiKey });
    const token = await tokenOf(client);
    const write = () => {
      const body = { name: 'w', type: 'segwit', backup_type: 'none' };
      return it_.post('/api/v1/wallets', body, { apiKey: token });
    };
    expect((await write()).status).toBe(201);
    expect((await it_.post(`/api/v1/accounts/${accountId}/freeze`, {})).status).toBe(200);
    expect((await write()).status).toBe(403);
    expect((await wallets(token)).status).toBe(200);
    const refused = await ask(client);
    expect([refused.status, refused.body.error]).toEqual([403, 'unauthorized_client']);
    const ofToken = { operation: 'oauth-token.issue' };
    const { data } = await it_.app.store.read.audit.list(accountId, ofToken, { limit: 1, offset: 0 });
    expect(data[0]).toMatchObject({ outcome: 'forbidden', credentialId: client.id });
    expect((await it_.post(`/api/v1/accounts/${accountId}/unfreeze`)).status).toBe(200);
    expect((await write()).status).toBe(201);
    expect((await wallets(await tokenOf(client))).status).toBe(200);
  });

  it('rotates its secret with an overlap', async () => {
    const old = await makeClient();
    const token = await tokenOf(old);
    const rotated = await it_.post(`/api/v1/oauth-clients/${old.id}/rotate`, { overlap_seconds: 60 });
    expect(rotated.status).toBe(201);
    const fresh = { id: old.id, secret: rotated.body.client_secret };
    expect(fresh.secret).not.toBe(old.secret);
    expect((await ask(old)).status).toBe(200);
    expect((await ask(fresh)).status).toBe(200);
    offset += 60_000;
    expect((await ask(old)).status).toBe(401);
    expect((await ask(fresh)).status).toBe(200);
    expect((await wallets(token)).status).toBe(200);
    await it_.post(`/api/v1/oauth-clients/${old.id}/rotate`, { overlap_seconds: 0 });
    expect((await ask(fresh)).status).toBe(401);
  });

  it('is on the record: made, used, refused and revoked', async () => {
    const client = await makeClient();
    const token = await tokenOf(client);
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    await send('/oauth/revoke', { token }, { authorization: basic(client) });
    await ask({ id: client.id, secret: `cs_${'0'.repeat(43)}` });
    await wallets(token);
    const recordsOf = async (log: string) =>
      (await it_.app.store.read.audit.list(log, {}, { limit: 50, offset: 0 })).data;
    const own = await recordsOf(it_.accountId);
    const latest = (operation: string) => own.find((record) => record.operation === operation);
    expect(latest('oauth-client.create')).toMatchObject({ target: client.id, outcome: 'done' });
    const use = { target: jti, credentialKind: 'oauth_client', credentialId: client.id, outcome: 'done' };
    expect(latest('oauth-token.issue')).toMatchObject(use);
    expect(latest('oauth-token.revoke')).toMatchObject(use);
    expect(latest('wallet.list')).toMatchObject({ credentialId: client.id, outcome: 'unauthorized' });
    // Nobody is known of who presents a wrong secret: that goes to the log of the service itself.
    const all = [...own, ...(await recordsOf('service'))];
    expect(all.some(({ operation, outcome }) => operation === 'oauth-token.issue' && outcome === 'unauthorized')).toBe(
      true,
    );
    for (const { entry } of all) {
      expect(entry).not.toContain(client.secret);
      expect(entry).not.toContain(token);
    }
  });
});
