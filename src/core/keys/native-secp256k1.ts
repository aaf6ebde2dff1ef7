import type * as Wasm from 'tiny-secp256k1';
import type { Secp256k1Primitives } from './secp256k1.ts';

/** The part of npm `secp256k1` (bindings of libsecp256k1) that is used. Arguments are checked by length; failures throw. */
export interface NativeAddon {
  privateKeyVerify(scalar: Uint8Array): boolean;
  /** These change their first argument in place. */
  privateKeyNegate(scalar: Uint8Array): Uint8Array;
  privateKeyTweakAdd(scalar: Uint8Array, tweak: Uint8Array): Uint8Array;
  privateKeyTweakMul(scalar: Uint8Array, tweak: Uint8Array): Uint8Array;
  publicKeyVerify(point: Uint8Array): boolean;
  publicKeyCreate(scalar: Uint8Array, compressed?: boolean): Uint8Array;
  publicKeyConvert(point: Uint8Array, compressed?: boolean): Uint8Array;
  publicKeyTweakAdd(point: Uint8Array, tweak: Uint8Array, compressed?: boolean): Uint8Array;
  /** In the time that the scalar takes. */
  publicKeyTweakMul(point: Uint8Array, scalar: Uint8Array, compressed?: boolean): Uint8Array;
  publicKeyCombine(points: readonly Uint8Array[], compressed?: boolean): Uint8Array;
  /** In constant time. `hashfn` gets both coordinates of the product in `xbuf` and `ybuf`, and answers as many bytes as `output` has. */
  ecdh(
    point: Uint8Array,
    scalar: Uint8Array,
    options: { hashfn: (x: Uint8Array, y: Uint8Array) => Uint8Array; xbuf: Uint8Array; ybuf: Uint8Array },
    output: Uint8Array,
  ): Uint8Array;
  ecdsaRecover(signature: Uint8Array, recoveryId: number, hash: Uint8Array, compressed?: boolean): Uint8Array;
  signatureNormalize(signature: Uint8Array): Uint8Array;
  ecdsaSign(hash: Uint8Array, scalar: Uint8Array, options?: { data?: Uint8Array }): { signature: Uint8Array };
  ecdsaVerify(signature: Uint8Array, hash: Uint8Array, point: Uint8Array): boolean;
}

/** null where the optional dependency is absent or has no binary for this machine. The package's own JavaScript fallback is never used. */
export async function loadNative(): Promise<NativeAddon | null> {
  const bindings: string = 'secp256k1/bindings.js';
  try {
    const loaded = (await import(bindings)) as { default: NativeAddon };
    const calls = Object.entries(loaded.default).map(([name, call]) => [name, locked(call as Call)]);
    return Object.fromEntries(calls) as NativeAddon;
  } catch {
    return null;
  }
}

type Call = (...given: unknown[]) => unknown;

/** Of a worker thread that may be ended: only outside of such calls (src/engines/computing/thread-lock.ts). */
export interface ThreadLock {
  /** Throws where the thread is being ended. */
  enter(): void;
  leave(): void;
}

let lock: ThreadLock | null = null;

/** From now on every call of the addon in this thread is made within it. */
export function lockNativeCalls(held: ThreadLock): void {
  lock = held;
}

const locked =
  (call: Call): Call =>
  (...given) => {
    if (lock === null) return call(...given);
    lock.enter();
    try {
      return call(...given);
    } finally {
      lock.leave();
    }
  };

const NOTHING = new Uint8Array(0);

/** ECDH that leaves the product itself, not a hash of it, in two buffers: read at once after the call. */
const intoCoordinates = { hashfn: () => NOTHING, xbuf: new Uint8Array(32), ybuf: new Uint8Array(32) };

