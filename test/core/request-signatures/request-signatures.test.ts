import { createPublicKey, generateKeyPairSync, verify as nodeVerify } from 'node:crypto';
import fc from 'fast-check';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { createSecp256k1 } from '../../../src/core/keys/create-secp256k1.ts';
import { createAuthorities } from '../../../src/core/request-signatures/authorities.ts';
import { contentDigest, contentDigestProblem } from '../../../src/core/request-signatures/content-digest.ts';
import { requestSigner, signRequest } from '../../../src/core/request-signatures/sign-request.ts';
import {
  algorithmOf,
  type PrivateJwk,
  parsePublicJwk,
  publicJwkOf,
  thumbprintOf,
} from '../../../src/core/request-signatures/signing-algorithm.ts';
import {
  checkDigest,
  type ReceivedRequest,
  verifyRequest,
} from '../../../src/core/request-signatures/verify-request.ts';
import { createVerifyBytes, createVerifyMessage } from '../../../src/core/request-signatures/verify-signature.ts';

const NOW = 1_800_000_000;
const ORIGIN = 'https://api.example.com';
const curves = { ed25519: 'Ed25519', 'P-256': 'P-256', secp256k1: 'secp256k1' } as const;
const pairOf = (name: keyof typeof curves): PrivateJwk => {
  const { privateKey } =
    name === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: name });
  return privateKey.export({ format: 'jwk' }) as unknown as PrivateJwk;
};
const PAIRS = { ed25519: pairOf('ed25519'), 'P-256': pairOf('P-256'), secp256k1: pairOf('secp256k1') };

