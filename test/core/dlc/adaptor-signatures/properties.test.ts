import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decryptSignature,
  recoverDecryptionKey,
} from '../../../../src/core/dlc/adaptor-signatures/decrypt-signature.ts';
import { encryptSign, encryptSignAll } from '../../../../src/core/dlc/adaptor-signatures/encrypt-sign.ts';
import {
  firstInvalid,
  verifyAdaptorSignature,
} from '../../../../src/core/dlc/adaptor-signatures/verify-adaptor-signature.ts';
import { basePlusPoint, basePlusPointPlainly } from '../../../../src/core/keys/base-plus-point.ts';
import { CURVE_ORDER, scalarBytes, scalarOf } from '../../../../src/core/keys/scalars.ts';
import { arbitraryHash, arbitraryScalar, CURVES } from '../curves.ts';
import { hex } from '../hex.ts';

/** Randomness that repeats with its seed, of which no two draws are the same. */
const seeded = (seed: number) => {
  let drawn = 0;
  return (size: number): Uint8Array =>
    Uint8Array.from(createHash('shake256', { outputLength: size }).update(`${seed} ${drawn++}`).digest());
};
const stuck = (size: number): Uint8Array => new Uint8Array(size).fill(7);
const flipped = (bytes: Uint8Array, at: number, mask: number): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  copy[at]! ^= mask;
  return copy;
};
const halfOrder = CURVE_ORDER / 2n;

