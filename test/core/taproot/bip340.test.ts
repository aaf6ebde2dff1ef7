import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { schnorrProblem, schnorrSign } from '../../../src/core/taproot/bip340.ts';
import { schnorrVectors } from './taproot-vectors.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'hex');

/** What is wrong with the signatures that do not hold, by the vectors' index. */
const PROBLEMS: Readonly<Record<string, string>> = {
  5: 'public_key_not_on_curve',
  6: 'signature_mismatch',
  7: 'signature_mismatch',
  8: 'signature_mismatch',
  9: 'signature_mismatch',
  10: 'signature_mismatch',
  11: 'signature_mismatch',
  12: 'r_out_of_range',
  13: 's_out_of_range',
  14: 'public_key_not_on_curve',
};

describe('BIP340 vectors', () => {
  it('are all there', () => expect(schnorrVectors).toHaveLength(19));
  it.each(schnorrVectors)('$index', ({ index, secretKey, publicKey, aux, message, signature, valid }) => {
    if (secretKey !== '') {
      const made = schnorrSign(bytes(message), bytes(secretKey), bytes(aux));
      expect(Buffer.from(made).toString('hex')).toBe(signature);
    }
    expect(schnorrProblem(bytes(message), bytes(publicKey), bytes(signature))).toBe(
      valid ? null : (PROBLEMS[index] ?? 'no problem is expected'),
    );
  });
});

const privateKey = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((candidate) => ecc.isPrivate(candidate))
  .map((key) => Uint8Array.from(key));

describe('signatures', () => {
  it('hold over messages of any length, and over nothing else', () => {
    const message = fc.oneof(fc.uint8Array({ maxLength: 100 }), fc.uint8Array({ minLength: 32, maxLength: 32 }));
    const aux = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(privateKey, message, aux, fc.nat(), fc.nat(7), (key, text, randomness, place, bit) => {
        const publicKey = ecc.xOnlyPointFromScalar(key);
        const signature = schnorrSign(text, key, randomness);
        expect(schnorrProblem(text, publicKey, signature)).toBeNull();
        const flipped = Uint8Array.from(signature);
        flipped[place % 64] = (flipped[place % 64] as number) ^ (1 << bit);
        expect(schnorrProblem(text, publicKey, flipped)).not.toBeNull();
        expect(schnorrProblem(Buffer.concat([text, Uint8Array.of(0)]), publicKey, signature)).toBe(
          'signature_mismatch',
        );
      }),
      { numRuns: 25 },
    );
  });

  it('do not hold where the nonce has an odd y', () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
    const key = new Uint8Array(32).fill(1);
    const publicKey = ecc.xOnlyPointFromScalar(key);
    const secret = ecc.pointFromScalar(key, true)![0] === 2 ? number(key) : order - number(key);
    const tag = createHash('sha256').update('BIP0340/challenge').digest();
    for (const length of [31, 32, 33]) {
      const text = new Uint8Array(length).fill(5);
      const signature = schnorrSign(text, key, new Uint8Array(32));
      const hash = createHash('sha256').update(tag).update(tag).update(signature.subarray(0, 32));
      const challenge = number(hash.update(publicKey).update(text).digest());
      // s = k + e·d becomes e·d - k: the same r, by the point on the other side.
      const other = (((2n * challenge * secret - number(signature.subarray(32))) % order) + order) % order;
      const s = Buffer.from(other.toString(16).padStart(64, '0'), 'hex');
      const mirrored = Buffer.concat([signature.subarray(0, 32), s]);
      expect(schnorrProblem(text, publicKey, mirrored)).toBe('signature_mismatch');
    }
  });

  it('need a private key, and 64 bytes', () => {
    for (const key of [new Uint8Array(32), new Uint8Array(32).fill(255), new Uint8Array(31).fill(1)]) {
      expect(() => schnorrSign(new Uint8Array(32), key, new Uint8Array(32))).toThrow(/not a private key/);
    }
    const publicKey = ecc.xOnlyPointFromScalar(new Uint8Array(32).fill(1));
    expect(schnorrProblem(new Uint8Array(32), publicKey, new Uint8Array(65))).toBe('signature_size');
  });
});
