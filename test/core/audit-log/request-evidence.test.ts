/** What a log keeps of signatures verifies however its clients write them, and shows where an entry says something else. */
import { createHash, createPrivateKey, type JsonWebKey, sign } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/core/audit-log/audit-entry.ts';
import { evidenceKey, evidenceProblem } from '../../../src/core/audit-log/request-evidence.ts';
import { publicJwkOf } from '../../../src/core/request-signatures/signing-algorithm.ts';
import { startTestApp, type TestApp } from '../../builders/app.ts';
import { signatureHeaders } from '../../builders/signing.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function recorded(given: { path?: string; nonce?: string } = {}): Promise<AuditEntry> {
  const { path = '/api/v1/api-keys', nonce } = given;
  const body = JSON.stringify({ name: 'odd', scopes: ['wallets:read'] });
  const headers: Record<string, string> = {
    host: app.host,
    authorization: `Bearer ${app.adminKey}`,
    'content-type': 'application/json',
  };
  const signable = { method: 'POST', path, host: app.host, headers, body };
  const signed = signatureHeaders(signable, app.pairOf(app.adminKey), nonce === undefined ? {} : { nonce });
  const answer = await app.app.http.inject({
    method: 'POST',
    url: path,
    headers: { ...headers, ...signed },
    payload: body,
  });
  expect(answer.statusCode, answer.body).toBeLessThan(500);
  const [newest] = (await app.get('/api/v1/compliance/audit?limit=1')).body.data;
  const entry = JSON.parse(newest.entry) as AuditEntry;
  expect(entry.request_id).toBe(answer.headers['x-request-id']);
  expect(entry.signature?.base).toBeTypeOf('string');
  return entry;
}
const problem = (entry: AuditEntry) => evidenceProblem(entry, evidenceKey(publicJwkOf(app.pairOf(app.adminKey))));

it.each([
  ['plain', {}],
  ['with a nonce that is escaped', { nonce: 'a"quoted\\nonce' }],
  ['with a query that was refused', { path: '/api/v1/api-keys?a=%27b%27&c=~d' }],
  ['with an escaped path', { path: '/api/v1/%61pi-keys' }],
  ['with an empty query', { path: '/api/v1/api-keys?' }],
  ['with a long query', { path: `/api/v1/api-keys?long=${'x'.repeat(4_000)}` }],
])('verifies a request %s', async (_, given) => {
  expect(problem(await recorded(given))).toBeNull();
});

it('names what was changed', async () => {
  const entry = await recorded();
  const signature = entry.signature as NonNullable<AuditEntry['signature']>;
  expect(problem({ ...entry, method: 'DELETE' })).toMatch(/its method is not/);
  expect(problem({ ...entry, path: '/api/v1/wallets' })).toMatch(/its path is not/);
  expect(problem({ ...entry, path: `${entry.path}?a=b` })).toMatch(/its query is not/);
  expect(problem({ ...entry, digest: `sha-256=:${createHash('sha256').digest('base64')}:` })).toMatch(
    /its digest is not/,
  );
  expect(problem({ ...entry, signature: { ...signature, nonce: 'another' } })).toMatch(/its nonce is not/);
});

it('takes no other text that the key has signed for a request, though it contains one', async () => {
  const entry = await recorded();
  const key = createPrivateKey({ key: app.pairOf(app.adminKey) as JsonWebKey, format: 'jwk' });
  const { base } = entry.signature as { base: string };
  const signedOver = (text: string): AuditEntry => ({
    ...entry,
    signature: {
      ...entry.signature!,
      base: text,
      value: sign(null, Buffer.from(text, 'latin1'), key).toString('base64'),
    },
  });
  expect(problem(signedOver(base))).toBeNull();
  const [first = '', ...others] = base.split('\n');
  const texts = {
    'a challenge': `ashlar-governance-ws\nlocalhost:3000\n${base}`,
    'a line twice': [first, first, ...others].join('\n'),
    'lines in another order': [others[0], first, ...others.slice(1)].join('\n'),
    'a line that is not listed': [`"x-other": 1`, first, ...others].join('\n'),
    'a component that is not there': others.join('\n'),
  };
  for (const [what, text] of Object.entries(texts)) expect(problem(signedOver(text)), what).toMatch(/no request/);
});
