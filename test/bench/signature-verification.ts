/**
 * Verifying request signatures: microseconds and requests per second on one core, for each algorithm, against its bare verification
 * over the same bytes; and secp256k1 by OpenSSL against libsecp256k1. CPU time, so that other work on the machine does not count.
 * Run: node test/bench/signature-verification.ts
 */
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { createSecp256k1, nativeSecp256k1Loads } from '../../src/core/keys/create-secp256k1.ts';
import { contentDigest } from '../../src/core/request-signatures/content-digest.ts';
import { requestSigner, signRequest } from '../../src/core/request-signatures/sign-request.ts';
import { type PrivateJwk, publicJwkOf } from '../../src/core/request-signatures/signing-algorithm.ts';
import { checkDigest, verifyRequest } from '../../src/core/request-signatures/verify-request.ts';
import { createVerifyBytes, createVerifyMessage } from '../../src/core/request-signatures/verify-signature.ts';

const ORIGIN = 'https://api.example.com';
const TARGET = '/api/v1/transactions?dry_run=false';
const BODY = Buffer.from('{"recipients":[{"address":"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080","amount":"0.5"}]}');
const NOW = 1_800_000_000;
const ROUNDS = 5;
const PER_ROUND = 2_000;

const pair = (name: 'ed25519' | 'P-256' | 'secp256k1'): PrivateJwk => {
  const { privateKey } =
    name === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: name });
  return privateKey.export({ format: 'jwk' }) as unknown as PrivateJwk;
};

/** Median over rounds of the CPU microseconds of one call. */
async function cost(call: () => unknown): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let i = 0; i < PER_ROUND; i++) await call();
    const { user, system } = process.cpuUsage(before);
    if (round > 0) costs.push((user + system) / PER_ROUND);
  }
  return costs.sort((a, b) => a - b)[costs.length >> 1] as number;
}

function signedRequest(jwk: PrivateJwk) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'order-1138' };
  const added = signRequest({ method: 'POST', url: ORIGIN + TARGET, headers, body: BODY }, requestSigner(jwk), {
    created: NOW,
    nonce: 'b3k2pp5k7z50gnwp',
  });
  return {
    method: 'POST',
    origin: ORIGIN,
    target: TARGET,
    headers: { host: 'api.example.com', authorization: 'Bearer ak_', 'user-agent': 'bench', ...headers, ...added },
    parts: { body: true, idempotencyKey: true },
    secretBody: false,
  };
}

console.log('algorithm               request us   per second   bare us   beside it us');
for (const name of ['ed25519', 'P-256', 'secp256k1'] as const) {
  const jwk = pair(name);
  const publicJwk = publicJwkOf(jwk);
  const verifyBytes = createVerifyBytes(createSecp256k1());
  const verifyMessage = createVerifyMessage(verifyBytes);
  const request = signedRequest(jwk);
  const whole = async () => {
    await verifyRequest(request, { verifyMessage, resolveKey: () => publicJwk, now: NOW });
    checkDigest((request.headers as Record<string, string>)['content-digest'], contentDigest(BODY));
  };
  const { base, value, algorithm } = await verifyRequest(request, {
    verifyMessage,
    resolveKey: () => publicJwk,
    now: NOW,
  });
  const bytes = [Buffer.from(base), Buffer.from(value, 'base64')] as const;
  const request_ = await cost(whole);
  const bare = await cost(() => verifyBytes(publicJwk, ...bytes));
  console.log(
    `${algorithm.padEnd(22)} ${request_.toFixed(1).padStart(10)} ${(1e6 / request_).toFixed(0).padStart(12)} ${bare.toFixed(1).padStart(9)} ${(request_ - bare).toFixed(1).padStart(14)}`,
  );
}

const jwk = pair('secp256k1');
const { base, value } = await verifyRequest(signedRequest(jwk), {
  verifyMessage: createVerifyMessage(createVerifyBytes(createSecp256k1())),
  resolveKey: () => publicJwkOf(jwk),
  now: NOW,
});
const key = createPublicKey({ key: publicJwkOf(jwk) as never, format: 'jwk' });
const signature = Buffer.from(value, 'base64');
const point = Buffer.concat([
  Buffer.of(4),
  ...(['x', 'y'] as const).map((name) => Buffer.from((jwk as never)[name], 'base64url')),
]);
console.log('\nsecp256k1 over one base, microseconds');
console.log(
  `OpenSSL               ${(await cost(() => verify('sha256', Buffer.from(base), { key, dsaEncoding: 'ieee-p1363' }, signature))).toFixed(1).padStart(10)}`,
);
for (const implementation of nativeSecp256k1Loads ? (['native', 'wasm'] as const) : (['wasm'] as const)) {
  const ecc = createSecp256k1({ implementation });
  const us = await cost(() => ecc.verify(createHash('sha256').update(base).digest(), point, signature));
  console.log(`libsecp256k1, ${implementation.padEnd(7)} ${us.toFixed(1).padStart(10)}`);
}
