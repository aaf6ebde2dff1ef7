import { DomainError } from '../errors.ts';
import { ecc } from '../keys/ecc.ts';
import { tapTweakHash } from './leaf-hash.ts';

export interface TweakedKey {
  /** x-only, 32 bytes. */
  readonly outputKey: Buffer;
  /** Of the output key's y: control blocks carry it. */
  readonly parity: 0 | 1;
  /** The scalar that was added, 32 bytes. Public. */
  readonly tweak: Buffer;
}

/** BIP341's taproot_tweak_pubkey. Throws `invalid_key` where the internal key (x-only, 32 bytes) is no point's. */
export function tweakPublicKey(internalKey: Uint8Array, merkleRoot: Uint8Array | null): TweakedKey {
  if (internalKey.length !== 32 || !ecc.isXOnlyPoint(internalKey)) {
    throw new DomainError('invalid_key', 'this is not the x coordinate of a point on secp256k1: 32 bytes (BIP340)');
  }
  const tweak = tapTweakHash(internalKey, merkleRoot);
  const tweaked = ecc.xOnlyPointAddTweak(internalKey, tweak);
  // One tweak in 2^128 gives no key.
  if (tweaked === null) throw new DomainError('invalid_key', 'this internal key cannot be tweaked with this tree');
  return { outputKey: Buffer.from(tweaked.xOnlyPubkey), parity: tweaked.parity, tweak };
}

/**
 * BIP341's taproot_tweak_seckey: the key that signs for the key path. Throws `invalid_key`. The caller overwrites argument and answer when
 * done with them.
 */
export function tweakPrivateKey(privateKey: Uint8Array, merkleRoot: Uint8Array | null): Uint8Array {
  if (!ecc.isPrivate(privateKey)) throw invalidPrivateKey();
  const point = ecc.pointFromScalar(privateKey, true) as Uint8Array;
  const negated = point[0] === 3 ? ecc.privateNegate(privateKey) : null;
  try {
    const tweaked = ecc.privateAdd(negated ?? privateKey, tapTweakHash(point.subarray(1), merkleRoot));
    if (tweaked === null) throw invalidPrivateKey();
    return tweaked;
  } finally {
    negated?.fill(0);
  }
}

export const invalidPrivateKey = (): DomainError =>
  new DomainError('invalid_key', 'this is not a private key: 32 bytes, above 0 and below the order of secp256k1');
