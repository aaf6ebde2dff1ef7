/** What an output's map says, and how it is said: readers and writers of one PsbtMap whose fields were checked when it was read. */
import { ByteCursor } from '../../blocks/byte-cursor.ts';
import { ByteWriter } from '../../blocks/byte-writer.ts';
import type { PsbtMap } from '../psbt-map.ts';
import { requiredValue } from './input-fields.ts';
import { OUTPUT } from './key-types.ts';

/** Satoshis, of an output of version 2. */
export const outputAmount = (map: PsbtMap): bigint =>
  new ByteCursor(requiredValue(map, OUTPUT.AMOUNT)).int64('an amount');

/** The scriptPubKey of an output of version 2; empty where a silent payment's is not computed yet (`hasScript` tells). */
export const outputScript = (map: PsbtMap): Uint8Array => map.get(OUTPUT.SCRIPT) ?? NO_SCRIPT;

export const hasScript = (map: PsbtMap): boolean => map.has(OUTPUT.SCRIPT);

/** Scan and spend key of a silent payment, 66 bytes (BIP375). */
export const silentPaymentKeys = (map: PsbtMap): Uint8Array | null => map.get(OUTPUT.SP_V0_INFO);

export interface TapTreeLeaf {
  readonly depth: number;
  readonly leafVersion: number;
  readonly script: Uint8Array;
}

/** The leaves of PSBT_OUT_TAP_TREE, depth first; null where there is none. */
export function tapTreeLeaves(map: PsbtMap): TapTreeLeaf[] | null {
  const value = map.get(OUTPUT.TAP_TREE);
  if (value === null) return null;
  const cursor = new ByteCursor(value);
  const leaves: TapTreeLeaf[] = [];
  while (cursor.remaining > 0) {
    const depth = cursor.uint8('a depth');
    const leafVersion = cursor.uint8('a leaf version');
    leaves.push({ depth, leafVersion, script: cursor.take(cursor.compactSize("a script's length"), 'a script') });
  }
  return leaves;
}

export const tapTreeValue = (leaves: readonly TapTreeLeaf[]): Buffer => {
  const writer = new ByteWriter();
  for (const { depth, leafVersion, script } of leaves) writer.uint8(depth).uint8(leafVersion).prefixed(script);
  return writer.done();
};

export function amountValue(amountSats: bigint): Buffer {
  const value = Buffer.allocUnsafe(8);
  value.writeBigInt64LE(BigInt.asIntN(64, amountSats));
  return value;
}

export const setOutputAmount = (map: PsbtMap, amountSats: bigint): void =>
  map.set(OUTPUT.AMOUNT, amountValue(amountSats));

export const setOutputScript = (map: PsbtMap, script: Uint8Array): void => map.set(OUTPUT.SCRIPT, script);

const NO_SCRIPT = new Uint8Array(0);
