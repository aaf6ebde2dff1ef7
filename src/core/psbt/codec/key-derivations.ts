import { ByteCursor } from '../../blocks/byte-cursor.ts';
import { ByteWriter } from '../../blocks/byte-writer.ts';
import type { PsbtEntry, PsbtMap } from '../psbt-map.ts';

/** Where a key comes from: a master key's fingerprint (BIP32) and the steps from it. */
export interface KeyOrigin {
  /** 8 hex digits */
  readonly fingerprint: string;
  /** A hardened step has bit 31 set. */
  readonly path: readonly number[];
}

/** A public key of 33 or 65 bytes and its origin (BIP174). */
export interface Bip32Derivation extends KeyOrigin {
  readonly publicKey: Uint8Array;
}

/** An x-only key, its origin, and the leaves whose scripts hold it (BIP371); the internal key is in none. */
export interface TapBip32Derivation extends KeyOrigin {
  readonly xOnlyKey: Uint8Array;
  readonly leafHashes: readonly Uint8Array[];
}

/** Of PSBT_IN_BIP32_DERIVATION or PSBT_OUT_BIP32_DERIVATION: `type` says which. */
export const bip32Derivations = (map: PsbtMap, type: number): Bip32Derivation[] =>
  map.all(type).map(({ keyData, value }) => ({ publicKey: keyData, ...readKeyOrigin(value) }));

/** Of PSBT_IN_TAP_BIP32_DERIVATION or PSBT_OUT_TAP_BIP32_DERIVATION: `type` says which. */
export const tapBip32Derivations = (map: PsbtMap, type: number): TapBip32Derivation[] =>
  map.all(type).map(({ keyData, value }) => {
    const cursor = new ByteCursor(value);
    const leafHashes: Uint8Array[] = [];
    for (let left = cursor.count(32, 'the leaf hashes'); left > 0; left--)
      leafHashes.push(cursor.take(32, 'a leaf hash'));
    return { xOnlyKey: keyData, leafHashes, ...readKeyOrigin(value.subarray(cursor.offset)) };
  });

export const bip32DerivationEntry = (type: number, derivation: Bip32Derivation): PsbtEntry => ({
  type,
  keyData: derivation.publicKey,
  value: writeKeyOrigin(derivation),
});

export function tapBip32DerivationEntry(type: number, derivation: TapBip32Derivation): PsbtEntry {
  const { xOnlyKey, leafHashes } = derivation;
  const writer = new ByteWriter(9 + leafHashes.length * 32 + 4 + derivation.path.length * 4);
  writer.compactSize(leafHashes.length);
  for (const hash of leafHashes) writer.bytes(hash);
  return { type, keyData: xOnlyKey, value: writer.bytes(writeKeyOrigin(derivation)).done() };
}

/** A fingerprint and path as they stand in a value; 4 bytes and 4 for each step, as the field table requires. */
function readKeyOrigin(value: Uint8Array): KeyOrigin {
  const cursor = new ByteCursor(value);
  const fingerprint = Buffer.from(cursor.take(4, 'a fingerprint')).toString('hex');
  const path: number[] = [];
  while (cursor.remaining > 0) path.push(cursor.uint32('a step'));
  return { fingerprint, path };
}

export function writeKeyOrigin({ fingerprint, path }: KeyOrigin): Buffer {
  const value = Buffer.allocUnsafe(4 + path.length * 4);
  if (value.write(fingerprint, 'hex') !== 4) throw new RangeError('a fingerprint has 8 hex digits');
  let at = 4;
  for (const step of path) at = value.writeUInt32LE(step, at);
  return value;
}
