import { DomainError } from '../../errors.ts';
import { ecc } from '../../keys/ecc.ts';
import { tapTweakHash } from '../leaf-hash.ts';
import { aggregatePublicKeys, sortedKeys } from './key-aggregation.ts';

export interface MusigTweak {
  /** 32 bytes. */
  readonly tweak: Uint8Array;
  /** Applied to the x-only key, as BIP341 does; else to the plain one, as BIP32 does. */
  readonly xOnly: boolean;
}

export interface MusigKeys {
  /** Compressed, in the order in which they are aggregated: every signer must take the same. */
  readonly publicKeys: readonly Uint8Array[];
  readonly tweaks: readonly MusigTweak[];
}

export interface AggregatedKeys extends MusigKeys {
  /** x-only, 32 bytes: what the final signature verifies under. */
  readonly aggregateKey: Buffer;
  /** Where a taproot tweak was asked for: the x-only key before it. */
  readonly internalKey: Buffer | null;
}

export interface KeyAggregation extends MusigKeys {
  /** Whether the keys are sorted first (BIP327's KeySort, as BIP390 does it). */
  readonly sort: boolean;
  /** A BIP341 tweak after the others; `merkleRoot` null: no script tree. */
  readonly taproot: { readonly merkleRoot: Uint8Array | null } | null;
}

/**
 * BIP327's key aggregation. The answer's tweaks hold taproot's, too. Throws `invalid_key` where the keys, of points on the curve, have no
 * aggregate, and `invalid_value` where a tweak is no scalar or leads to infinity.
 */
export function aggregateKeys({ publicKeys, sort, tweaks, taproot }: KeyAggregation): AggregatedKeys {
  const ordered = sort ? sortedKeys(publicKeys) : publicKeys;
  const before = aggregate({ publicKeys: ordered, tweaks });
  if (taproot === null) return { publicKeys: ordered, tweaks, aggregateKey: before, internalKey: null };
  const last = { tweak: tapTweakHash(before, taproot.merkleRoot), xOnly: true };
  const keys = { publicKeys: ordered, tweaks: [...tweaks, last] };
  return { ...keys, aggregateKey: aggregate(keys), internalKey: before };
}

function aggregate({ publicKeys, tweaks }: MusigKeys): Buffer {
  const wrong = publicKeys.findIndex((key) => !ecc.isPoint(key));
  if (wrong >= 0) throw new DomainError('invalid_key', `public key ${wrong} is not a point on secp256k1`);
  const together = aggregatePublicKeys(publicKeys);
  if (together === null) throw new DomainError('invalid_key', 'these public keys have no aggregate');
  return Buffer.from(tweaks.reduce(tweaked, together).subarray(1));
}

/** BIP327's ApplyTweak, of the compressed key. */
function tweaked(key: Uint8Array, { tweak, xOnly }: MusigTweak): Uint8Array {
  const from = xOnly ? Buffer.concat([Buffer.of(2), key.subarray(1)]) : key;
  if (tweak.every((byte) => byte === 0)) return from;
  const next = ecc.isPrivate(tweak) ? ecc.pointAddScalar(from, tweak, true) : null;
  if (next === null)
    throw new DomainError('invalid_value', 'a tweak is below the order of secp256k1, and the tweaked key not infinity');
  return next;
}
