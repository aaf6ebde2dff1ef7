/** Which hosts a signature may be for, in the whole service. */
import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followPort } from '../../src/app/public-origins.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp({
    env: { PUBLIC_ORIGINS: 'https://api.example.com,http://internal.example:8080', TRUST_PROXY: '127.0.0.1' },
  });
});
afterAll(() => service.close());

const make = (headers: Record<string, string>) =>
  service.post('/api/v1/wallets', { name: 'w', type: 'segwit', backup_type: 'none' }, { headers });

describe('PUBLIC_ORIGINS', () => {
  it.each([
    'api.example.com',
    'API.EXAMPLE.COM',
    'internal.example:8080',
  ])('takes what is signed for %s', async (host) => {
    expect((await make({ host })).status).toBe(201);
  });

  it.each([
    'evil.example',
    'internal.example',
    'api.example.com:8080',
    '127.0.0.1:3000',
  ])('refuses %s', async (host) => {
    const { status, body } = await make({ host });
    expect([status, body.error.details.code]).toEqual([401, 'signature_invalid']);
    expect(body.error.message).toContain(`"${host}", which is none of this service's public origins`);
  });

  it('takes the host from a proxy that is trusted', async () => {
    const body = { name: 'w', type: 'segwit', backup_type: 'none' };
    const path = '/api/v1/wallets';
    const { signatureHeaders } = await import('../builders/signing.ts');
    const headers = { authorization: `Bearer ${service.adminKey}`, 'content-type': 'application/json' };
    const what = { method: 'POST', path, host: 'api.example.com', headers, body: JSON.stringify(body) };
    const signed = signatureHeaders(what, service.pairOf(service.adminKey));
    const send = (more: Record<string, string>) =>
      service.post(path, what.body, { headers: { ...signed, ...more }, sign: false });
    expect((await send({ host: '10.0.0.7', 'x-forwarded-host': 'evil.example' })).status).toBe(401);
    expect((await send({ host: '10.0.0.7' })).status).toBe(401);
    expect((await send({ host: '10.0.0.7', 'x-forwarded-host': 'api.example.com' })).status).toBe(201);
  });
});

it('PORT=0: loopback origins have the port that is listened on', () => {
  const server = Object.assign(new EventEmitter(), {
    address: () => ({ port: 4711, address: '127.0.0.1', family: 'IPv4' }),
  });
  const find = followPort(['http://127.0.0.1:0', 'http://fixed.example:80'], server as never);
  expect(find('127.0.0.1:4711')).toBeNull();
  server.emit('listening');
  expect(find('127.0.0.1:4711')).toBe('http://127.0.0.1:4711');
  expect(find('fixed.example')).toBe('http://fixed.example:80');
  expect(find('127.0.0.1:3000')).toBeNull();
});
