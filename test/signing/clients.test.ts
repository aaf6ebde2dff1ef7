/** The signing clients that are part of the project, each against a real port; and what docs/signing.md says of them. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedFetch } from '../../src/client/signed-fetch.ts';
import { requestSigner, signRequest } from '../../src/core/request-signatures/sign-request.ts';
import type { PrivateJwk } from '../../src/core/request-signatures/signing-algorithm.ts';
import { startTestApp, type TestApp } from '../builders/app.ts';
import { CLI } from '../builders/built.ts';
import { childEnvironment } from '../builders/child-environment.ts';

const run = promisify(execFile);
const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const SCRIPT = pathOf('docs/signing/ashlar-request.sh');

let service: TestApp;
let origin: string;
let folder: string;
let pem: string;

const cli = async (args: string[], env: Record<string, string> = {}) => {
  const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, ...args], {
    env: { ...childEnvironment, DATA_DIR: service.dataDir, ASHLAR_URL: origin, ...env },
    cwd: folder,
  });
  return stdout;
};
const script = async (args: string[], env: Record<string, string> = {}) => {
  const { stdout } = await run('bash', [SCRIPT, ...args], {
    env: { PATH: process.env.PATH, ASHLAR_API_KEY: service.adminKey, ASHLAR_PEM: pem, ...env },
  });
  return stdout === '' ? null : JSON.parse(stdout);
};

beforeAll(async () => {
  service = await startTestApp();
  origin = (await service.listen()).replace('[::1]', 'localhost');
  folder = mkdtempSync(join(tmpdir(), 'ashlar-clients-'));
  pem = join(folder, 'key.pem');
  writeFileSync(pem, await cli(['signing-keys', 'pem']), { mode: 0o600 });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const wallet = (name: string) => JSON.stringify({ name, type: 'segwit', backup_type: 'none' });
/** Spaces, quotes, a percent sign and letters beyond ASCII. */
const ODD = 'Käse & "Brot" 100% $(x)';

describe('signedFetch', () => {
  const client = () => signedFetch({ origin, apiKey: service.adminKey, privateJwk: service.pairOf(service.adminKey) });

  it('signs with body and query and without, and reads unsigned', async () => {
    const made = await client()('/api/v1/wallets', { method: 'POST', body: wallet(ODD) });
    expect(made.status).toBe(201);
    const { wallet_id: id, name } = (await made.json()) as { wallet_id: string; name: string };
    expect(name).toBe(ODD);
    expect((await client()(`/api/v1/wallets/${id}/addresses`, { method: 'POST' })).status).toBe(201);
    expect((await client()(`/api/v1/wallets/${id}`)).status).toBe(200);
    const paid = await client()('/api/v1/transactions?dry_run=false', { method: 'post', body: '{}' });
    expect([paid.status, await paid.json()]).toEqual([
      400,
      { error: expect.objectContaining({ code: 'invalid_request' }) },
    ]);
  });

  it('signs the login of a person, and then for them', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const person = { username: 'ada', password: 'correct horse battery staple' };
    const made = {
      ...person,
      role: 'operator',
      scopes: ['wallets:write'],
      public_key: publicKey.export({ format: 'jwk' }),
    };
    expect((await client()('/api/v1/users', { method: 'POST', body: JSON.stringify(made) })).status).toBe(201);
    const privateJwk = privateKey.export({ format: 'jwk' }) as PrivateJwk;
    const login = await signedFetch({ origin, privateJwk })('/api/v1/auth/login', {
      method: 'POST',
      body: JSON.stringify(person),
    });
    const { access_token: accessToken } = (await login.json()) as { access_token: string };
    const send = signedFetch({ origin, accessToken, privateJwk });
    expect((await send('/api/v1/wallets', { method: 'POST', body: wallet("Ada's") })).status).toBe(201);
  });

  it('answers what was recorded where the Idempotency-Key is sent again', async () => {
    const init = { method: 'POST', body: wallet('once'), headers: { 'Idempotency-Key': 'fetch-1' } };
    const first = await client()('/api/v1/wallets', init);
    const again = await client()('/api/v1/wallets', init);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(await again.text()).toBe(await first.text());
  });

  it('sends a key of its own every time, and keeps the credential at its origin', async () => {
    const sent: Record<string, string>[] = [];
    const real = globalThis.fetch;
    globalThis.fetch = async (_, init) => {
      sent.push(Object.fromEntries(new Headers(init?.headers)));
      return new Response();
    };
    try {
      await client()('/x', { method: 'DELETE' });
      await client()('/x', { method: 'DELETE' });
      await client()('/x');
      await signedFetch({ origin, privateJwk: service.pairOf(service.adminKey) })('/x');
      await expect(client()('https://elsewhere.example/x')).rejects.toThrow(/is not at/);
    } finally {
      globalThis.fetch = real;
    }
    expect(sent).toHaveLength(4);
    expect(sent[0]?.['idempotency-key']).not.toBe(sent[1]?.['idempotency-key']);
    expect(sent[0]?.['signature-input']).toMatch(
      /"idempotency-key"\);created=\d+;keyid=".{43}";nonce=".+";tag="ashlar"$/,
    );
    expect(sent[2]?.signature).toEqual(expect.any(String));
    expect(sent[2]?.['idempotency-key']).toBeUndefined();
    expect(sent[3]).toMatchObject({ signature: expect.any(String) });
    expect(sent[3]?.authorization).toBeUndefined();
  });

  it('refuses a key id that is not the key of it', () => {
    const privateJwk = service.pairOf(service.adminKey);
    expect(() => signedFetch({ origin, keyId: 'other', privateJwk })).toThrow(/keyId/);
  });

  it('is what the package exports', () => {
    const { exports: exported } = JSON.parse(readFileSync(pathOf('package.json'), 'utf8')) as {
      exports: Record<string, { default: string }>;
    };
    const file = exported['./client']?.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts') ?? '';
    expect(readFileSync(pathOf(file), 'utf8')).toContain('export function signedFetch');
  });
});

