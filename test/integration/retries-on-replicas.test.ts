/** Fifty identical requests at once to two processes with one PostgreSQL: one effect, one answer, whichever process is asked. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RequestSigner, requestSigner, signRequest } from '../../src/core/request-signatures/sign-request.ts';
import type { Json } from '../builders/app.ts';
import { ORIGIN } from '../builders/operation-calls.ts';
import { type ServiceProcess, startService } from '../builders/service-process.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';

const AT_ONCE = 50;

let postgres: TemporaryPostgres;
let replicas: ServiceProcess[];
let secrets: string;
/** A key whose limits fifty at once do not reach. */
let sentBy: { apiKey: string; signer: RequestSigner };

beforeAll(async () => {
  postgres = await withPostgres();
  secrets = mkdtempSync(join(tmpdir(), 'ashlar-secrets-'));
  writeFileSync(join(secrets, 'master.key'), crypto.getRandomValues(Buffer.alloc(32)), { mode: 0o600 });
  const env = {
    DATABASE_URL: await postgres.newDatabase(),
    MASTER_KEY_FILE: join(secrets, 'master.key'),
    CHAIN: 'simulated',
    PUBLIC_ORIGINS: ORIGIN,
    ARGON2_MEMORY_KIB: '7168',
  };
  const first = await startService(env);
  replicas = [first, await startService(env)];
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const public_key = { kty: 'OKP', crv: 'Ed25519', x } as const;
  const file = readFileSync(join(first.dataDir, 'admin-credentials.json'), 'utf8');
  const { api_key: apiKey, private_key: jwk } = JSON.parse(file);
  sentBy = { apiKey, signer: requestSigner(jwk) };
  const limits = { requests_per_minute: 100_000 };
  const made = { name: 'many', role: 'admin', scopes: ['*'], tier: 'custom', limits, public_key };
  const { status, text } = await sender('POST', '/api/v1/api-keys', made, null)(0);
  expect(status, text).toBe(201);
  sentBy = { apiKey: JSON.parse(text).api_key, signer: requestSigner({ ...public_key, d }) };
});
afterAll(async () => {
  await Promise.all(replicas.map((one) => one.dispose()));
  await postgres.stop();
  rmSync(secrets, { recursive: true, force: true });
});

interface Answered {
  status: number;
  text: string;
  replayed: boolean;
}

/** What a client of the one name that both have sends; `nth` is whom the proxy gives it to. */
function sender(method: string, path: string, body: Json, key: string | null) {
  const { apiKey, signer } = sentBy;
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
  const headers: Record<string, string> = {
    authorization: `Bearer ${apiKey}`,
    ...(bytes === null ? {} : { 'content-type': 'application/json' }),
    ...(key === null ? {} : { 'idempotency-key': key }),
  };
  const unsigned = { method, url: ORIGIN + path, headers, body: bytes };
  const signed = signRequest(unsigned, signer, {
    created: Math.floor(Date.now() / 1000),
    nonce: randomUUID(),
  });
  return async (nth: number): Promise<Answered> => {
    const { baseUrl } = replicas[nth % replicas.length] as ServiceProcess;
    const answer = await request(baseUrl + path, {
      method: method as 'POST',
      headers: { ...headers, ...signed, host: new URL(ORIGIN).host },
      body: bytes,
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, text, replayed: answer.headers['idempotency-replayed'] === 'true' };
  };
}

async function untilAnswered(send: (nth: number) => Promise<Answered>, nth: number): Promise<Answered> {
  for (;;) {
    const answer = await send(nth);
    if (answer.status !== 409 || !answer.text.includes('idempotency_in_flight')) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function total(list: string): Promise<number> {
  const { text } = await sender('GET', list, undefined, null)(0);
  return JSON.parse(text).pagination.total;
}

describe('fifty identical requests at once to two processes', () => {
  const name = () => `made-${randomUUID()}`;
  it.each<[string, string, string, () => Json]>([
    [
      'wallet.create',
      '/api/v1/wallets',
      '/api/v1/wallets',
      () => ({ name: name(), type: 'segwit', backup_type: 'none' }),
    ],
    ['api-key.create', '/api/v1/api-keys', '/api/v1/api-keys', () => ({ name: name(), scopes: ['wallets:read'] })],
    ['account.create', '/api/v1/accounts', '/api/v1/accounts', () => ({ name: name() })],
    [
      'oauth-client.create',
      '/api/v1/oauth-clients',
      '/api/v1/oauth-clients',
      () => ({ name: name(), scopes: ['wallets:read'] }),
    ],
    [
      'user.create',
      '/api/v1/users',
      '/api/v1/users',
      () => ({ username: name(), password: 'words of a person', scopes: ['wallets:read'] }),
    ],
  ])('make one thing: %s', async (id, path, list, body) => {
    for (const key of [randomUUID(), null]) {
      const before = await total(list);
      const send = sender('POST', path, body(), key);
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => untilAnswered(send, nth)));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)), id).toHaveLength(1);
      expect(answers[0]?.status, answers[0]?.text).toBe(201);
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(await total(list)).toBe(before + 1);
    }
  });
});
