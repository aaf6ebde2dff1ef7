/** Kept answers that hold a secret are replayed to the credential that they were given to, and to no other of its account. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../builders/app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

const BODY = { name: 'all', scopes: ['*'], role: 'admin' };

it('gives no API key that its asker could not have made', async () => {
  const idempotencyKey = 'seen-in-the-audit-log';
  const made = await service.post('/api/v1/api-keys', BODY, { idempotencyKey });
  const lesser = await service.key({ role: 'admin', scopes: ['api-keys:write'] });
  const asked = await service.post('/api/v1/api-keys', BODY, { idempotencyKey, apiKey: lesser });
  expect(asked.status, asked.text).toBe(422);
  expect(asked.body.error.details.code).toBe('idempotency_mismatch');
  const again = await service.post('/api/v1/api-keys', BODY, { idempotencyKey });
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(again.text).toBe(made.text);
});

it('gives an operator nothing of an administrator that was rotated', async () => {
  const { api_key_id: id } = (await service.post('/api/v1/api-keys', BODY)).body;
  const path = `/api/v1/api-keys/${id}/rotate`;
  const rotated = await service.post(path, {}, { idempotencyKey: 'rotation' });
  expect(rotated.status, rotated.text).toBe(201);
  const operator = await service.key({ role: 'operator', scopes: ['api-keys:write'] });
  expect((await service.post(path, {}, { idempotencyKey: 'rotation', apiKey: operator })).status).toBe(422);
  expect((await service.post(path, {}, { idempotencyKey: 'another', apiKey: operator })).status).toBe(403);
});

it('gives nobody the mnemonic of a wallet that somebody else made', async () => {
  const body = { name: 'words', type: 'segwit', backup_type: 'mnemonic' };
  const made = await service.post('/api/v1/wallets', body, { idempotencyKey: 'wallet-1' });
  expect(made.body.mnemonic).toBeDefined();
  const other = await service.key({ role: 'operator', scopes: ['wallets:write'] });
  expect((await service.post('/api/v1/wallets', body, { idempotencyKey: 'wallet-1', apiKey: other })).status).toBe(422);
});

it("gives one person nothing of another's second factor", async () => {
  const password = 'the same of both of them';
  const tokens: string[] = [];
  for (const username of ['first', 'second']) {
    await service.post('/api/v1/users', { username, password, scopes: ['wallets:read'] });
    const login = await service.post('/api/v1/auth/login', { username, password }, { apiKey: null });
    tokens.push(login.body.access_token);
  }
  const [first, second] = await Promise.all(
    tokens.map((apiKey) =>
      service.post('/api/v1/auth/totp', { password }, { apiKey, sign: false, idempotencyKey: 'totp' }),
    ),
  );
  expect([first?.status, second?.status].sort()).toEqual([201, 422]);
});

it('gives any credential of the account what holds no secret: a key may be rotated between a request and its retry', async () => {
  const body = { name: 'none', type: 'segwit', backup_type: 'none' };
  const { wallet_id: id } = (await service.post('/api/v1/wallets', body)).body;
  const path = `/api/v1/wallets/${id}/addresses`;
  const made = await service.post(path, undefined, { idempotencyKey: 'address-1' });
  const successor = await service.key({ role: 'operator', scopes: ['wallets:write'] });
  const again = await service.post(path, undefined, { idempotencyKey: 'address-1', apiKey: successor });
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(again.text).toBe(made.text);
});