describe('ashlar request', () => {
  it('signs with body and query and without', async () => {
    const made = JSON.parse(await cli(['request', 'POST', '/api/v1/wallets', wallet(ODD)]));
    expect(made.name).toBe(ODD);
    const address = JSON.parse(await cli(['request', 'POST', `/api/v1/wallets/${made.wallet_id}/addresses`]));
    expect(address.address).toMatch(/^bcrt1/);
    const refused = await cli(['request', 'POST', '/api/v1/transactions?dry_run=false', '{}']).catch((error) => error);
    expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([4, 'invalid_request']);
  });

  it('makes a pair and enrols it', async () => {
    const pair = join(folder, 'pair.json');
    writeFileSync(pair, await cli(['signing-keys', 'pair']));
    const me = JSON.parse(await cli(['request', 'GET', '/api/v1/api-keys'])).data[0];
    const proof = await cli(['signing-keys', 'proof', pair, '--account', me.account_id, '--credential', me.api_key_id]);
    const enrolled = JSON.parse(await cli(['request', 'POST', '/api/v1/signing-keys', proof]));
    const { key_id: keyId, private_key: jwk } = JSON.parse(readFileSync(pair, 'utf8'));
    expect(enrolled.key_id).toBe(keyId);
    const client = signedFetch({ origin, apiKey: service.adminKey, privateJwk: jwk });
    expect((await client('/api/v1/wallets', { method: 'POST', body: wallet('by the new key') })).status).toBe(201);
  });
});

describe('docs/signing/ashlar-request.sh', () => {
  it('signs with body and query and without', async () => {
    const made = await script(['POST', `${origin}/api/v1/wallets`, wallet(ODD)]);
    expect(made.name).toBe(ODD);
    const address = await script(['POST', `${origin}/api/v1/wallets/${made.wallet_id}/addresses`]);
    expect(address.address).toMatch(/^bcrt1/);
    const list = await script(['GET', `${origin}/api/v1/wallets?limit=1&name=${encodeURIComponent(ODD)}`]);
    expect(list.data).toHaveLength(1);
    const refused = await script(['POST', `${origin}/api/v1/transactions?dry_run=false`, '{}']);
    expect(refused.error.code).toBe('invalid_request');
  });

  it('repeats a request under its Idempotency-Key', async () => {
    const once = () => script(['POST', `${origin}/api/v1/wallets`, wallet('bash')], { IDEMPOTENCY_KEY: 'bash-1' });
    expect(await once()).toEqual(await once());
  });

  it('is about a dozen lines, and is refused with the key of another', async () => {
    const lines = readFileSync(SCRIPT, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.length).toBeLessThan(24);
    const other = await service.key();
    const refused = await script(['POST', `${origin}/api/v1/wallets`, wallet('x')], { ASHLAR_API_KEY: other });
    expect(refused.error.details.code).toBe('signature_invalid');
  });
});

describe('docs/signing.md', () => {
  const text = readFileSync(pathOf('docs/signing.md'), 'utf8');
  const block = (kind: string) => new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\\n\`\`\``).exec(text)?.[1] ?? '';

  it('has an example that computes', () => {
    const [head = '', body = ''] = block('http').split('\n\n');
    const [first = '', ...lines] = head.split('\n');
    const [method = '', target = ''] = first.split(' ');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    );
    const jwk = {
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      d: /`(nWG[\w-]+)`/.exec(text)?.[1],
    } as PrivateJwk;
    const signer = requestSigner(jwk);
    let base = '';
    const listening = {
      ...signer,
      sign(bytes: Uint8Array) {
        base = Buffer.from(bytes).toString();
        return signer.sign(bytes);
      },
    };
    const { 'content-type': type = '', 'idempotency-key': key = '' } = headers;
    const signed = signRequest(
      {
        method,
        url: `https://${headers.host}${target}`,
        headers: { 'content-type': type, 'idempotency-key': key },
        body: Buffer.from(body),
      },
      listening,
      { created: 1_793_534_400, nonce: 'b3k2pp5k7z50gnwp' },
    );
    expect(signed).toEqual({
      'content-digest': headers['content-digest'],
      'signature-input': headers['signature-input'],
      signature: headers.signature,
    });
    expect(base).toBe(block('text'));
  });
});
