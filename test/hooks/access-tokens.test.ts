/** Which access tokens open the door, and that all others are refused with 401 and error="invalid_token". */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import Fastify, { type FastifyInstance } from 'fastify';
import { CompactSign, decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hookLayer } from '../../src/hooks/index.ts';
import type { CredentialForm, Family } from '../../src/hooks/operation.ts';
import type { RouteDeclaration } from '../../src/hooks/register-operations.ts';
import { serverOptions } from '../../src/hooks/server-options.ts';
import type { Caller } from '../../src/services/requests/request-context.ts';
import type { TokenClaims } from '../../src/services/tokens/token-claims.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createNoLimits } from '../builders/no-limits.ts';
import { accountRecord } from '../builders/store-records.ts';
import { subjectsOf, TEST_ISSUER, testCaller, testSubject, tokenParts } from '../builders/token-parts.ts';
import { collectedLog } from '../secrets/collected.ts';

const log = collectedLog();
const folder = mkdtempSync(join(tmpdir(), 'ashlar-tokens-'));
const subjects = new Map<string, Caller>();
let offset = 0;
const clock = () => Date.now() + offset;
let store: Store;
let tokens: ReturnType<typeof tokenParts>;
let app: FastifyInstance;

const READ: RouteDeclaration = {
  id: 'note.list',
  family: 'a',
  effect: 'read',
  access: { scope: 'notes:read', role: 'viewer' },
  limitClass: 'standard',
};

beforeAll(async () => {
  store = await openSqliteStore({ path: join(folder, 'ashlar.db'), role: 'service', log, clock });
  await store.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
  tokens = tokenParts(store, clock);
  tokens.accessTokens.registerSubjects('oauth_client', subjectsOf(subjects));
  tokens.accessTokens.registerSubjects('person', subjectsOf(subjects));
  app = Fastify(serverOptions({ log, randomBytes, trustProxy: false })) as unknown as FastifyInstance;
  const noApiKeys = {
    verifyCached: () => null,
    verify: async (): Promise<Caller> => {
      throw new Error('an access token was taken for an API key');
    },
  };
  await app.register(hookLayer, {
    apiKeys: noApiKeys,
    tokens,
    metrics: null,
    counters: createNoLimits(Date.now),
  } as never);
  const route = (url: string, declaration: Partial<RouteDeclaration>) =>
    app.route({
      method: 'GET',
      url,
      config: { declaration: { ...READ, ...declaration } },
      handler: async (request) => ({ caller: request.caller, form: request.credentialForm }),
    });
  route('/notes', {});
  route('/admin', { id: 'note.administer', access: { scope: 'notes:write', role: 'admin' } });
  for (const family of ['a', 'c', 'd', 'e', 'f', 'g'] as const satisfies readonly Family[]) {
    route(`/of-${family}`, { id: `note.of-${family}`, family });
  }
  await app.ready();
});
afterAll(async () => {
  await app.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  subjects.clear();
  subjects.set('cli_test', testCaller());
  subjects.set('usr_test', testCaller({ kind: 'person', id: 'usr_test', signingKey: 'none' }));
});

const get = (token: string, url = '/notes') =>
  app.inject({ url, headers: { authorization: `Bearer ${token}` }, remoteAddress: '10.0.0.1' });
const issue = async (given: Parameters<typeof testSubject>[0] = {}) =>
  (await tokens.accessTokens.issue(testSubject(given))).token;

async function expectRefused(token: string, reason: RegExp): Promise<void> {
  // Twice: what was refused must not be known as verified.
  for (const response of [await get(token), await get(token)]) {
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toContain('error="invalid_token"');
    expect(response.json().error.message).toMatch(reason);
    // In words of ours, not of the library.
    expect(response.json().error.message).not.toMatch(/The \w+ claim|The token|Invalid|FAST_JWT/);
    const signature = token.split('.')[2] ?? '';
    if (signature.length > 40) expect(response.body).not.toContain(signature);
  }
}

