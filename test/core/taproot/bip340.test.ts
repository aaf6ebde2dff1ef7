import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { schnorrProblem, schnorrSign } from '../../../src/core/taproot/bip340.ts';
import { schnorrVectors } from './taproot-vectors.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'hex');
const vectors = schnorrVectors();

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
  if (vectors === null) {
    it.skip('signatures (the folder ../shared/vectors is not here)', () => {});
    return;
  }
  it('are all there', () => expect(vectors).toHaveLength(19));
  it.each(vectors)('$index $comment', ({ index, secretKey, publicKey, aux, message, signature, valid }) => {
    if (secretKey !== '') {
      const made = schnorrSign(bytes(message), bytes(secretKey), bytes(aux));
      expect(Buffer.from(made).toString('hex')).toBe(signature.toLowerCase());
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

  it('need a private key, and 64 bytes', () => {
    for (const key of [new Uint8Array(32), new Uint8Array(32).fill(255), new Uint8Array(31).fill(1)]) {
      expect(() => schnorrSign(new Uint8Array(32), key, new Uint8Array(32))).toThrow(/not a private key/);
    }
    const publicKey = ecc.xOnlyPointFromScalar(new Uint8Array(32).fill(1));
    expect(schnorrProblem(new Uint8Array(32), publicKey, new Uint8Array(65))).toBe('signature_size');
  });
});
