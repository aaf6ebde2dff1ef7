/** What a credential that is made or changed cannot do though it looks so is said in the answer. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

const made = async (path: string, body: Json): Promise<string[]> => {
  const answer = await service.post(`/api/v1/${path}`, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.warnings;
};
const newJwk = () => {
  const { kty, crv, x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return { kty, crv, x };
};
const ONLY_READS = 'wallets:write can only read with the role viewer: to write needs the role operator';
const NOTHING = 'compliance:read does nothing with the role viewer: it needs the role operator';
const TOO_WEAK = { role: 'viewer', scopes: ['wallets:write', 'compliance:read'] };

it('of an API key, also when it is rotated', async () => {
  expect(await made('api-keys', { name: 'k', role: 'operator', scopes: ['wallets:write'] })).toEqual([]);
  const { body } = await service.post('/api/v1/api-keys', { name: 'k', ...TOO_WEAK });
  expect(body.warnings).toEqual([ONLY_READS, NOTHING]);
  expect(await made(`api-keys/${body.api_key_id}/rotate`, {})).toEqual([ONLY_READS, NOTHING]);
});

it('of an OAuth client, which can only read where it has no key', async () => {
  const client = { name: 'c', scopes: ['wallets:write'] };
  expect(await made('oauth-clients', client)).toEqual([
    expect.stringMatching(/^made without public_key, this client can only read/),
  ]);
  expect(await made('oauth-clients', { ...client, public_key: newJwk() })).toEqual([]);
  expect(await made('oauth-clients', { ...TOO_WEAK, name: 'c', public_key: newJwk() })).toEqual([ONLY_READS, NOTHING]);
});

it('of a user, when made and when changed', async () => {
  const user = {
    username: 'ada',
    role: 'operator',
    scopes: ['wallets:write'],
    password: 'correct horse battery staple',
  };
  expect(await made('users', user)).toEqual([
    expect.stringMatching(/^made without public_key, this user can only read/),
  ]);
  const { body } = await service.post('/api/v1/users', { ...user, username: 'eve', public_key: newJwk() });
  expect(body.warnings).toEqual([]);
  const changed = await service.call('PUT', `/api/v1/users/${body.user_id}`, { username: 'eve', ...TOO_WEAK });
  expect([changed.status, changed.body.warnings]).toEqual([200, [ONLY_READS, NOTHING]]);
});
