/** Signing keys over HTTP: enrolled with proof of possession, shown, revoked; one's own, and others' for administrators. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProof } from '../../../src/core/request-signatures/proof-of-possession.ts';
import { type PrivateJwk, publicJwkOf, thumbprintOf } from '../../../src/core/request-signatures/signing-algorithm.ts';
import { type CallOptions, type Json, startTestApp, type TestAnswer, type TestApp } from '../../builders/app.ts';

const PATH = '/api/v1/signing-keys';
let service: TestApp;
let adminId: string;

beforeAll(async () => {
  service = await startTestApp();
  adminId = await idOf(service.adminKey);
});
afterAll(() => service.close());

async function idOf(apiKey: string): Promise<string> {
  const { body } = await service.get('/api/v1/api-keys?limit=100');
  return body.data.find(({ prefix }: Json) => apiKey.startsWith(`${prefix}_`)).api_key_id;
}
const pair = (curve: 'ed25519' | 'P-256' | 'secp256k1' = 'ed25519'): PrivateJwk => {
  const { privateKey } =
    curve === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: curve });
  return privateKey.export({ format: 'jwk' }) as unknown as PrivateJwk;
};
const now = () => Math.floor(Date.now() / 1000);
const proofOf = (jwk: PrivateJwk, credentialId = adminId, accountId = service.accountId, at = now()) =>
  makeProof(jwk, { accountId, credentialId }, at);
const enrol = (jwk: PrivateJwk, given: Json = {}, options: CallOptions = {}) =>
  service.post(PATH, { public_key: publicJwkOf(jwk), proof: proofOf(jwk), ...given }, options);
const refusal = ({ status, body: { error } }: TestAnswer) => [status, error?.details.code, error?.details.field];
const writesWith = (jwk: PrivateJwk, apiKey = service.adminKey) =>
  service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' }, { apiKey, sign: jwk });

describe('enrolling a signing key', () => {
  it.each(['ed25519', 'P-256', 'secp256k1'] as const)('%s: it signs from then on', async (curve) => {
    const jwk = pair(curve);
    expect((await writesWith(jwk)).status).toBe(401);
    const made = await enrol(jwk, { name: curve });
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({
      key_id: thumbprintOf(publicJwkOf(jwk)),
      account_id: service.accountId,
      credential: { kind: 'api_key', id: adminId },
      name: curve,
      public_key: publicJwkOf(jwk),
      revoked_at: null,
      last_used_at: null,
    });
    expect((await writesWith(jwk)).status).toBe(201);
    const shown = await service.get(`${PATH}/${made.body.key_id}`);
    expect(shown.body.last_used_at).not.toBeNull();
  });

  it('wants the proof of whoever holds the key, for this credential, now', async () => {
    const [jwk, other] = [pair(), pair()];
    const [head, body, value] = proofOf(jwk).split('.') as [string, string, string];
    const header = (given: object) => Buffer.from(JSON.stringify(given)).toString('base64url');
    const wrong: [string, RegExp][] = [
      [proofOf(other), /names another key/],
      [`${header({ typ: 'ashlar-pop+jwt', alg: 'EdDSA' })}.${body}.${value}`, /not signed by/],
      [`${header({ typ: 'JWT', alg: 'EdDSA' })}.${body}.${value}`, /typ/],
      [`${header({ typ: 'ashlar-pop+jwt', alg: 'none' })}.${body}.`, /alg of its key/],
      [`${header({ typ: 'ashlar-pop+jwt', alg: 'HS256' })}.${body}.${value}`, /alg of its key/],
      [`${header({ typ: 'ashlar-pop+jwt', alg: 'EdDSA', crit: ['x'] })}.${body}.${value}`, /critical/],
      [proofOf(jwk, 'key_other'), /sub/],
      [proofOf(jwk, adminId, 'acc_other'), /aud/],
      [proofOf(jwk, adminId, service.accountId, now() - 400), /iat/],
      [proofOf(jwk, adminId, service.accountId, now() + 400), /iat/],
      ['nonsense', /compact JWS/],
      [`${head}.${body}.${value}.x`, /compact JWS/],
    ];
    for (const [proof, message] of wrong) {
      const answer = await enrol(jwk, { proof });
      expect(refusal(answer)).toEqual([400, 'invalid_value', 'proof']);
      expect(answer.body.error.message).toMatch(message);
    }
    expect((await enrol(jwk)).status).toBe(201);
  });

  it('enrols each key once, in the whole service, revoked or not', async () => {
    const jwk = pair();
    const { body } = await enrol(jwk);
    expect(refusal(await enrol(jwk))).toEqual([409, 'already_exists', 'public_key']);
    const another = await service.anotherAccount('keys');
    const theirs = (await service.get('/api/v1/api-keys', { apiKey: another.apiKey })).body.data[0].api_key_id;
    const proof = proofOf(jwk, theirs, another.accountId);
    expect(refusal(await enrol(jwk, { proof }, { apiKey: another.apiKey }))).toEqual([
      409,
      'already_exists',
      'public_key',
    ]);
    await service.call('DELETE', `${PATH}/${body.key_id}`);
    expect(refusal(await enrol(jwk))).toEqual([409, 'already_exists', 'public_key']);
  });

  it.each([
    ['a private key', (jwk: PrivateJwk) => jwk],
    ['a key of another kind', () => ({ kty: 'RSA', crv: '-', x: 'AQAB' })],
    ['a key that is cut', (jwk: PrivateJwk) => ({ ...publicJwkOf(jwk), x: jwk.x.slice(2) })],
  ])('refuses %s', async (_, change) => {
    const jwk = pair();
    const answer = await enrol(jwk, { public_key: change(jwk) });
    expect(refusal(answer)).toEqual([400, 'invalid_value', 'public_key']);
    expect(answer.text).not.toContain(jwk.d);
  });

  it('is for others only as an administrator, and never beyond what one has', async () => {
    const operator = await service.key({ role: 'operator' });
    const operatorId = await idOf(operator);
    const own = pair();
    const asOperator = { apiKey: operator };
    expect((await enrol(own, { proof: proofOf(own, operatorId) }, asOperator)).status).toBe(201);
    const [forAdmin, forOperator] = [pair(), pair()];
    const credential = { kind: 'api_key', id: adminId };
    expect(refusal(await enrol(forAdmin, { credential }, asOperator))[0]).toBe(403);
    const named = { credential: { kind: 'api_key', id: operatorId }, proof: proofOf(forOperator, operatorId) };
    expect((await enrol(forOperator, named)).body.credential).toEqual({ kind: 'api_key', id: operatorId });
    const narrow = await service.key({ role: 'admin', scopes: ['signing-keys:write'] });
    expect(refusal(await enrol(forAdmin, { credential }, { apiKey: narrow }))[0]).toBe(403);
  });

  it('knows the credential that is named, and only those of the account', async () => {
    const another = await service.anotherAccount('named');
    const theirs = (await service.get('/api/v1/api-keys', { apiKey: another.apiKey })).body.data[0].api_key_id;
    const revoked = await service.key();
    const revokedId = await idOf(revoked);
    await service.call('DELETE', `/api/v1/api-keys/${revokedId}`);
    for (const id of [theirs, revokedId, 'key_0000000000000000000000', 'x']) {
      for (const kind of ['api_key', 'oauth_client', 'person']) {
        const jwk = pair();
        const answer = await enrol(jwk, { credential: { kind, id }, proof: proofOf(jwk, id) });
        expect(refusal(answer)).toEqual([404, 'not_found', 'credential']);
      }
    }
  });
});

describe('signing keys that are enrolled', () => {
  it('are listed within the account, by credential, with those of the first start', async () => {
    const { body } = await service.get(`${PATH}?credential_kind=api_key&credential_id=${adminId}&limit=100`);
    const ids = body.data.map(({ key_id: id }: Json) => id);
    expect(ids).toContain(thumbprintOf(publicJwkOf(service.pairOf(service.adminKey))));
    expect(new Set(body.data.map(({ credential }: Json) => credential.id))).toEqual(new Set([adminId]));
    const all = (await service.get(`${PATH}?limit=1`)).body;
    expect(all.pagination.total).toBeGreaterThan(body.pagination.total);
    const next = await service.get(`${PATH}?limit=1&cursor=${all.pagination.next_cursor}`);
    expect(next.body.data[0].key_id).not.toBe(all.data[0].key_id);
    const standing = (await service.get(`${PATH}?revoked=false&limit=100`)).body.data;
    expect(standing.every(({ revoked_at: at }: Json) => at === null)).toBe(true);
    expect(refusal(await service.get(`${PATH}?credential_id=${adminId}`))[0]).toBe(400);
    const another = await service.anotherAccount('lists');
    expect((await service.get(PATH, { apiKey: another.apiKey })).body.pagination.total).toBe(1);
    expect((await service.get(`${PATH}/${ids[0]}`, { apiKey: another.apiKey })).status).toBe(404);
  });

  it('are revoked at once, the last one too, saying how many are left', async () => {
    const apiKey = await service.key();
    const jwk = service.pairOf(apiKey);
    const keyId = thumbprintOf(publicJwkOf(jwk));
    expect((await writesWith(jwk, apiKey)).status).toBe(201);
    const gone = await service.call('DELETE', `${PATH}/${keyId}`, undefined, { apiKey });
    expect(gone.status, gone.text).toBe(200);
    expect(gone.body).toMatchObject({ key_id: keyId, keys_left: 0 });
    expect(gone.body.revoked_at).not.toBeNull();
    expect((await writesWith(jwk, apiKey)).body.error.message).toMatch(/was revoked/);
    const again = await service.call('DELETE', `${PATH}/${keyId}`);
    expect([again.status, again.body.revoked_at]).toEqual([200, gone.body.revoked_at]);
  });

  it('are not revoked by others, nor from another account', async () => {
    const operator = await service.key({ role: 'operator' });
    const adminKeyId = thumbprintOf(publicJwkOf(service.pairOf(service.adminKey)));
    expect((await service.call('DELETE', `${PATH}/${adminKeyId}`, undefined, { apiKey: operator })).status).toBe(403);
    const another = await service.anotherAccount('revokes');
    const theirs = { apiKey: another.apiKey };
    expect((await service.call('DELETE', `${PATH}/${adminKeyId}`, undefined, theirs)).status).toBe(404);
    expect((await writesWith(service.pairOf(service.adminKey))).status).toBe(201);
  });

  it('go with the API key that they sign for', async () => {
    const apiKey = await service.key();
    const keyId = thumbprintOf(publicJwkOf(service.pairOf(apiKey)));
    await service.call('DELETE', `/api/v1/api-keys/${await idOf(apiKey)}`);
    expect((await service.get(`${PATH}/${keyId}`)).body.revoked_at).not.toBeNull();
  });
});

describe('a refused request', () => {
  it('has spent its nonce: another body under it is refused, the same bytes may be tried again', async () => {
    const { signatureHeaders } = await import('../../builders/signing.ts');
    const send = (name: string) => {
      const body = JSON.stringify({ name, type: 'nonsense', backup_type: 'none' });
      const headers = {
        host: service.host,
        authorization: `Bearer ${service.adminKey}`,
        'content-type': 'application/json',
      };
      const what = { method: 'POST', path: '/api/v1/wallets', host: service.host, headers, body };
      const signed = signatureHeaders(what, service.pairOf(service.adminKey), { nonce: 'refused-once' });
      return service.call('POST', '/api/v1/wallets', body, { headers: signed, sign: false });
    };
    expect((await send('a')).status).toBe(400);
    expect((await send('a')).status).toBe(400);
    expect(refusal(await send('b'))).toEqual([401, 'nonce_reused', 'headers.signature-input']);
  });
});