interface Sent {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

function signed(jwk: PrivateJwk, given: Partial<Sent> & { created?: number; nonce?: string } = {}): Sent {
  const {
    method = 'POST',
    target = '/api/v1/wallets?dry=1',
    body = Buffer.from('{"name":"a"}'),
    created = NOW,
  } = given;
  const headers = given.headers ?? { 'content-type': 'application/json', 'idempotency-key': 'order-1' };
  const added = signRequest({ method, url: ORIGIN + target, headers, body }, requestSigner(jwk), {
    created,
    nonce: given.nonce ?? 'n-1',
  });
  return { method, target, headers: { ...headers, ...added }, body };
}

const implementations = [createSecp256k1({ implementation: 'wasm' }), createSecp256k1()];

async function verifySent(sent: Sent, jwk: PrivateJwk, more: Partial<ReceivedRequest> & { now?: number } = {}) {
  const { now = NOW, ...rest } = more;
  const verified = await verifyRequest(
    {
      method: sent.method,
      origin: ORIGIN,
      target: sent.target,
      headers: sent.headers,
      parts: { body: sent.body !== null, idempotencyKey: sent.headers['idempotency-key'] !== undefined },
      secretBody: false,
      ...rest,
    },
    {
      verifyMessage: createVerifyMessage(createVerifyBytes(createSecp256k1())),
      resolveKey: () => publicJwkOf(jwk),
      now,
    },
  );
  if (sent.body !== null) checkDigest(sent.headers['content-digest'], contentDigest(sent.body));
  return verified;
}

const refusal = (sent: Sent, jwk: PrivateJwk = PAIRS.ed25519, more: Parameters<typeof verifySent>[2] = {}) =>
  verifySent(sent, jwk, more).then(
    () => {
      throw new Error('it was taken');
    },
    (error: unknown) => error as { code: string; message: string; details: { reason?: string; field?: string } },
  );

describe.each(Object.entries(PAIRS))('a request signed with %s', (_, jwk) => {
  it('verifies, with body and query and without', async () => {
    const verified = await verifySent(signed(jwk), jwk);
    expect(verified).toMatchObject({ keyId: thumbprintOf(publicJwkOf(jwk)), nonce: 'n-1', created: NOW });
    expect(verified.algorithm).toBe(algorithmOf(jwk));
    const bare = signed(jwk, { method: 'DELETE', target: '/api/v1/api-keys/key_1', body: null, headers: {} });
    expect(bare.headers['content-digest']).toBeUndefined();
    expect((await verifySent(bare, jwk)).base).toContain('"@query": ?\n');
  });

  it('has a base that openssl verifies, too', async () => {
    const { base, value } = await verifySent(signed(jwk), jwk);
    const key = createPublicKey({ key: publicJwkOf(jwk) as never, format: 'jwk' });
    const bytes = [Buffer.from(base), Buffer.from(value, 'base64')] as const;
    const holds =
      jwk.kty === 'OKP'
        ? nodeVerify(null, bytes[0], key, bytes[1])
        : nodeVerify('sha256', bytes[0], { key, dsaEncoding: 'ieee-p1363' }, bytes[1]);
    expect(holds).toBe(true);
  });

  it('fails under another key, and with a value that is cut', async () => {
    const sent = signed(jwk);
    const other = pairOf(jwk.crv === 'Ed25519' ? 'ed25519' : jwk.crv);
    expect((await refusal(sent, other)).message).toMatch(/does not verify/);
    for (const value of ['sig=::', 'sig=:AAAA:', `sig=:${Buffer.alloc(64, 255).toString('base64')}:`]) {
      expect((await refusal({ ...sent, headers: { ...sent.headers, signature: value } }, jwk)).code).toBe(
        'signature_invalid',
      );
    }
  });

  it('is refused when any byte of what it covers is another', async () => {
    const sent = signed(jwk);
    const names = ['content-type', 'content-digest', 'idempotency-key', 'signature-input', 'signature'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('method', 'target', 'body', ...names),
        fc.nat(),
        fc.integer({ min: 1, max: 127 }),
        async (part, place, change) => {
          const flip = (text: string): string => {
            const bytes = Buffer.from(text, 'latin1');
            const at = place % bytes.length;
            bytes[at] = (bytes[at] as number) ^ change;
            return bytes.toString('latin1');
          };
          const altered: Sent =
            part === 'method' || part === 'target'
              ? { ...sent, [part]: flip(sent[part]) }
              : part === 'body'
                ? { ...sent, body: Buffer.from(flip((sent.body as Buffer).toString('latin1')), 'latin1') }
                : { ...sent, headers: { ...sent.headers, [part]: flip(sent.headers[part] as string) } };
          // Base64 may be written with other unused bits: the value is then the same.
          const value = (one: Sent) => Buffer.from(one.headers.signature?.slice(5, -1) ?? '', 'base64').toString('hex');
          fc.pre(
            part !== 'signature' ||
              value(altered) !== value(sent) ||
              !/^sig=:.*:$/.test(altered.headers.signature ?? ''),
          );
          // A label is a name only, of both fields: changing it in both would change nothing. Here it differs in one.
          const { code } = await refusal(altered, jwk);
          expect(code).toBe('signature_invalid');
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('the rule', () => {
  const sent = signed(PAIRS.ed25519);
  const resigned = (change: (input: string) => string): Sent => ({
    ...sent,
    headers: { ...sent.headers, 'signature-input': change(sent.headers['signature-input'] as string) },
  });

  it.each([
    '@method',
    '@authority',
    '@path',
    '@query',
    'content-type',
    'content-digest',
    'idempotency-key',
  ])('wants %s covered, and says so', async (name) => {
    const { code, message } = await refusal(
      resigned((input) => input.replace(`"${name}" `, '').replace(` "${name}"`, '')),
    );
    expect(code).toBe('signature_invalid');
    expect(message).toContain(`does not cover ${name}`);
  });

  it.each([
    ['created', /;created=\d+/],
    ['keyid', /;keyid="[^"]*"/],
    ['nonce', /;nonce="[^"]*"/],
    ['tag', /;tag="[^"]*"/],
  ])('wants the parameter %s', async (name, pattern) => {
    expect((await refusal(resigned((input) => input.replace(pattern, '')))).message).toContain(
      `lacks the parameter ${name}`,
    );
  });

  it('tells several mistakes at once', async () => {
    const { message } = await refusal(resigned((input) => input.replace('"@path" ', '').replace(/;nonce="[^"]*"/, '')));
    expect(message).toMatch(/@path; .*nonce/);
  });

  it.each([
    ['another tag', (input: string) => input.replace('"ashlar"', '"other"'), /tag must be "ashlar"/],
    ['an empty nonce', (input: string) => input.replace(/;nonce="[^"]*"/, ';nonce=""'), /nonce must have/],
    ['a blank in the nonce', (input: string) => input.replace(/;nonce="[^"]*"/, ';nonce="a b"'), /nonce must have/],
    [
      'a nonce of 256 characters',
      (input: string) => input.replace(/;nonce="[^"]*"/, `;nonce="${'n'.repeat(256)}"`),
      /nonce must have/,
    ],
    ['the algorithm of another key', (input: string) => `${input};alg="ecdsa-p256-sha256"`, /ecdsa-p256-sha256/],
    ['HMAC', (input: string) => `${input};alg="hmac-sha256"`, /hmac-sha256/],
    ['alg none', (input: string) => `${input};alg="none"`, /none/],
    ['an expiry in the past', (input: string) => `${input};expires=${NOW - 31}`, /expired 31 s ago/],
    ['a parameter twice', (input: string) => `${input};nonce="x"`, /each parameter once/],
    ['a component twice', (input: string) => input.replace('"@path"', '"@path" "@path"'), /a component twice/],
    [
      'a component with a parameter',
      (input: string) => input.replace('"@path"', '"@path";sf'),
      /covers a component that is not supported/,
    ],
    ['a header that was not sent', (input: string) => input.replace('"@path"', '"@path" "x-other"'), /x-other/],
    ['no list', () => 'sig=1', /must look like/],
    ['nonsense', () => '(((', /must look like/],
  ])('refuses %s', async (_, change, message) => {
    const refused = await refusal(resigned(change));
    expect(refused.code).toBe('signature_invalid');
    expect(refused.message).toMatch(message);
  });

  it.each(['authorization', 'cookie', 'proxy-authorization'])('refuses a signature over %s', async (name) => {
    const withSecret = { ...sent, headers: { ...sent.headers, [name]: 'secret' } };
    withSecret.headers['signature-input'] = (sent.headers['signature-input'] as string).replace(
      '"@path"',
      `"@path" "${name}"`,
    );
    const { message, details } = await refusal(withSecret);
    expect(message).toContain(`covers ${name}`);
    expect(JSON.stringify([message, details])).not.toContain('"secret"');
  });

  it('takes a signature of 300 s and of 30 s ahead, and none beyond', async () => {
    const { ed25519: jwk } = PAIRS;
    await expect(verifySent(sent, jwk, { now: NOW + 300 })).resolves.toBeDefined();
    await expect(verifySent(sent, jwk, { now: NOW - 30 })).resolves.toBeDefined();
    expect((await refusal(sent, jwk, { now: NOW + 301 })).message).toMatch(/created 301 s ago/);
    expect((await refusal(sent, jwk, { now: NOW - 31 })).message).toMatch(/31 s in the future/);
  });

  it('takes exactly one signature, under any label', async () => {
    const { ed25519: jwk } = PAIRS;
    const input = sent.headers['signature-input'] as string;
    const value = sent.headers.signature as string;
    const renamed = { 'signature-input': input.replace(/^sig=/, 'mine='), signature: value.replace(/^sig=/, 'mine=') };
    await expect(verifySent({ ...sent, headers: { ...sent.headers, ...renamed } }, jwk)).resolves.toBeDefined();
    const two = {
      'signature-input': `${input}, ${renamed['signature-input']}`,
      signature: `${value}, ${renamed.signature}`,
    };
    expect((await refusal({ ...sent, headers: { ...sent.headers, ...two } })).message).toMatch(/exactly one/);
    const half = { ...sent.headers };
    delete half.signature;
    expect((await refusal({ ...sent, headers: half })).message).toMatch(/belong together/);
    expect((await refusal({ ...sent, headers: { 'content-type': 'application/json' } })).code).toBe(
      'signature_missing',
    );
  });

  it('takes more than it needs: other headers, and the whole target', async () => {
    const { ed25519: jwk } = PAIRS;
    const more = { ...sent.headers, date: 'Tue, 20 Apr 2021 02:07:55 GMT' };
    const input = (sent.headers['signature-input'] as string).replace('"@path"', '"@path" "date" "@target-uri"');
    const { details } = await refusal({ ...sent, headers: { ...more, 'signature-input': input } });
    expect(details.reason).toContain(`"date": ${more.date}\n"@target-uri": ${ORIGIN}${sent.target}`);
    await expect(verifySent({ ...sent, headers: more }, jwk)).resolves.toBeDefined();
  });

  it('shows the base that it computed where the value does not verify, without the digest of a body that holds a secret', async () => {
    const moved = { ...sent, target: '/api/v1/other' };
    const { message, details } = await refusal(moved);
    expect(message).toMatch(/does not verify/);
    expect(details.reason).toContain('"@path": /api/v1/other\n"@query": ?\n');
    const digest = `"content-digest": ${sent.headers['content-digest']}\n`;
    expect(details.reason).toContain(digest);
    const { reason } = (await refusal(moved, PAIRS.ed25519, { secretBody: true })).details;
    expect(reason).toBe(details.reason?.replace(digest, '"content-digest": (as it was sent)\n'));
  });

  it('says that the host is another by the base', async () => {
    const { details } = await refusal(sent, PAIRS.ed25519, { origin: 'https://elsewhere.example.com' });
    expect(details.reason).toContain('"@authority": elsewhere.example.com\n');
  });

  it('does not mind headers that are not ASCII', async () => {
    const odd = { ...sent, headers: { ...sent.headers, 'user-agent': 'caf\u00e9' } };
    await expect(verifySent(odd, PAIRS.ed25519)).resolves.toBeDefined();
  });
});

describe('Content-Digest', () => {
  const body = Buffer.from('{"hello": "world"}');
  it("is RFC 9530's", () => {
    expect(contentDigest(body)).toBe('sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:');
    expect(contentDigestProblem(contentDigest(body), contentDigest(body))).toBeNull();
    expect(contentDigestProblem(`sha-512=:AAAA:, ${contentDigest(body)}`, contentDigest(body))).toBeNull();
  });
  it.each([
    ['sha-512=:AAAA:', /has no sha-256/],
    ['sha-256=:AAAA:', /does not match/],
    ['sha-256=AAAA', /malformed/],
    ['', /malformed/],
    ['sha-256=:AAAA:, sha-256=:AAAA:', /twice/],
    ['sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE:', /does not match/],
  ])('"%s" is refused', (header, problem) =>
    expect(contentDigestProblem(header, contentDigest(body))).toMatch(problem));
});

describe('public keys', () => {
  it.each(Object.entries(PAIRS))('%s: thumbprint as jose computes it, other members left out', async (_, jwk) => {
    const given = { ...publicJwkOf(jwk), kid: 'x', use: 'sig', alg: 'any' };
    const parsed = parsePublicJwk(given);
    expect(parsed).toEqual(publicJwkOf(jwk));
    expect(thumbprintOf(parsed)).toBe(await calculateJwkThumbprint(publicJwkOf(jwk) as never, 'sha256'));
  });

  const { x } = PAIRS.ed25519;
  const point = publicJwkOf(PAIRS['P-256']);
  it.each([
    ['a private key', PAIRS.ed25519, /private key/],
    ['a shared key', { kty: 'oct', k: 'AAAA' }, /private key/],
    ['nothing', null, /JSON object/],
    ['a list', [], /JSON object/],
    ['RSA', { kty: 'RSA', n: 'AAAA', e: 'AQAB', x, y: x }, /Ed25519/],
    ['X25519', { kty: 'OKP', crv: 'X25519', x }, /Ed25519/],
    ['P-384', { kty: 'EC', crv: 'P-384', x, y: x }, /Ed25519/],
    ['a short x', { kty: 'OKP', crv: 'Ed25519', x: x.slice(0, 40) }, /x: 32 bytes/],
    ['padding', { kty: 'OKP', crv: 'Ed25519', x: `${x}=` }, /x: 32 bytes/],
    ['another way to write the last bits', { kty: 'OKP', crv: 'Ed25519', x: `${'A'.repeat(42)}B` }, /x: 32 bytes/],
    ['no y', { ...point, y: undefined }, /y: 32 bytes/],
    ['a point off the curve', { ...point, y: point.x }, /no point of the curve/],
  ])('refuses %s', (_, given, message) => {
    expect(() => parsePublicJwk(given)).toThrow(message);
    expect(() => parsePublicJwk(given)).toThrow(expect.objectContaining({ code: 'invalid_value' }));
  });
});

describe('authorities', () => {
  const find = createAuthorities(['https://api.example.com', 'http://127.0.0.1:3000', 'http://plain.example']);
  it.each([
    ['api.example.com', 'https://api.example.com'],
    ['API.Example.com', 'https://api.example.com'],
    ['api.example.com:443', 'https://api.example.com'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['plain.example:80', 'http://plain.example'],
    ['api.example.com:80', null],
    ['127.0.0.1', null],
    ['evil.example', null],
    ['', null],
  ])('"%s" stands for %s', (host, origin) => expect(find(host)).toBe(origin));
});

it('verifies secp256k1 with either implementation, high S too', async () => {
  const jwk = PAIRS.secp256k1;
  for (const ecc of implementations) {
    const verifyMessage = createVerifyMessage(createVerifyBytes(ecc));
    // OpenSSL makes high S half of the time.
    for (let round = 0; round < 12; round++) {
      const sent = signed(jwk, { nonce: `n-${round}` });
      const message = {
        method: sent.method,
        origin: ORIGIN,
        target: sent.target,
        headers: sent.headers,
        parts: { body: true, idempotencyKey: true },
        secretBody: false,
      };
      await expect(
        verifyRequest(message, { verifyMessage, resolveKey: () => publicJwkOf(jwk), now: NOW }),
      ).resolves.toMatchObject({ algorithm: 'ecdsa-secp256k1-sha256' });
    }
  }
});
