import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AccountId } from '../../src/core/ids.ts';
import { type AnyOperation, operation } from '../../src/hooks/operation.ts';
import type { PrivateJwk } from '../../src/services/credentials/signing-keys.ts';
import { recordRequest } from '../../src/services/requests/record-request.ts';
import type { RequestContext } from '../../src/services/requests/request-context.ts';
import type { Store } from '../../src/store/store.ts';
import { type Signable, signatureHeaders } from '../builders/signing.ts';
import { HOST, type HookApp, notes, startHookApp } from './hook-app.ts';

/** What family G's operations saw. */
let seen: RequestContext[] = [];

function ballots(store: Store): AnyOperation[] {
  const shared = { family: 'g', tag: 'Test', limitClass: 'standard', errors: [] } as const;
  return [
    operation({
      ...shared,
      id: 'ballot.list',
      method: 'GET',
      path: '/v1/governance/ballots',
      summary: 'Ballots',
      effect: 'read',
      access: { scope: 'ballots:read', role: 'viewer' },
      idempotent: false,
      query: z.strictObject({ page: z.string().optional() }),
      success: { status: 200, description: 'Ballots', schema: z.object({ account: z.string() }) },
      run: async (_, context) => {
        seen.push(context);
        return { account: context.accountId };
      },
      present: (result) => result,
    }),
    operation({
      ...shared,
      id: 'ballot.cast',
      method: 'POST',
      path: '/v1/governance/ballots',
      summary: 'Vote',
      effect: 'write',
      access: { scope: 'ballots:write', role: 'operator' },
      idempotent: true,
      body: z.strictObject({ choice: z.string() }),
      success: { status: 201, description: 'Cast', schema: z.object({ choice: z.string() }) },
      run: async ({ body }, context) => {
        seen.push(context);
        await store.write((tx) => recordRequest(tx, context, { result: body, target: null }));
        return body;
      },
      present: (result) => result,
    }),
    operation({
      ...shared,
      family: 'a',
      id: 'ballot.sketch',
      method: 'PUT',
      path: '/api/v1/ballots',
      summary: 'Takes a dry run',
      effect: 'write',
      access: { scope: 'ballots:write', role: 'operator' },
      idempotent: true,
      dryRun: true,
      query: z.strictObject({ dry_run: z.enum(['true', 'false']).optional() }),
      success: { status: 200, description: 'Done', schema: z.object({}) },
      run: async () => ({}),
      present: () => ({}),
    }),
  ];
}

let it_: HookApp;
let other: { accountId: AccountId; apiKey: string };

beforeAll(async () => {
  it_ = await startHookApp({ more: ballots });
  const account = { accountId: 'acc_other', name: 'other', platform: false, tier: 'standard' } as const;
  await it_.store.write((tx) => tx.accounts.insert({ ...account, createdAt: 0, frozenAt: null, frozenReason: null }));
  other = { accountId: 'acc_other', apiKey: await it_.key({ accountId: 'acc_other' }) };
});
afterAll(() => it_.close());
beforeEach(() => {
  notes.length = 0;
  seen = [];
});

const BODY = JSON.stringify({ text: 'one' });

interface Given {
  jwk?: PrivateJwk;
  at?: number;
  nonce?: string;
  apiKey?: string | null;
  body?: string | null;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  host?: string;
}

function request(given: Given = {}): Signable & { headers: Record<string, string> } {
  const { apiKey = it_.apiKey, body = BODY, path = '/api/v1/notes', method = 'POST', host = HOST } = given;
  const headers: Record<string, string> = {
    host,
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    ...given.headers,
  };
  return { method, path, host, headers, body };
}
const sign = (what: Signable, { jwk = it_.pairOf(it_.apiKey), at = it_.now(), nonce }: Given = {}) =>
  signatureHeaders(what, jwk, { at, ...(nonce === undefined ? {} : { nonce }) });

/** Sends a request with these headers, changed after signing. */
function send(what: Signable, signature: Record<string, string>, changed: Partial<Signable> = {}) {
  const { method, path, headers, body } = { ...what, ...changed };
  return it_.app.inject({
    method: method as 'POST',
    url: path,
    headers: { ...headers, ...signature },
    ...(body === null ? {} : { payload: body as string }),
  });
}
const signedly = (given: Given = {}) => send(request(given), sign(request(given), given));