/** A token signed with the service's own key, but for what is given. */
async function forge(given: {
  header?: object;
  claims?: Record<string, unknown>;
  without?: string[];
  key?: KeyObject | Uint8Array;
}) {
  const { keyId, privateKey } = await tokens.keys.signer();
  const now = Math.floor(clock() / 1000);
  const claims: Record<string, unknown> = {
    iss: TEST_ISSUER,
    aud: TEST_ISSUER,
    sub: 'cli_test',
    client_id: 'cli_test',
    account: 'acc_one',
    scope: '*',
    iat: now,
    exp: now + 600,
    jti: `tok_${randomBytes(8).toString('hex')}`,
    ...given.claims,
  };
  for (const claim of given.without ?? []) delete claims[claim];
  const header = { alg: 'EdDSA', typ: 'at+jwt', kid: keyId, ...given.header };
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader(header as { alg: string })
    .sign(given.key ?? privateKey);
}

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an access token', () => {
  it('is one of RFC 9068 and opens the door', async () => {
    const { token, expiresInSeconds } = await tokens.accessTokens.issue(testSubject({ scopes: ['notes:read'] }));
    expect(decodeProtectedHeader(token)).toEqual({
      alg: 'EdDSA',
      typ: 'at+jwt',
      kid: (await tokens.keys.published())[0]?.kid,
    });
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({
      iss: TEST_ISSUER,
      aud: TEST_ISSUER,
      sub: 'cli_test',
      client_id: 'cli_test',
      scope: 'notes:read',
      account: 'acc_one',
      jti: expect.stringMatching(/^tok_/),
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(900);
    expect(expiresInSeconds).toBe(900);
    const response = await get(token);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      form: 'oauth_token',
      caller: { accountId: 'acc_one', credential: { kind: 'oauth_client', id: 'cli_test', scopes: ['notes:read'] } },
    });
  });

  it('made by the same means as the forged ones is good', async () => {
    expect((await get(await forge({}))).statusCode).toBe(200);
  });

  it('of a person signs with the key of its login, or with none', async () => {
    const person = { kind: 'person', id: 'usr_test', sessionId: 'ses_1' } as const;
    const bound = await get(await issue({ ...person, boundKeyId: 'thumbprint' }));
    expect(bound.json()).toMatchObject({
      form: 'user_token',
      caller: { credential: { signingKey: { keyId: 'thumbprint' } } },
    });
    expect((await get(await issue(person))).json().caller.credential.signingKey).toBe('none');
  });

  it('stands for what its subject may do now, within what it was issued for', async () => {
    const token = await issue({ scopes: ['notes:write', 'wallets:read'] });
    expect((await get(token, '/admin')).statusCode).toBe(403);
    subjects.set('cli_test', testCaller({ role: 'admin' }));
    expect((await get(token, '/admin')).statusCode).toBe(200);
    subjects.set('cli_test', testCaller({ role: 'viewer', scopes: ['notes:read'] }));
    expect((await get(token, '/admin')).statusCode).toBe(403);
    const demoted = await get(token);
    expect(demoted.json().caller.credential).toMatchObject({ role: 'viewer', scopes: ['notes:read'] });
    subjects.set('cli_test', testCaller({ scopes: ['contracts:read'] }));
    expect((await get(token)).statusCode).toBe(403);
  });
});

