import { createHmac } from 'node:crypto';
import { hash160 } from '../../hashes.ts';
import { ecc } from '../../keys/ecc.ts';
import type { MusigTweak } from './aggregate-keys.ts';

/** BIP328: the chain code of every aggregate key. */
const CHAIN_CODE = Buffer.from('868087ca02a6f974c4598924c36b57762d32cb45717167e300622c7167e38965', 'hex');
const KEY_SIZE = 33;

/** Of an aggregate key as of a BIP32 master key: 8 hex digits. */
export const aggregateFingerprint = (aggregate: Uint8Array): string => hash160(aggregate).toString('hex', 0, 4);

export interface DerivedAggregate {
  /** Compressed. */
  readonly key: Uint8Array;
  readonly chainCode: Uint8Array;
  /** From the aggregate key to this one, each a plain one. */
  readonly tweaks: readonly MusigTweak[];
}

export const aggregateRoot = (key: Uint8Array): DerivedAggregate => ({ key, chainCode: CHAIN_CODE, tweaks: [] });

/** BIP328: the child of an aggregate key, by BIP32's public derivation. null where there is none: 1 in 2^127, or the index is hardened. */
export function aggregateChild(parent: DerivedAggregate, index: number): DerivedAggregate | null {
  if (index >= 0x80000000) return null;
  const data = Buffer.alloc(KEY_SIZE + 4);
  data.set(parent.key);
  data.writeUInt32BE(index, KEY_SIZE);
  const digest = createHmac('sha512', parent.chainCode).update(data).digest();
  const tweak = digest.subarray(0, 32);
  const key = ecc.isPrivate(tweak) ? ecc.pointAddScalar(parent.key, tweak, true) : null;
  if (key === null) return null;
  return { key, chainCode: digest.subarray(32), tweaks: [...parent.tweaks, { tweak, xOnly: false }] };
}