describe.each(CURVES)('adaptor signatures (%s)', (_, ecc) => {
  const others = CURVES.map(([, curve]) => curve);
  const point = (secret: Uint8Array, compressed = true) => ecc.pointFromScalar(secret, compressed) as Uint8Array;

  it('verify with exactly their key, point and hash; open to a low-s signature; and give the scalar away', () => {
    fc.assert(
      fc.property(
        fc.tuple(arbitraryScalar, arbitraryScalar, arbitraryHash),
        fc.tuple(arbitraryScalar, arbitraryScalar, arbitraryHash),
        fc.nat(),
        ([key, secret, hash], [otherKey, otherSecret, otherHash], seed) => {
          fc.pre(hex(key) !== hex(otherKey) && hex(secret) !== hex(otherSecret) && hex(hash) !== hex(otherHash));
          const [X, Y] = [point(key), point(secret)];
          const signature = encryptSign(hash, key, Y, { ecc, randomBytes: seeded(seed) });
          for (const curve of others) {
            expect(verifyAdaptorSignature(signature, hash, X, Y, { ecc: curve })).toBe(true);
          }
          expect(verifyAdaptorSignature(signature, hash, X, point(secret, false), { ecc })).toBe(true);
          expect(verifyAdaptorSignature(signature, otherHash, X, Y, { ecc })).toBe(false);
          expect(verifyAdaptorSignature(signature, hash, point(otherKey), Y, { ecc })).toBe(false);
          expect(verifyAdaptorSignature(signature, hash, X, point(otherSecret), { ecc })).toBe(false);

          const opened = decryptSignature(signature, secret);
          expect(ecc.verifyEcdsa(hash, X, opened)).toBe(true);
          expect(scalarOf(opened.subarray(32)) <= halfOrder).toBe(true);
          expect(ecc.verifyEcdsa(hash, X, decryptSignature(signature, otherSecret))).toBe(false);
          expect(hex(recoverDecryptionKey(signature, opened, Y))).toBe(hex(secret));
          const high = Uint8Array.from(opened);
          high.set(scalarBytes(CURVE_ORDER - scalarOf(opened.subarray(32))), 32);
          expect(hex(recoverDecryptionKey(signature, high, Y))).toBe(hex(secret));
          expect(recoverDecryptionKey(signature, opened, point(otherSecret))).toBeNull();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('are refused with any byte edited, or cut or added', () => {
    fc.assert(
      fc.property(
        arbitraryScalar,
        arbitraryScalar,
        arbitraryHash,
        fc.integer({ min: 1, max: 255 }),
        (key, secret, hash, mask) => {
          const [X, Y] = [point(key), point(secret)];
          const signature = encryptSign(hash, key, Y, { ecc, randomBytes: seeded(mask) });
          for (let at = 0; at < 162; at++) {
            expect(verifyAdaptorSignature(flipped(signature, at, mask), hash, X, Y, { ecc }), `byte ${at}`).toBe(false);
          }
          expect(verifyAdaptorSignature(signature.subarray(0, 161), hash, X, Y, { ecc })).toBe(false);
          expect(verifyAdaptorSignature(Uint8Array.of(...signature, 0), hash, X, Y, { ecc })).toBe(false);
        },
      ),
      { numRuns: 3 },
    );
  });

  it('with s_a negated are refused, though they would open', () => {
    const [key, secret, hash] = [scalarBytes(11n), scalarBytes(12n), new Uint8Array(32).fill(3)];
    const signature = encryptSign(hash, key, point(secret), { ecc, randomBytes: seeded(1) });
    signature.set(ecc.privateNegate(signature.slice(66, 98)), 66);
    expect(ecc.verifyEcdsa(hash, point(key), decryptSignature(signature, secret))).toBe(true);
    expect(verifyAdaptorSignature(signature, hash, point(key), point(secret), { ecc })).toBe(false);
  });

  it('have a nonce that each of key, hash, point and randomness changes', () => {
    const [key, secret, hash] = [scalarBytes(11n), scalarBytes(12n), new Uint8Array(32).fill(3)];
    const nonce = (...[h, k, y, randomBytes]: [Uint8Array, Uint8Array, Uint8Array, (size: number) => Uint8Array]) =>
      hex(encryptSign(h, k, y, { ecc, randomBytes }).subarray(33, 66));
    const nonces = [
      nonce(hash, key, point(secret), stuck),
      nonce(flipped(hash, 0, 1), key, point(secret), stuck),
      nonce(hash, scalarBytes(13n), point(secret), stuck),
      nonce(hash, key, point(key), stuck),
      nonce(hash, key, ecc.pointFromScalar(ecc.privateNegate(secret)) as Uint8Array, stuck),
      nonce(hash, key, point(secret), seeded(1)),
    ];
    expect(new Set(nonces).size).toBe(nonces.length);
    // With randomness that fails it is the key, the hash and the point alone.
    expect(nonce(hash, key, point(secret), stuck)).toBe(nonces[0]);
  });

  it('sign and verify by the batch as one by one, and name the first that is wrong', () => {
    const key = scalarBytes(99n);
    const items = Array.from({ length: 12 }, (_, at) => ({
      messageHash: new Uint8Array(32).fill(at),
      encryptionPoint: point(scalarBytes(BigInt(at + 2)), at % 2 === 0),
    }));
    const signatures = encryptSignAll(items, key, { ecc, randomBytes: seeded(5) });
    expect(signatures).toHaveLength(12 * 162);
    const given = items.map((item, at) => ({ ...item, signature: signatures.slice(at * 162, at * 162 + 162) }));
    for (const item of given) {
      expect(verifyAdaptorSignature(item.signature, item.messageHash, point(key), item.encryptionPoint, { ecc })).toBe(
        true,
      );
    }
    expect(firstInvalid(given, point(key), { ecc })).toBeNull();
    expect(firstInvalid([], point(key), { ecc })).toBeNull();
    const [wrong, malformed] = [flipped(signatures.slice(0, 162), 140, 1), new Uint8Array(162)];
    const replaced = (...replacements: [number, Uint8Array][]) =>
      given.map((item, at) => ({ ...item, signature: new Map(replacements).get(at) ?? item.signature }));
    for (const at of [0, 5, 11]) {
      expect(firstInvalid(replaced([at, wrong]), point(key), { ecc })).toBe(at);
      expect(firstInvalid(replaced([at, malformed]), point(key), { ecc })).toBe(at);
    }
    expect(firstInvalid(replaced([3, wrong], [2, malformed]), point(key), { ecc })).toBe(2);
    expect(firstInvalid(replaced([2, wrong], [3, malformed]), point(key), { ecc })).toBe(2);
  });

  it('are wrong together where one is wrong in its equation alone, and that one is named', () => {
    const key = scalarBytes(99n);
    const items = Array.from({ length: 6 }, (_, at) => ({
      messageHash: new Uint8Array(32).fill(at + 1),
      encryptionPoint: point(scalarBytes(BigInt(at + 2))),
    }));
    const made = encryptSignAll(items, key, { ecc, randomBytes: seeded(8) });
    const given = items.map((item, at) => ({ ...item, signature: made.slice(at * 162, at * 162 + 162) }));
    const changed = (at: number, change: (s: bigint) => bigint) =>
      given.map((item, index) => {
        if (index !== at) return item;
        const signature = Uint8Array.from(item.signature);
        // s_a is in no proof: only the equation is wrong.
        signature.set(scalarBytes(change(scalarOf(signature.subarray(66, 98)))), 66);
        return { ...item, signature };
      });
    for (const combine of [basePlusPoint, basePlusPointPlainly]) {
      expect(firstInvalid(given, point(key), { ecc, combine })).toBeNull();
      for (let at = 0; at < items.length; at++) {
        expect(
          firstInvalid(
            changed(at, (s) => CURVE_ORDER - s),
            point(key),
            { ecc, combine },
          ),
        ).toBe(at);
        expect(
          firstInvalid(
            changed(at, (s) => s ^ 1n),
            point(key),
            { ecc, combine },
          ),
        ).toBe(at);
      }
    }
    // Hashes exchanged between two: what is wrong with one is not made up for by the other.
    const [first, second, ...others] = given as [(typeof given)[number], (typeof given)[number]];
    const exchanged = [
      { ...first, messageHash: second.messageHash },
      { ...second, messageHash: first.messageHash },
      ...others,
    ];
    expect(firstInvalid(exchanged, point(key), { ecc })).toBe(0);
    expect(firstInvalid(given, point(scalarBytes(98n)), { ecc })).toBe(0);
    expect(firstInvalid(given, new Uint8Array(33), { ecc })).toBe(0);
  });

  it('refuses what is no key, point or hash', () => {
    const tools = { ecc, randomBytes: seeded(1) };
    const [key, hash] = [scalarBytes(5n), new Uint8Array(32)];
    expect(() => encryptSign(hash, new Uint8Array(32), point(key), tools)).toThrow();
    expect(() => encryptSign(hash, scalarBytes(CURVE_ORDER), point(key), tools)).toThrow();
    expect(() => encryptSign(hash, key, new Uint8Array(33), tools)).toThrow();
    expect(() => encryptSign(new Uint8Array(31), key, point(key), tools)).toThrow();
    const signature = encryptSign(hash, key, point(key), tools);
    expect(verifyAdaptorSignature(signature, hash, new Uint8Array(33), point(key), { ecc })).toBe(false);
    expect(verifyAdaptorSignature(signature, hash, point(key), new Uint8Array(33), { ecc })).toBe(false);
    expect(verifyAdaptorSignature(signature, new Uint8Array(31), point(key), point(key), { ecc })).toBe(false);
  });

  it('takes Buffers, and changes none of them', () => {
    const given = [new Uint8Array(32).fill(6), scalarBytes(8n), point(scalarBytes(9n), false)].map((bytes) =>
      Buffer.from(bytes),
    );
    const [hash, key, Y] = given as [Buffer, Buffer, Buffer];
    const before = given.map(hex);
    const signature = encryptSign(hash, key, Y, { ecc, randomBytes: (size) => Buffer.from(seeded(3)(size)) });
    expect(verifyAdaptorSignature(Buffer.from(signature), hash, point(key), Y, { ecc })).toBe(true);
    expect(given.map(hex)).toEqual(before);
  });

  it('leaves the key as it was', () => {
    const key = scalarBytes(77n);
    encryptSign(new Uint8Array(32), key, point(key), { ecc, randomBytes: seeded(1) });
    expect(hex(key)).toBe(hex(scalarBytes(77n)));
  });
});

describe.each(CURVES)('base·G + factor·point (%s)', (_, ecc) => {
  it('comes out the same by recovery and plainly', () => {
    const base = fc.oneof(
      { weight: 1, arbitrary: fc.constant(new Uint8Array(32)) },
      { weight: 5, arbitrary: arbitraryScalar },
    );
    fc.assert(
      fc.property(base, arbitraryScalar, arbitraryScalar, fc.boolean(), (first, factor, secret, compressed) => {
        const point = ecc.pointFromScalar(secret, compressed) as Uint8Array;
        const fast = basePlusPoint(first, factor, point, ecc);
        expect(hex(fast)).toBe(hex(basePlusPointPlainly(first, factor, point, ecc)));
        const sum = (scalarOf(first) + scalarOf(factor) * scalarOf(secret)) % CURVE_ORDER;
        expect(hex(fast)).toBe(sum === 0n ? null : hex(ecc.pointFromScalar(scalarBytes(sum))));
      }),
      { numRuns: 60 },
    );
  });

  it('is nothing where the two cancel each other', () => {
    const point = ecc.pointFromScalar(scalarBytes(2n)) as Uint8Array;
    for (const combine of [basePlusPoint, basePlusPointPlainly]) {
      expect(combine(scalarBytes(CURVE_ORDER - 6n), scalarBytes(3n), point, ecc)).toBeNull();
    }
  });

  it('works with an x at or above the order', () => {
    // The smallest such x on the curve.
    const point = Uint8Array.from(Buffer.from(`02${(CURVE_ORDER + 2n).toString(16)}`, 'hex'));
    expect(ecc.isPoint(point)).toBe(true);
    const expected = ecc.pointAddScalar(ecc.pointMultiply(point, scalarBytes(5n)) as Uint8Array, scalarBytes(9n));
    expect(hex(basePlusPoint(scalarBytes(9n), scalarBytes(5n), point, ecc))).toBe(hex(expected));
  });
});