async function expectRefused(
  answer: Promise<{ statusCode: number; headers: object; json(): any }>,
  message: RegExp,
  code = 'signature_invalid',
) {
  const { statusCode, headers, json } = await answer.then((one) => ({
    ...one,
    statusCode: one.statusCode,
    headers: one.headers,
    json: () => one.json(),
  }));
  expect(json().error).toMatchObject({
    code: 'unauthorized',
    message: expect.stringMatching(message),
    details: { code },
  });
  expect(statusCode).toBe(401);
  expect(headers).toMatchObject({
    'www-authenticate': expect.stringContaining('Bearer realm="ashlar"'),
    'accept-signature': expect.stringMatching(
      /^sig=\("@method" "@authority" "@path" "@query".*\);created;tag="ashlar"$/,
    ),
  });
  expect(notes).toHaveLength(0);
}

describe('a modifying request', () => {
  it('is taken with a signature, and its operation is told of it', async () => {
    expect((await signedly()).statusCode).toBe(201);
    await send(
      request({ path: '/v1/governance/ballots', body: '{"choice":"yes"}' }),
      sign(request({ path: '/v1/governance/ballots', body: '{"choice":"yes"}' }), { nonce: 'told' }),
    );
    expect(seen[0]?.facts.signature).toMatchObject({
      algorithm: 'ed25519',
      nonce: 'told',
      base: expect.stringMatching(/^"@method": POST\n/),
    });
    expect(seen[0]?.facts.signature?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is refused unsigned, saying which signature would do', async () => {
    const unsigned = send(request({ headers: { 'idempotency-key': 'k' } }), {});
    await expectRefused(
      unsigned,
      /needs a signature \(RFC 9421\) over @method, .*content-digest, idempotency-key/,
      'signature_missing',
    );
    expect((await unsigned).headers['accept-signature']).toContain('"content-digest" "idempotency-key");');
  });

  it('is refused when the body was changed after signing', async () => {
    const what = request();
    await expectRefused(
      send(what, sign(what), { body: BODY.replace('one', 'two') }),
      /Content-Digest does not match the body/,
    );
    const cut = { ...sign(what) };
    delete cut['content-digest'];
    await expectRefused(send(what, cut), /covers content-digest, which the request does not have/);
  });

  it('is refused on another path, query, method and host', async () => {
    const what = request();
    await expectRefused(send(what, sign(what), { path: '/api/v1/notes?x=1' }), /does not verify/);
    await expectRefused(send(what, sign({ ...what, path: '/api/v1/other' })), /does not verify/);
    await expectRefused(send(what, sign({ ...what, method: 'PUT' })), /does not verify/);
    await expectRefused(send(what, sign({ ...what, host: 'elsewhere.test' })), /does not verify/);
    const elsewhere = request({ host: 'elsewhere.test' });
    await expectRefused(send(elsewhere, sign(elsewhere)), /Host is "elsewhere.test", which is none/);
  });

  it('is refused stale and from the future, and taken up to 300 s and 30 s', async () => {
    await expectRefused(signedly({ at: it_.now() - 302_000 }), /created 30\d s ago/);
    await expectRefused(signedly({ at: it_.now() + 33_000 }), /in the future/);
    await expectRefused(
      signedly({ at: it_.now() * 1000 }),
      /created is in Unix seconds: \d{13} looks like milliseconds/,
    );
    expect((await signedly({ at: it_.now() - 295_000 })).statusCode).toBe(201);
    expect((await signedly({ at: it_.now() + 25_000 })).statusCode).toBe(201);
  });

  it('is refused with two signatures, and with an HMAC', async () => {
    const what = request();
    const once = sign(what);
    const two = { ...once };
    for (const name of ['signature', 'signature-input'])
      two[name] = `${once[name]}, ${once[name]?.replace('sig=', 'more=')}`;
    await expectRefused(send(what, two), /exactly one/);
    const hmac = { ...once, 'signature-input': `${once['signature-input']};alg="hmac-sha256"` };
    await expectRefused(send(what, hmac), /hmac-sha256/);
  });

  it('is refused where a component is missing, and where Authorization is covered', async () => {
    const what = request();
    const once = sign(what);
    const without = { ...once, 'signature-input': once['signature-input']?.replace('"@query" ', '') as string };
    await expectRefused(send(what, without), /does not cover @query/);
    const { 'content-digest': _, ...undigested } = once;
    undigested['signature-input'] = undigested['signature-input']?.replace(' "content-digest"', '') as string;
    await expectRefused(send(what, undigested), /has no Content-Digest: send sha-256=/);
    const covering = {
      ...once,
      'signature-input': once['signature-input']?.replace('"@query"', '"@query" "authorization"') as string,
    };
    await expectRefused(send(what, covering), /covers authorization/);
    expect((await send(what, covering)).body).not.toContain(it_.apiKey);
    const keyed = request({ headers: { 'idempotency-key': 'k-1' } });
    await expectRefused(send(keyed, sign(request())), /does not cover idempotency-key/);
  });

  it("is refused by another account's key, another credential's, one that is nobody's, and a revoked one", async () => {
    const sibling = await it_.key();
    await expectRefused(signedly({ jwk: it_.pairOf(other.apiKey) }), /is not enrolled for the credential/);
    await expectRefused(signedly({ jwk: it_.pairOf(sibling) }), /is not enrolled for the credential/);
    await expectRefused(signedly({ jwk: it_.signingKeys.newPair().privateJwk }), /is not enrolled for the credential/);
    const jwk = it_.pairOf(sibling);
    expect((await signedly({ apiKey: sibling, jwk })).statusCode).toBe(201);
    notes.length = 0;
    const { keyId } = (await it_.store.read.signingKeys.page(it_.accountId, {}, { limit: 100, offset: 0 })).data.find(
      (one) => one.publicJwk.x === jwk.x,
    ) as { keyId: string };
    await it_.store.write((tx) => tx.signingKeys.revoke(it_.accountId, keyId, it_.now()));
    await expectRefused(signedly({ apiKey: sibling, jwk }), /was revoked/);
  });

  it('needs none where it reads, or is a dry run, and a broken one is not looked at there', async () => {
    const broken = { 'signature-input': 'nonsense', signature: 'nonsense' };
    expect((await send(request({ method: 'GET', body: null }), broken)).statusCode).toBe(200);
    const dry = (path: string) => send(request({ method: 'PUT', body: null, path }), broken);
    expect((await dry('/api/v1/ballots?dry_run=true')).statusCode).toBe(200);
    expect((await dry('/api/v1/ballots?dry_run=false')).statusCode).toBe(401);
    expect((await dry('/api/v1/ballots')).statusCode).toBe(401);
  });

  it('is asked for its signature after its credential, role and scope', async () => {
    const viewer = await it_.key({ role: 'viewer' });
    expect((await send(request({ apiKey: viewer }), {})).statusCode).toBe(403);
    const nobody = await send(request({ apiKey: null }), sign(request({ apiKey: null })));
    expect(nobody.json().error.details.code).toBe('unauthorized');
  });
});

describe('a nonce', () => {
  it('is for one request: a changed body under it is refused, though signed', async () => {
    expect((await signedly({ nonce: 'once' })).statusCode).toBe(201);
    notes.length = 0;
    const changed = JSON.stringify({ text: 'two' });
    await expectRefused(
      signedly({ nonce: 'once', body: changed }),
      /nonce .* was used for another request/,
      'nonce_reused',
    );
    await expectRefused(
      signedly({ nonce: 'once', headers: { 'idempotency-key': 'new' } }),
      /nonce .* was used for another request/,
      'nonce_reused',
    );
  });

  it('makes an identical resend safe: the recorded answer, said to be one', async () => {
    const what = request();
    const once = sign(what, { nonce: 'resend' });
    const first = await send(what, once);
    const again = await send(what, once);
    expect(first.statusCode).toBe(201);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect([again.statusCode, again.headers['idempotency-replayed'], again.body]).toEqual([201, 'true', first.body]);
    expect(notes).toHaveLength(1);
  });

  it("does not stand in another key's way", async () => {
    const sibling = await it_.key({ accountId: other.accountId });
    expect((await signedly({ nonce: 'shared' })).statusCode).toBe(201);
    expect((await signedly({ nonce: 'shared', apiKey: sibling, jwk: it_.pairOf(sibling) })).statusCode).toBe(201);
    expect(notes).toHaveLength(2);
  });

  it('of two requests at the same time serves one', async () => {
    const texts = ['a', 'b'].map((text) => JSON.stringify({ text }));
    const answers = await Promise.all(texts.map((body) => signedly({ nonce: 'race', body })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 401]);
    expect(notes).toHaveLength(1);
    const keyed = await Promise.all(
      ['k1', 'k2'].map((key) => signedly({ nonce: 'race-with-keys', headers: { 'idempotency-key': key } })),
    );
    expect(keyed.map(({ statusCode }) => statusCode).sort()).toEqual([201, 401]);
  });

  it('is forgotten when the signature is too old anyway, and not before', async () => {
    await it_.store.write((tx) => tx.signatureNonces.deleteExpired(Number.MAX_SAFE_INTEGER));
    const at = it_.now();
    await signedly({ nonce: 'swept', at });
    const sweep = (time: number) => it_.store.write((tx) => tx.signatureNonces.deleteExpired(time));
    expect(await sweep(at + 330_000)).toBe(0);
    expect(await sweep(at + 360_000)).toBe(1);
  });
});

describe('fifty identical requests at once', () => {
  it.each([
    ['with an Idempotency-Key', { 'idempotency-key': 'fifty' }],
    ['with the nonce alone', {}],
  ])('%s have one effect; the others are told to wait, and then get the answer', async (_, headers) => {
    const what = request({ headers });
    const once = sign(what);
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(what, once)));
    expect(notes).toHaveLength(1);
    const made = answers.filter(({ statusCode }) => statusCode === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(({ body }) => body)).size).toBe(1);
    for (const answer of answers.filter(({ statusCode }) => statusCode !== 201)) {
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([409, '1']);
      expect(answer.json().error.details.code).toBe('idempotency_in_flight');
    }
    const retried = await Promise.all(Array.from({ length: 50 }, () => send(what, once)));
    for (const answer of retried) {
      expect([answer.statusCode, answer.headers['idempotency-replayed'], answer.body]).toEqual([
        201,
        'true',
        made[0]?.body,
      ]);
    }
    expect(notes).toHaveLength(1);
  });
});

