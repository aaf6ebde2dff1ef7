/** API keys over HTTP: made, shown, rotated, revoked; and that nobody gets further with them than they were. */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role, Tier } from '../../../src/core/access.ts';
import { type CallOptions, type Json, startTestApp, type TestAnswer, type TestApp } from '../../builders/app.ts';

const PATH = '/api/v1/api-keys';
const DAY = 86_400_000;
let service: TestApp;
let offset = 0;
const clock = () => Date.now() + offset;

beforeAll(async () => {
  service = await startTestApp({ clock, env: { TRUST_PROXY: '127.0.0.1' } });
});
afterAll(() => service.close());

const body = { name: 'backend', scopes: ['wallets:read', 'transactions:write'] };
async function make(given: Json = {}, options: CallOptions = {}): Promise<Json> {
  const answer = await service.post(PATH, { ...body, ...given }, options);
  expect(answer.status, answer.text).toBe(201);
  if (answer.body.private_key !== undefined) service.remember(answer.body.api_key, answer.body.private_key);
  return answer.body;
}
const refusal = ({ status, body: { error } }: TestAnswer) => [status, error?.details.code, error?.details.field];
const reads = (apiKey: string, headers: Record<string, string> = {}) =>
  service.get('/api/v1/wallets', { apiKey, headers });
const newJwk = () => {
  const { kty, crv, x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return { kty, crv, x };
};

describe('making an API key', () => {
  it('answers the key and a fresh pair once, and shows neither again', async () => {
    const made = await make();
    expect(made).toMatchObject({
      name: 'backend',
      account_id: service.accountId,
      role: 'operator',
      scopes: ['wallets:read', 'transactions:write'],
      tier: 'standard',
      limits: null,
      allowed_ips: null,
      require_signature: true,
      active: true,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      rotated_to: null,
    });
    expect(made.api_key_id).toMatch(/^key_[0-9A-Za-z]{22}$/);
    expect(made.api_key).toMatch(/^ak_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}$/);
    expect(made.api_key.startsWith(`${made.prefix}_`)).toBe(true);
    expect(made.private_key).toMatchObject({ kty: 'OKP', crv: 'Ed25519' });
    const { d: _, ...publicJwk } = made.private_key;
    expect(await calculateJwkThumbprint(publicJwk)).toBe(made.key_id);

    const shown = await service.get(`${PATH}/${made.api_key_id}`);
    const { api_key, key_id, private_key, warnings, ...record } = made;
    expect(warnings).toEqual([]);
    expect(shown.body).toEqual(record);
    const listed = await service.get(`${PATH}?name=backend`);
    expect(listed.body.data[0]).toEqual(record);
    for (const { text } of [shown, listed]) {
      expect(text).not.toContain(api_key.slice(12));
      expect(text).not.toContain(private_key.d);
      expect(text).not.toContain('secret');
    }
  });

  it('makes one that works, signs with its pair, and shows when it was used', async () => {
    const { api_key: apiKey, api_key_id: id } = await make({ scopes: ['wallets:write'] });
    expect((await reads(apiKey)).status).toBe(200);
    const wallet = { name: 'w', type: 'segwit', backup_type: 'none' };
    const signed = await service.post('/api/v1/wallets', wallet, { apiKey });
    expect(signed.status, signed.text).toBe(201);
    const another = service.pairOf(service.adminKey);
    expect((await service.post('/api/v1/wallets', wallet, { apiKey, sign: another })).status).toBe(401);
    const { last_used_at: usedAt } = (await service.get(`${PATH}/${id}`)).body;
    expect(Date.parse(usedAt)).toBeLessThanOrEqual(clock());
  });

  it('enrols the public key that its owner gives, and answers no private one', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { kty, crv, x, y } = pair.publicKey.export({ format: 'jwk' });
    const made = await make({ public_key: { kty, crv, x, y, use: 'sig', kid: 'mine' } });
    expect(made.private_key).toBeUndefined();
    expect(made.key_id).toBe(await calculateJwkThumbprint({ kty, crv, x, y } as Json));
    const again = await service.post(PATH, { ...body, public_key: { kty, crv, x, y } });
    expect(refusal(again)).toEqual([409, 'already_exists', 'public_key']);
  });

  it.each<[string, Json, number, string]>([
    ['no name', { name: undefined }, 400, 'name'],
    ['no scopes', { scopes: [] }, 400, 'scopes'],
    ['a scope of another form', { scopes: ['wallets'] }, 400, 'scopes[0]'],
    ['a scope that there is not', { scopes: ['wallets:read', 'wallet:read'] }, 400, 'scopes[1]'],
    ['an unknown role', { role: 'root' }, 400, 'role'],
    ['limits of a tier that has none', { limits: { requests_per_minute: 5 } }, 400, 'limits'],
    ['an unknown limit', { tier: 'custom', limits: { per_second: 5 } }, 400, 'limits.per_second'],
    ['a limit of nothing', { tier: 'custom', limits: { requests_per_minute: 0 } }, 400, 'limits.requests_per_minute'],
    ['an end that has passed', { expires_at: '2001-01-01T00:00:00Z' }, 400, 'expires_at'],
    ['an end that is no time', { expires_at: 'tomorrow' }, 400, 'expires_at'],
    ['an address that is none', { allowed_ips: ['10.0.0.0/8', '10.0.0.0/33'] }, 400, 'allowed_ips[1]'],
    ['a symmetric key', { public_key: { kty: 'oct', crv: 'x', x: 'x', k: 'AAAA' } }, 400, 'public_key'],
    ['no need of signatures where the policy needs them', { require_signature: false }, 422, 'require_signature'],
  ])('refuses %s', async (_, given, status, field) => {
    const answer = await service.post(PATH, { ...body, ...given });
    expect([answer.status, answer.body.error?.details.field], answer.text).toEqual([status, field]);
  });

  it('refuses a private key, and does not repeat it', async () => {
    const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    const answer = await service.post(PATH, { ...body, public_key: jwk });
    expect(refusal(answer).slice(0, 2)).toEqual([400, 'invalid_value']);
    expect(answer.text).not.toContain(jwk.d);
  });

  it('answers a retry with the same secrets, and makes one key', async () => {
    const name = 'made once';
    const first = await service.post(PATH, { ...body, name }, { idempotencyKey: 'make-once' });
    const again = await service.post(PATH, { ...body, name }, { idempotencyKey: 'make-once' });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.text).toBe(first.text);
    expect((await service.get(`${PATH}?name=made%20once`)).body.pagination.total).toBe(1);
    const kept = await service.app.store.read.idempotency.find(service.accountId, 'make-once', clock());
    expect(kept?.body).not.toContain(first.body.api_key);
  });
});