describe('refuses a token', () => {
  it('with alg none, signed or not', async () => {
    const [, payload] = (await forge({})).split('.');
    const { keyId } = await tokens.keys.signer();
    const header = base64url({ alg: 'none', typ: 'at+jwt', kid: keyId });
    await expectRefused(`${header}.${payload}.`, /not valid/);
    await expectRefused(`${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`, /not valid/);
  });

  it('whose signature was taken away', async () => {
    const token = await forge({});
    await expectRefused(token.slice(0, token.lastIndexOf('.') + 1), /not valid/);
  });

  it('signed by HMAC with the public key as its secret, in every form of that key', async () => {
    const { keyId, privateKey } = await tokens.keys.signer();
    const publicKey = createPublicKey(privateKey);
    const secrets = [
      publicKey.export({ type: 'spki', format: 'pem' }) as string,
      publicKey.export({ type: 'spki', format: 'der' }),
      Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url'),
      JSON.stringify((await tokens.keys.published())[0]),
    ];
    for (const secret of secrets) {
      const key = typeof secret === 'string' ? Buffer.from(secret) : secret;
      await expectRefused(await forge({ header: { alg: 'HS256', kid: keyId }, key }), /not valid/);
    }
  });

  it.each([
    ['another typ', { header: { typ: 'JWT' } }],
    ['no typ', { header: { typ: undefined } }],
    ['an audience that is another', { claims: { aud: 'https://elsewhere.test' } }],
    ['an issuer that is another', { claims: { iss: 'https://elsewhere.test' } }],
    ['an exp that is no number', { claims: { exp: 'tomorrow' } }],
    ['a scope that is no string', { claims: { scope: ['*'] } }],
    ['an unknown kid', { header: { kid: 'nobody' } }],
    ['a kid that is a path', { header: { kid: '../../etc/passwd' } }],
    ['no kid', { header: { kid: undefined } }],
    ['an extension that must be understood', { header: { crit: ['b64'], b64: true } }],
  ])('with %s', async (_, given) => {
    await expectRefused(await forge(given), /not valid/);
  });

  it.each(['exp', 'iss', 'aud', 'sub', 'jti', 'iat', 'client_id', 'account', 'scope'])('without %s', async (claim) => {
    await expectRefused(await forge({ without: [claim] }), new RegExp(`not valid.*${claim}`));
  });

  it('that is not valid yet', async () => {
    await expectRefused(await forge({ claims: { nbf: Math.floor(clock() / 1000) + 60 } }), /not valid/);
  });

  it('signed with a key of somebody else under a kid of ours, or with one that it brings along', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    await expectRefused(await forge({ key: privateKey }), /not valid/);
    const jwk = publicKey.export({ format: 'jwk' });
    await expectRefused(await forge({ key: privateKey, header: { jwk } }), /not valid/);
  });

  it('of which a byte was changed', async () => {
    const [header = '', , signature = ''] = (await forge({})).split('.');
    const claims = decodeJwt(await forge({ claims: { scope: 'notes:read' } }));
    await expectRefused(`${header}.${base64url({ ...claims, scope: '*' })}.${signature}`, /not valid/);
    await expectRefused(`${header}.${base64url({ ...claims, sub: 'usr_test' })}.${signature}`, /not valid/);
  });

  it('of which any one character was changed, left out or added', async () => {
    const token = await issue();
    expect((await get(token)).statusCode).toBe(200);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const changed = fc
      .tuple(fc.nat(token.length - 1), fc.constantFrom(...alphabet, ''), fc.constantFrom(0, 1))
      .map(([at, character, kept]) => token.slice(0, at) + character + token.slice(at + 1 - kept))
      .filter((text) => text !== token);
    await fc.assert(
      fc.asyncProperty(changed, async (text) => {
        expect((await get(text)).statusCode).toBe(401);
      }),
      {
        numRuns: 300,
        examples: [...alphabet]
          .map((character) => `${token.slice(0, -1)}${character}`)
          .filter((text) => text !== token)
          .map((text): [string] => [text]),
      },
    );
  });

  it('that is no token though it has two dots', async () => {
    await expectRefused('a.b.c', /not valid/);
    await expectRefused(`${base64url([])}.${base64url('x')}.AAAA`, /not valid/);
  });

  it('that has expired, from its second on, though it was good a moment ago', async () => {
    const token = await issue();
    expect((await get(token)).statusCode).toBe(200);
    const before = offset;
    offset += Number(decodeJwt(token).exp) * 1000 - clock() + 1;
    await expectRefused(token, /expired/);
    offset = before;
  });

  it('that was revoked, though it was good a moment ago; another of the same client stays', async () => {
    const [token, other] = [await issue(), await issue()];
    expect((await get(token)).statusCode).toBe(200);
    expect((await get(other)).statusCode).toBe(200);
    const claims: TokenClaims = await tokens.accessTokens.claimsOf(token);
    await store.write((tx) => tokens.accessTokens.revoke(tx, claims));
    await expectRefused(token, /revoked/);
    expect((await get(other)).statusCode).toBe(200);
  });

  it('whose subject is gone, or is of another account now', async () => {
    const token = await issue();
    expect((await get(token)).statusCode).toBe(200);
    subjects.delete('cli_test');
    await expectRefused(token, /disabled or revoked/);
    subjects.set('cli_test', testCaller({ accountId: 'acc_two' }));
    await expectRefused(token, /disabled or revoked/);
  });

  it('signed with a key that was revoked, at once; its successor signs at once', async () => {
    const token = await issue();
    expect((await get(token)).statusCode).toBe(200);
    const { keyId } = await tokens.keys.signer();
    await tokens.keys.revoke(keyId);
    await expectRefused(token, /no longer published/);
    expect((await get(await issue())).statusCode).toBe(200);
    expect((await tokens.keys.published()).map(({ kid }) => kid)).not.toContain(keyId);
  });

  it('signed with a key that was rotated away', async () => {
    const { keyId, privateKey } = await tokens.keys.signer();
    await tokens.keys.rotate();
    const before = offset;
    offset += 60 * 60 * 1000;
    const late = Math.floor(clock() / 1000);
    await expectRefused(
      await new SignJWT({ client_id: 'cli_test', account: 'acc_one', scope: '*' })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: keyId })
        .setIssuer(TEST_ISSUER)
        .setAudience(TEST_ISSUER)
        .setSubject('cli_test')
        .setJti('tok_late')
        .setIssuedAt(late)
        .setExpirationTime(late + 600)
        .sign(createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))),
      /none that is published/,
    );
    offset = before;
  });
});

describe('the form of a credential', () => {
  const tokenOf: Record<'oauth_token' | 'user_token', () => Promise<string>> = {
    oauth_token: () => issue(),
    user_token: () => issue({ kind: 'person', id: 'usr_test', sessionId: 'ses_1' }),
  };
  it.each([
    ['a', 'oauth_token', 200],
    ['a', 'user_token', 200],
    ['c', 'oauth_token', 200],
    ['d', 'oauth_token', 200],
    ['d', 'user_token', 200],
    ['e', 'oauth_token', 200],
    ['e', 'user_token', 401],
    ['f', 'oauth_token', 401],
    ['f', 'user_token', 401],
    ['g', 'oauth_token', 401],
    ['g', 'user_token', 401],
  ] as const satisfies readonly [
    Family,
    CredentialForm,
    number,
  ][])('family %s, %s: %i', async (family, form, status) => {
    const response = await get(await tokenOf[form](), `/of-${family}`);
    expect(response.statusCode).toBe(status);
    if (status === 401) expect(response.json().error.message).toMatch(/this takes .* was presented/);
  });
});