describe('a signature without another credential (family G)', () => {
  const g = (given: Given = {}) =>
    request({ apiKey: null, path: '/v1/governance/ballots', method: 'GET', body: null, ...given });
  const vote = (given: Given = {}) => g({ method: 'POST', body: '{"choice":"yes"}', ...given });

  it('says who asks, on reads and writes', async () => {
    const read = await send(g(), sign(g()));
    expect([read.statusCode, read.json()]).toEqual([200, { account: it_.accountId }]);
    const written = await send(vote(), sign(vote()));
    expect([written.statusCode, written.json()]).toEqual([201, { choice: 'yes' }]);
    expect(seen.map(({ accountId, credential }) => [accountId, credential.kind])).toEqual([
      [it_.accountId, 'api_key'],
      [it_.accountId, 'api_key'],
    ]);
    const theirs = await send(g(), sign(g(), { jwk: it_.pairOf(other.apiKey) }));
    expect(theirs.json()).toEqual({ account: other.accountId });
  });

  it('is refused where family G is not', async () => {
    const note = request({ apiKey: null });
    expect((await send(note, sign(note))).statusCode).toBe(401);
    const list = request({ apiKey: null, method: 'GET', body: null });
    expect((await send(list, sign(list))).statusCode).toBe(401);
  });

  it('is refused broken, stale, over another query, by an unknown key, or with another body', async () => {
    await expectRefused(send(g(), sign(g()), { path: '/v1/governance/ballots?page=2' }), /does not verify/);
    await expectRefused(send(g(), sign(g(), { at: it_.now() - 400_000 })), /s ago/);
    await expectRefused(send(g(), sign(g(), { jwk: it_.signingKeys.newPair().privateJwk })), /is not enrolled/);
    await expectRefused(send(vote(), sign(vote()), { body: '{"choice":"no"}' }), /Content-Digest/);
    expect((await send(g(), {})).statusCode).toBe(401);
    expect(seen).toHaveLength(0);
  });

  it('is refused when the credential that the key is enrolled for is revoked', async () => {
    const apiKey = await it_.key();
    const jwk = it_.pairOf(apiKey);
    expect((await send(g(), sign(g(), { jwk }))).statusCode).toBe(200);
    const record = (await it_.apiKeys.list(it_.accountId)).find(({ prefix }) => apiKey.startsWith(`ak_${prefix}`));
    await it_.apiKeys.revoke(it_.accountId, record?.keyId ?? '');
    expect((await send(g(), sign(g(), { jwk }))).statusCode).toBe(401);
  });

  it('has its role and scopes checked', async () => {
    const apiKey = await it_.key({ scopes: ['notes:read'] });
    expect((await send(g(), sign(g(), { jwk: it_.pairOf(apiKey) }))).statusCode).toBe(403);
  });
});

describe('SIGNATURE_POLICY=per-key', () => {
  it('spares a key that was issued so, whose signature must hold where it sends one; required spares none', async () => {
    const lax = await startHookApp({ signaturePolicy: 'per-key' });
    try {
      const apiKey = await lax.key({ requireSignature: false });
      const write = (app: HookApp, key: string, sign: boolean | PrivateJwk) =>
        app.inject({
          method: 'POST',
          url: '/api/v1/notes',
          headers: { authorization: `Bearer ${key}` },
          payload: { text: 'a' },
          sign,
        });
      expect((await write(lax, apiKey, false)).statusCode).toBe(201);
      expect((await write(lax, apiKey, true)).statusCode).toBe(201);
      expect((await write(lax, apiKey, lax.pairOf(lax.apiKey))).statusCode).toBe(401);
      expect((await write(lax, lax.apiKey, false)).statusCode).toBe(401);
      const strict = await it_.key({ requireSignature: false });
      expect((await write(it_, strict, false)).statusCode).toBe(401);
    } finally {
      await lax.close();
    }
  });
});