describe('nobody grants what they do not have', () => {
  /** Who asks. */
  const caller = (given: { role?: Role; scopes?: string[]; tier?: Tier }) => service.key({ role: 'admin', ...given });

  it('a scope: 403 naming it', async () => {
    const apiKey = await caller({ scopes: ['api-keys:write', 'wallets:read'] });
    const options = { apiKey };
    const more = await service.post(PATH, { ...body, scopes: ['wallets:read', 'wallets:write'] }, options);
    expect(refusal(more)).toEqual([403, 'forbidden', 'scopes[1]']);
    expect(more.body.error.message).toContain('wallets:write');
    expect(refusal(await service.post(PATH, { ...body, scopes: ['*'] }, options))).toEqual([
      403,
      'forbidden',
      'scopes[0]',
    ]);
    await make({ scopes: ['wallets:read', 'api-keys:read'] }, options);
  });

  it('a role: only administrators make keys', async () => {
    const apiKey = await caller({ role: 'operator', scopes: ['*'] });
    expect((await service.post(PATH, { ...body, role: 'viewer' }, { apiKey })).status).toBe(403);
  });

  it("a tier above the account's", async () => {
    const other = await service.anotherAccount('small');
    const options = { apiKey: other.apiKey };
    const above = await service.post(PATH, { ...body, tier: 'enterprise' }, options);
    expect(refusal(above)).toEqual([403, 'forbidden', 'tier']);
    expect((await service.post(PATH, { ...body, tier: 'free' }, options)).status).toBe(201);
    const platform = await make({ tier: 'custom', limits: { requests_per_minute: 5_000 } });
    expect(platform.limits).toEqual({ requests_per_minute: 5_000 });
  });

  it("another account's key is not there", async () => {
    const other = await service.anotherAccount('stranger');
    const { api_key_id: id } = await make();
    const options = { apiKey: other.apiKey };
    for (const answer of [
      await service.get(`${PATH}/${id}`, options),
      await service.call('DELETE', `${PATH}/${id}`, undefined, options),
      await service.post(`${PATH}/${id}/rotate`, {}, options),
    ]) {
      expect(answer.status, answer.text).toBe(404);
    }
    expect((await service.get(PATH, options)).body.pagination.total).toBe(1);
    expect((await service.get(`${PATH}/${id}`)).body.active).toBe(true);
  });
});

