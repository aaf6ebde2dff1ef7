/** Signatures are checked whatever else fills the thread pool. */
import { generateKeyPairSync, pbkdf2, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createSecp256k1 } from '../../../src/core/keys/create-secp256k1.ts';
import type { PublicJwk } from '../../../src/core/request-signatures/signing-algorithm.ts';
import { createVerifyBytes } from '../../../src/core/request-signatures/verify-signature.ts';

const derive = promisify(pbkdf2);

it('signatures are checked while every thread of the pool derives keys, but for the few that wait for one', async () => {
  const verifyBytes = createVerifyBytes(createSecp256k1());
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwk = publicKey.export({ format: 'jwk' }) as PublicJwk;
  const bytes = randomBytes(100);
  const signature = sign(null, bytes, privateKey);
  const derived = Array.from({ length: 8 }, () => derive('a passphrase', 'salt', 600_000, 64, 'sha512'));
  const checks = Array.from({ length: 50 }, () => verifyBytes(jwk, bytes, signature));
  expect(checks.filter((check) => typeof check === 'boolean')).toHaveLength(46);
  expect(verifyBytes(jwk, randomBytes(100), signature)).toBe(false);
  expect(new Set(await Promise.all(checks))).toEqual(new Set([true]));
  await Promise.all(derived);
  // The pool is free again, and it is where they are checked.
  expect(verifyBytes(jwk, bytes, signature)).toBeInstanceOf(Promise);
});
