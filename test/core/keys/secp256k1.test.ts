import { createHash } from 'node:crypto';
import { BIP32Factory } from 'bip32';
import { payments } from 'bitcoinjs-lib';
import { ECPairFactory } from 'ecpair';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecp256k1, nativeSecp256k1Loads } from '../../../src/core/keys/create-secp256k1.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import type { Secp256k1 } from '../../../src/core/keys/secp256k1.ts';
import { schnorrVectors } from '../taproot/taproot-vectors.ts';

const wasm = createSecp256k1({ implementation: 'wasm' });
const implementations: [string, Secp256k1][] = nativeSecp256k1Loads
  ? [
      ['native', createSecp256k1({ implementation: 'native' })],
      ['wasm', wasm],
    ]
  : [['wasm', wasm]];

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const scalar = (value: bigint): Uint8Array => hex(value.toString(16).padStart(64, '0'));
const ONE = scalar(1n);
const ZERO = scalar(0n);

describe.each(implementations)('secp256k1 (%s)', (name, curve) => {
  it('says which implementation it is', () => expect(curve.implementation).toBe(name));

  it('signs with the RFC 6979 nonce', () => {
    const hash = createHash('sha256').update('Satoshi Nakamoto').digest();
    expect(Buffer.from(curve.sign(hash, ONE)).toString('hex')).toBe(
      '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8' +
        '2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
    );
  });

  it('grinds R below 2^255 as ecpair and Core do, always verifiably', () => {
    const pair = ECPairFactory(wasm);
    fc.assert(
      fc.property(fc.bigInt(1n, ORDER - 1n), fc.uint8Array({ minLength: 32, maxLength: 32 }), (secret, hash) => {
        const signature = curve.signEcdsa(hash, scalar(secret));
        const keys = pair.fromPrivateKey(scalar(secret));
        expect(signature[0]).toBeLessThan(0x80);
        expect(signature[32]).toBeLessThan(0x80);
        expect(Buffer.from(signature)).toEqual(Buffer.from(keys.sign(hash, true)));
        expect(curve.verifyEcdsa(hash, keys.publicKey, signature)).toBe(true);
        const other = Uint8Array.from(hash);
        other[0]! ^= 1;
        expect(curve.verifyEcdsa(other, keys.publicKey, signature)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it('refuses a high S when strict, and garbage without throwing', () => {
    const hash = createHash('sha256').update('high S').digest();
    const signature = curve.signEcdsa(hash, ONE);
    const point = curve.pointFromScalar(ONE)!;
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`);
    const high = Uint8Array.from([...signature.subarray(0, 32), ...scalar(ORDER - s)]);
    expect(curve.verifyEcdsa(hash, point, high)).toBe(false);
    expect(curve.verify(hash, point, high)).toBe(true);
    expect(curve.verifyEcdsa(hash, point, new Uint8Array(64).fill(0xff))).toBe(false);
    expect(curve.verifyEcdsa(hash, new Uint8Array(33), signature)).toBe(false);
    expect(curve.verifyEcdsa(hash, point, new Uint8Array(3))).toBe(false);
  });

  it('knows the bounds of scalars', () => {
    expect(curve.isPrivate(ZERO)).toBe(false);
    expect(curve.isPrivate(scalar(ORDER))).toBe(false);
    expect(curve.isPrivate(scalar(ORDER - 1n))).toBe(true);
    expect(curve.isPrivate(new Uint8Array(31).fill(1))).toBe(false);
    expect(() => curve.pointFromScalar(ZERO)).toThrow();
    expect(() => curve.sign(ONE, ZERO)).toThrow();
  });

  it('answers null where a sum leaves the group', () => {
    const minusOne = scalar(ORDER - 1n);
    expect(curve.privateAdd(ONE, minusOne)).toBeNull();
    expect(curve.privateSub(ONE, ONE)).toBeNull();
    expect(curve.pointAddScalar(curve.pointFromScalar(ONE)!, minusOne)).toBeNull();
    expect(Buffer.from(curve.privateAdd(ONE, ZERO)!)).toEqual(Buffer.from(ONE));
    expect(Buffer.from(curve.privateSub(ONE, ZERO)!)).toEqual(Buffer.from(ONE));
    expect(() => curve.privateAdd(ONE, scalar(ORDER))).toThrow();
  });

  it('leaves its arguments as they were', () => {
    const secret = scalar(7n);
    curve.privateAdd(secret, ONE);
    curve.privateSub(secret, ONE);
    curve.privateNegate(secret);
    expect(Buffer.from(secret)).toEqual(Buffer.from(scalar(7n)));
  });

  it('serves bip32: the first chain of BIP32 test vector 1', () => {
    const root = BIP32Factory(curve).fromSeed(hex('000102030405060708090a0b0c0d0e0f'));
    expect(root.derivePath("m/0'/1").toBase58()).toBe(
      'xprv9wTYmMFdV23N2TdNG573QoEsfRrWKQgWeibmLntzniatZvR9BmLnvSxqu53Kw1UmYPxLgboyZQaXwTCg8MSY3H2EU4pWcQDnRnrVA1xe8fs',
    );
    expect(root.derivePath("m/0'").neutered().derive(1).toBase58()).toBe(
      'xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ',
    );
  });
});

describe.runIf(nativeSecp256k1Loads)('secp256k1: native against wasm', () => {
  const native = createSecp256k1(nativeSecp256k1Loads ? { implementation: 'native' } : {});
  const anyScalar = fc
    .oneof(fc.bigInt(0n, 3n), fc.bigInt(ORDER - 3n, ORDER + 3n), fc.bigInt(1n, ORDER - 1n))
    .map(scalar);
  const point = fc
    .tuple(fc.bigInt(1n, ORDER - 1n), fc.boolean())
    .map(([secret, compressed]) => wasm.pointFromScalar(scalar(secret), compressed)!);
  const mangled = fc.tuple(point, fc.nat(64), fc.nat(255)).map(([bytes, at, value]) => {
    const copy = Uint8Array.from(bytes);
    copy[at % copy.length] = value;
    return copy;
  });
  const outcome = (act: () => unknown): unknown => {
    try {
      const result = act();
      return result instanceof Uint8Array
        ? Buffer.from(result).toString('hex')
        : JSON.stringify(result, (_, value) =>
            value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
          );
    } catch {
      return 'throws';
    }
  };
  const same = (act: (curve: Secp256k1) => unknown): void =>
    expect(outcome(() => act(native))).toBe(outcome(() => act(wasm)));

  it('agrees on points and scalars, valid or not', () => {
    fc.assert(
      fc.property(anyScalar, anyScalar, fc.oneof(point, mangled), fc.boolean(), (a, b, p, compressed) => {
        same((curve) => curve.isPrivate(a));
        same((curve) => curve.isPoint(p));
        same((curve) => curve.pointFromScalar(a, compressed));
        same((curve) => curve.pointAddScalar(p, a));
        same((curve) => curve.pointAddScalar(p, a, compressed));
        same((curve) => curve.pointCompress(p, compressed));
        same((curve) => curve.pointCompress(p));
        same((curve) => curve.xOnlyPointFromScalar(a));
        same((curve) => curve.xOnlyPointAddTweak(p.slice(1, 33), a));
        same((curve) => curve.privateAdd(a, b));
        same((curve) => curve.privateSub(a, b));
        same((curve) => curve.privateNegate(a));
      }),
      { numRuns: 300 },
    );
  });

  it('agrees on products and sums of points, of public scalars and of secret ones', () => {
    const randomBytes = (size: number) => new Uint8Array(size).fill(9);
    fc.assert(
      fc.property(
        anyScalar,
        anyScalar,
        fc.array(fc.oneof(point, mangled), { minLength: 1, maxLength: 4 }),
        (a, b, points) => {
          const [first] = points as [Uint8Array];
          same((curve) => curve.pointMultiply(first, a));
          same((curve) => curve.pointMultiply(first, a, true));
          same((curve) => curve.pointSum(points));
          same((curve) => curve.pointSum(points, false));
          // A point, its negative, and another: the sum passes through infinity.
          if (!wasm.isPoint(first)) return;
          const negative = wasm.pointCompress(first, true);
          negative[0]! ^= 1;
          same((curve) => curve.pointSum([first, negative]));
          same((curve) => curve.pointSum([first, negative, ...points]));
          if (!wasm.isPrivate(a)) return;
          same((curve) => curve.pointTimesSecret(first, a, randomBytes));
          expect(Buffer.from(native.pointTimesSecret(first, a, randomBytes))).toEqual(
            Buffer.from(wasm.pointMultiply(first, a, true)!),
          );
          if (!wasm.isPrivate(b)) return;
          same((curve) => curve.privateMultiply(a, b, randomBytes));
          same((curve) => curve.scalarMultiply(a, b));
          const product =
            (BigInt(`0x${Buffer.from(a).toString('hex')}`) * BigInt(`0x${Buffer.from(b).toString('hex')}`)) % ORDER;
          expect(Buffer.from(native.privateMultiply(a, b, randomBytes))).toEqual(Buffer.from(scalar(product)));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('agrees on recovering public keys', () => {
    const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(fc.bigInt(1n, ORDER - 1n).map(scalar), bytes32, fc.boolean(), (secret, hash, compressed) => {
        const signature = wasm.sign(hash, secret);
        for (const id of [0, 1] as const) same((curve) => curve.recover(hash, signature, id, compressed));
        const candidates = ([0, 1] as const).map((id) => native.recover(hash, signature, id, true));
        expect(candidates.map((key) => key && Buffer.from(key).toString('hex'))).toContain(
          Buffer.from(wasm.pointFromScalar(secret)!).toString('hex'),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('agrees on ECDSA, valid or not', () => {
    const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(
        anyScalar,
        bytes32,
        bytes32,
        fc.nat(63),
        fc.nat(255),
        point,
        (secret, hash, entropy, at, value, other) => {
          same((curve) => curve.sign(hash, secret));
          same((curve) => curve.sign(hash, secret, entropy));
          same((curve) => curve.signEcdsa(hash, secret));
          if (!wasm.isPrivate(secret)) return;
          const signature = wasm.sign(hash, secret);
          const mangledSignature = Uint8Array.from(signature);
          mangledSignature[at] = value;
          const key = wasm.pointFromScalar(secret)!;
          for (const strict of [true, false]) {
            same((curve) => curve.verify(hash, key, signature, strict));
            same((curve) => curve.verify(hash, key, mangledSignature, strict));
            same((curve) => curve.verify(hash, other, signature, strict));
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('ecc', () => {
  it('is what bitcoinjs-lib computes taproot payments with', () => {
    const internalPubkey = ecc.xOnlyPointFromScalar(ONE);
    expect(payments.p2tr({ internalPubkey }).address).toMatch(/^bc1p/);
  });
});

describe('BIP340', () => {
  const vectors = schnorrVectors.filter(({ message }) => message.length === 64);
  it.each(vectors)('vector $index', ({ secretKey, publicKey, aux, message, signature, valid }) => {
    if (secretKey !== '') {
      const made = ecc.signSchnorr(hex(message), hex(secretKey), hex(aux));
      expect(Buffer.from(made).toString('hex')).toBe(signature);
    }
    let holds: boolean;
    try {
      holds = ecc.verifySchnorr(hex(message), hex(publicKey), hex(signature));
    } catch {
      holds = false;
    }
    expect(holds).toBe(valid);
  });
});