describe('the list', () => {
  it('pages newest first, and filters by name, role and whether it is active', async () => {
    const { apiKey } = await service.anotherAccount('lists');
    const options = { apiKey };
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const made = await make({ name: `k${i % 2}`, role: i === 0 ? 'viewer' : 'operator', scopes: ['*'] }, options);
      ids.unshift(made.api_key_id);
    }
    await service.call('DELETE', `${PATH}/${ids[0]}`, undefined, options);
    await make({ name: 'short', expires_at: new Date(clock() + 60_000).toISOString() }, options);
    const idsOf = async (query: string) =>
      (await service.get(`${PATH}?${query}`, options)).body.data.map((key: Json) => key.api_key_id);
    expect(await idsOf('name=k1')).toEqual([ids[1], ids[3]]);
    expect(await idsOf('role=viewer')).toEqual([ids[4]]);
    expect(await idsOf('active=false')).toEqual([ids[0]]);
    expect(await idsOf('active=true')).toHaveLength(6);
    offset += 60_000;
    expect(await idsOf('active=true')).toHaveLength(5);

    const first = (await service.get(`${PATH}?limit=3`, options)).body;
    expect(first.pagination).toMatchObject({ total: 7, limit: 3, has_more: true });
    const rest = await idsOf(`limit=100&cursor=${first.pagination.next_cursor}`);
    expect([...first.data.map((key: Json) => key.api_key_id), ...rest]).toHaveLength(7);
    expect(new Set([...first.data.map((key: Json) => key.api_key_id), ...rest]).size).toBe(7);
    expect((await service.get(`${PATH}?cursor=x`, options)).status).toBe(400);
  });
});