/** Native where the addon has the operation, WASM for Schnorr and for x-only parsing, which it lacks. */
export function nativeSecp256k1(addon: NativeAddon, wasm: typeof Wasm): Secp256k1Primitives {
  const isPrivate = (scalar: Uint8Array): boolean => scalar.length === 32 && addon.privateKeyVerify(scalar);
  const scalarOrThrow = (scalar: Uint8Array): Uint8Array => {
    if (!isPrivate(scalar)) throw new TypeError('Expected Private');
    return scalar;
  };
  const pointOrThrow = (point: Uint8Array): Uint8Array => {
    if (!isPoint(point)) throw new TypeError('Expected Point');
    return point;
  };
  const isPoint = (point: Uint8Array): boolean =>
    (point.length === 33 || point.length === 65) && addon.publicKeyVerify(point);
  const isTweak = (tweak: Uint8Array): boolean =>
    tweak.length === 32 && (addon.privateKeyVerify(tweak) || tweak.every((byte) => byte === 0));
  const tweakOrThrow = (tweak: Uint8Array): Uint8Array => {
    if (!isTweak(tweak)) throw new TypeError('Expected Tweak');
    return tweak;
  };
  const addTo = (scalar: Uint8Array, tweak: Uint8Array): Uint8Array | null => {
    const sum = Uint8Array.from(scalarOrThrow(scalar));
    tweakOrThrow(tweak);
    try {
      return addon.privateKeyTweakAdd(sum, tweak);
    } catch {
      return null; // the sum is zero
    }
  };
  const addToPoint = (point: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array | null => {
    tweakOrThrow(tweak);
    try {
      return addon.publicKeyTweakAdd(point, tweak, compressed);
    } catch {
      return null; // the sum is the point at infinity
    }
  };

  return {
    implementation: 'native',
    isPrivate,
    isPoint,
    isXOnlyPoint: wasm.isXOnlyPoint,
    pointFromScalar: (scalar, compressed = true) => addon.publicKeyCreate(scalarOrThrow(scalar), compressed),
    pointAddScalar: (point, tweak, compressed = point.length === 33) =>
      addToPoint(pointOrThrow(point), tweak, compressed),
    // The addon itself throws for what is no point.
    pointCompress: (point, compressed = point.length === 33) => addon.publicKeyConvert(point, compressed),
    pointMultiply: (point, scalar, compressed = point.length === 33) => {
      try {
        return addon.publicKeyTweakMul(point, scalar, compressed);
      } catch (error) {
        // The addon does not tell zero from what is no scalar.
        if (isPoint(point) && isTweak(scalar) && !isPrivate(scalar)) return null;
        throw error;
      }
    },
    pointSum: (points, compressed = true) => {
      try {
        return addon.publicKeyCombine(points, compressed);
      } catch (error) {
        if (points.length > 0 && points.every(isPoint)) return null; // the sum is the point at infinity
        throw error;
      }
    },
    pointTimesSecret: (point, scalar) => {
      addon.ecdh(point, scalar, intoCoordinates, NOTHING);
      const product = new Uint8Array(33);
      product[0] = 2 | (intoCoordinates.ybuf[31]! & 1);
      product.set(intoCoordinates.xbuf, 1);
      intoCoordinates.xbuf.fill(0);
      intoCoordinates.ybuf.fill(0);
      return product;
    },
    xOnlyPointFromScalar: (scalar) => addon.publicKeyCreate(scalarOrThrow(scalar), true).slice(1),
    xOnlyPointAddTweak: (xOnly, tweak) => {
      if (!wasm.isXOnlyPoint(xOnly)) throw new TypeError('Expected Point');
      const even = new Uint8Array(33);
      even[0] = 2;
      even.set(xOnly, 1);
      const sum = addToPoint(even, tweak, true);
      return sum && { parity: sum[0] === 3 ? 1 : 0, xOnlyPubkey: sum.slice(1) };
    },
    privateAdd: addTo,
    privateSub: (scalar, tweak) => {
      tweakOrThrow(tweak);
      // Zero has no negative in the addon; taking it away changes nothing.
      if (!addon.privateKeyVerify(tweak)) return Uint8Array.from(scalarOrThrow(scalar));
      const negated = addon.privateKeyNegate(Uint8Array.from(tweak));
      try {
        return addTo(scalar, negated);
      } finally {
        negated.fill(0);
      }
    },
    privateNegate: (scalar) => addon.privateKeyNegate(Uint8Array.from(scalarOrThrow(scalar))),
    privateMultiply: (scalar, factor) => addon.privateKeyTweakMul(Uint8Array.from(scalar), factor),
    scalarMultiply: (one, other) => addon.privateKeyTweakMul(Uint8Array.from(one), other),
    sign: (hash, scalar, entropy) =>
      addon.ecdsaSign(hash, scalarOrThrow(scalar), entropy ? { data: entropy } : {}).signature,
    verify: (hash, point, signature, strict = false) => {
      const compact = strict ? signature : addon.signatureNormalize(Uint8Array.from(signature));
      return addon.ecdsaVerify(compact, hash, pointOrThrow(point));
    },
    recover: (hash, signature, recoveryId, compressed = false) => {
      try {
        return addon.ecdsaRecover(signature, recoveryId, hash, compressed);
      } catch {
        return null;
      }
    },
    signSchnorr: wasm.signSchnorr,
    verifySchnorr: wasm.verifySchnorr,
  };
}