describe('revoking', () => {
  it('takes effect with the answer, on the key and on what signs for it', async () => {
    const { api_key: apiKey, api_key_id: id, key_id: keyId } = await make();
    expect((await reads(apiKey)).status).toBe(200);
    const gone = await service.call('DELETE', `${PATH}/${id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    const refused = await reads(apiKey);
    expect(refused.status).toBe(401);
    expect(refused.body.error.message).toContain('revoked');
    expect((await service.app.services.signingKeys.find(keyId))?.revokedAt).not.toBeNull();
    expect((await service.get(`${PATH}/${id}`)).body).toMatchObject({ active: false, revoked_at: expect.any(String) });
    expect((await service.call('DELETE', `${PATH}/${id}`)).status).toBe(204);
  });

  it("needs all of the key's own rank", async () => {
    const { api_key_id: id } = await make({ scopes: ['*'] });
    const apiKey = await service.key({ role: 'admin', scopes: ['api-keys:write'] });
    const kept = await service.call('DELETE', `${PATH}/${id}`, undefined, { apiKey });
    expect([kept.status, kept.body.error.code]).toEqual([403, 'forbidden']);
    expect((await service.get(`${PATH}/${id}`)).body.active).toBe(true);
  });

  it('needs an administrator', async () => {
    const { api_key_id: id } = await make();
    const apiKey = await service.key({ role: 'operator' });
    expect((await service.call('DELETE', `${PATH}/${id}`, undefined, { apiKey })).status).toBe(403);
  });
});

describe('rotation', () => {
  const rotate = (id: string, given: Json = {}, options: CallOptions = {}) =>
    service.post(`${PATH}/${id}/rotate`, given, options);

  it('gives a successor with the same rights; the old key works until the overlap ends, then is refused', async () => {
    const expires = new Date(clock() + 90 * DAY).toISOString();
    const old = await make({ role: 'viewer', tier: 'pro', allowed_ips: ['127.0.0.1'], expires_at: expires });
    const answer = await rotate(old.api_key_id, { overlap_seconds: 60 });
    expect(answer.status, answer.text).toBe(201);
    const successor = answer.body;
    for (const field of [
      'name',
      'role',
      'scopes',
      'tier',
      'limits',
      'allowed_ips',
      'expires_at',
      'require_signature',
    ]) {
      expect([field, successor[field]]).toEqual([field, old[field]]);
    }
    expect(successor.api_key_id).not.toBe(old.api_key_id);
    expect(successor.private_key.d).not.toBe(old.private_key.d);
    const shown = (await service.get(`${PATH}/${old.api_key_id}`)).body;
    expect(shown).toMatchObject({ active: true, rotated_to: successor.api_key_id });
    expect([(await reads(old.api_key)).status, (await reads(successor.api_key)).status]).toEqual([200, 200]);

    offset += 59_000;
    expect((await reads(old.api_key)).status).toBe(200);
    offset += 1_001;
    const over = await reads(old.api_key);
    expect([over.status, over.body.error.message]).toEqual([401, expect.stringContaining('rotated')]);
    expect((await reads(successor.api_key)).status).toBe(200);
    expect((await service.get(`${PATH}/${old.api_key_id}`)).body.active).toBe(false);
  });

  it('overlaps for a day unless said, for none, and for 30 days at most', async () => {
    const usual = await make();
    await rotate(usual.api_key_id);
    const { overlap_ends_at: end } = (await service.get(`${PATH}/${usual.api_key_id}`)).body;
    expect(Math.abs(Date.parse(end) - clock() - DAY)).toBeLessThan(60_000);
    const none = await make();
    expect((await reads(none.api_key)).status).toBe(200);
    await rotate(none.api_key_id, { overlap_seconds: 0 });
    expect((await reads(none.api_key)).status).toBe(401);
    const long = await rotate((await make()).api_key_id, { overlap_seconds: 30 * 86_400 + 1 });
    expect(refusal(long)).toEqual([400, 'invalid_value', 'overlap_seconds']);
  });

  it('does not fork: a key with a successor is refused, naming it; so is one that is over', async () => {
    const old = await make();
    const successor = (await rotate(old.api_key_id)).body;
    const again = await rotate(old.api_key_id);
    expect(refusal(again).slice(0, 2)).toEqual([409, 'state_conflict']);
    expect(again.body.error.message).toContain(successor.api_key_id);
    expect((await rotate(successor.api_key_id)).status).toBe(201);
    const revoked = await make();
    await service.call('DELETE', `${PATH}/${revoked.api_key_id}`);
    expect((await rotate(revoked.api_key_id)).status).toBe(409);
  });

  it('makes one successor however many ask at once', async () => {
    const { api_key_id: id } = await make();
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  it('answers a retry with the same secrets', async () => {
    const { api_key_id: id } = await make();
    const first = await rotate(id, {}, { idempotencyKey: 'rotate-once' });
    const again = await rotate(id, {}, { idempotencyKey: 'rotate-once' });
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  it('is what a key does with itself too, within its own expiry, and with no other', async () => {
    const expires = new Date(clock() + DAY);
    const scopes = ['api-keys:write', 'wallets:read'];
    const own = await make({ scopes, expires_at: expires.toISOString() });
    const other = await make();
    const options = { apiKey: own.api_key };
    expect((await rotate(other.api_key_id, {}, options)).status).toBe(403);
    const later = await rotate(own.api_key_id, { expires_at: new Date(+expires + 1).toISOString() }, options);
    expect(refusal(later)).toEqual([403, 'forbidden', 'expires_at']);
    const answer = await rotate(own.api_key_id, {}, options);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({ expires_at: expires.toISOString(), created_by: own.api_key_id, scopes });
  });

  it('of a key with more scopes is not for an administrator without them: its secrets would be theirs', async () => {
    const powerful = await make({ scopes: ['*'], role: 'admin' });
    const apiKey = await service.key({ scopes: ['api-keys:write'] });
    expect(refusal(await rotate(powerful.api_key_id, {}, { apiKey }))).toEqual([403, 'forbidden', 'scopes[0]']);
    const small = await make({ scopes: ['api-keys:read'] });
    expect((await rotate(small.api_key_id, {}, { apiKey })).status).toBe(201);
  });

  it('takes a public key of the owner', async () => {
    const { api_key_id: id } = await make();
    const publicJwk = newJwk();
    const answer = await rotate(id, { public_key: publicJwk });
    expect(answer.body.key_id).toBe(await calculateJwkThumbprint(publicJwk as Json));
    expect(answer.body.private_key).toBeUndefined();
  });
});

describe('an address list', () => {
  it.each<[string, string[], string, number]>([
    ['an address', ['203.0.113.7'], '203.0.113.7', 200],
    ['another address', ['203.0.113.7'], '203.0.113.8', 403],
    ['a network', ['10.0.0.0/8'], '10.255.0.1', 200],
    ['outside a network', ['10.0.0.0/8'], '11.0.0.1', 403],
    ['an IPv4 address as IPv6 writes it', ['203.0.113.7'], '::ffff:203.0.113.7', 200],
    ['one in a network as IPv6 writes it', ['10.0.0.0/8'], '::ffff:10.1.2.3', 200],
    ['one outside as IPv6 writes it', ['10.0.0.0/8'], '::ffff:11.1.2.3', 403],
    ['an IPv6 network', ['2001:db8::/32'], '2001:db8:1::9', 200],
    ['outside an IPv6 network', ['2001:db8::/32'], '2001:db9::9', 403],
    ['what a proxy forwards for others before', ['203.0.113.7'], '203.0.113.7, 198.51.100.1', 403],
    ['what only looks like an address', ['203.0.113.7'], 'fe80::1%eth0', 403],
  ])('with %s', async (_, allowed, forwarded, status) => {
    const { api_key: apiKey } = await make({ allowed_ips: allowed });
    for (let look = 0; look < 2; look++) {
      expect((await reads(apiKey, { 'x-forwarded-for': forwarded })).status).toBe(status);
    }
  });
});

describe('where the policy leaves signatures to each key', () => {
  let free: TestApp;
  beforeAll(async () => {
    free = await startTestApp({ env: { SIGNATURE_POLICY: 'per-key' } });
  });
  afterAll(() => free.close());

  it('an administrator makes one that need not sign, and its record shows it', async () => {
    const made = await free.post(PATH, { ...body, scopes: ['wallets:write'], require_signature: false });
    expect([made.status, made.body.require_signature]).toEqual([201, false]);
    const wallet = { name: 'w', type: 'segwit', backup_type: 'none' };
    const unsigned = { apiKey: made.body.api_key, sign: false as const };
    expect((await free.post('/api/v1/wallets', wallet, unsigned)).status).toBe(201);
    const usual = await free.post(PATH, { ...body, scopes: ['wallets:write'] });
    const refused = await free.post('/api/v1/wallets', wallet, { apiKey: usual.body.api_key, sign: false });
    expect(refused.status).toBe(401);
    const successor = await free.post(`${PATH}/${made.body.api_key_id}/rotate`, {});
    expect(successor.body.require_signature).toBe(false);
  });
});

describe('the key of the first start', () => {
  it('is rotated as any other', async () => {
    const own = await startTestApp();
    try {
      const file = JSON.parse(readFileSync(join(own.dataDir, 'admin-credentials.json'), 'utf8'));
      const [first] = (await own.get(`${PATH}?name=first%20start`)).body.data;
      expect(file.api_key.startsWith(first.prefix)).toBe(true);
      const answer = await own.post(`${PATH}/${first.api_key_id}/rotate`, { overlap_seconds: 0 });
      expect(answer.status, answer.text).toBe(201);
      expect((await own.get(PATH)).status).toBe(401);
      expect((await own.get(PATH, { apiKey: answer.body.api_key })).status).toBe(200);
    } finally {
      await own.close();
    }
  });
});
