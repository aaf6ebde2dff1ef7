/** What an input's map says, and how it is said: readers and writers of one PsbtMap whose fields were checked when it was read. */
import { ByteCursor, readUint32 } from '../../blocks/byte-cursor.ts';
import { ByteWriter } from '../../blocks/byte-writer.ts';
import { type ParsedOutput, type ParsedTransaction, parseTransaction } from '../../blocks/transaction.ts';
import { hex } from '../../bytes.ts';
import { displayHash, internalHash, type Outpoint, type Txid } from '../../outpoint.ts';
import type { PsbtEntry, PsbtMap } from '../psbt-map.ts';
import { INPUT } from './key-types.ts';

export { bip32Derivations, tapBip32Derivations } from './key-derivations.ts';

export const FINAL_SEQUENCE = 0xffffffff;

/** Of an input of version 2. */
export function previousOutpoint(map: PsbtMap): Outpoint {
  return { txid: displayHash(requiredValue(map, INPUT.PREVIOUS_TXID)) as Txid, vout: previousVout(map) };
}

/** Its index alone. */
export const previousVout = (map: PsbtMap): number => readUint32(requiredValue(map, INPUT.OUTPUT_INDEX), 0);

/** Of an input of version 2: final where it says nothing (BIP370). */
export const sequenceOf = (map: PsbtMap): number => uint32Of(map, INPUT.SEQUENCE) ?? FINAL_SEQUENCE;

export const requiredTimeLocktime = (map: PsbtMap): number | null => uint32Of(map, INPUT.REQUIRED_TIME_LOCKTIME);
export const requiredHeightLocktime = (map: PsbtMap): number | null => uint32Of(map, INPUT.REQUIRED_HEIGHT_LOCKTIME);
export const sighashTypeOf = (map: PsbtMap): number | null => uint32Of(map, INPUT.SIGHASH_TYPE);

export function witnessUtxo(map: PsbtMap): ParsedOutput | null {
  const value = map.get(INPUT.WITNESS_UTXO);
  if (value === null) return null;
  const cursor = new ByteCursor(value);
  const amountSats = cursor.int64('an amount');
  const script = cursor.take(cursor.compactSize("a script's length"), 'a script');
  return { amountSats, scriptPubKey: hex(script) };
}

/** Parsed anew at each call, and as long as the transaction is: keep what you got. */
export function nonWitnessUtxo(map: PsbtMap): ParsedTransaction | null {
  const value = map.get(INPUT.NON_WITNESS_UTXO);
  return value === null ? null : parseTransaction(value);
}

/**
 * The output that an input of version 2 spends: of its previous transaction where that is there, else its witness UTXO. null where there
 * is neither, and where the previous transaction is not the one that the outpoint names or has no such output.
 */
export function spentOutput(map: PsbtMap): ParsedOutput | null {
  const previous = nonWitnessUtxo(map);
  if (previous === null) return witnessUtxo(map);
  const { txid, vout } = previousOutpoint(map);
  return previous.txid === txid ? (previous.outputs[vout] ?? null) : null;
}

export interface PartialSignature {
  /** 33 or 65 bytes */
  readonly publicKey: Uint8Array;
  /** DER and the hash type, as it is pushed */
  readonly signature: Uint8Array;
}

export const partialSignatures = (map: PsbtMap): PartialSignature[] =>
  map.all(INPUT.PARTIAL_SIG).map(({ keyData, value }) => ({ publicKey: keyData, signature: value }));

export interface TapLeafScript {
  readonly controlBlock: Uint8Array;
  readonly script: Uint8Array;
  readonly leafVersion: number;
}

export const tapLeafScripts = (map: PsbtMap): TapLeafScript[] =>
  map.all(INPUT.TAP_LEAF_SCRIPT).map(({ keyData, value }) => ({
    controlBlock: keyData,
    script: value.subarray(0, -1),
    leafVersion: value[value.length - 1] as number,
  }));

export interface TapScriptSignature {
  readonly xOnlyKey: Uint8Array;
  readonly leafHash: Uint8Array;
  /** 64 bytes, or 65 with the hash type */
  readonly signature: Uint8Array;
}

export const tapScriptSignatures = (map: PsbtMap): TapScriptSignature[] =>
  map.all(INPUT.TAP_SCRIPT_SIG).map(({ keyData, value }) => ({
    xOnlyKey: keyData.subarray(0, 32),
    leafHash: keyData.subarray(32),
    signature: value,
  }));

/** The items of the final witness, or null where there is none. */
export function finalScriptWitness(map: PsbtMap): Uint8Array[] | null {
  const value = map.get(INPUT.FINAL_SCRIPTWITNESS);
  if (value === null) return null;
  const cursor = new ByteCursor(value);
  const items: Uint8Array[] = [];
  for (let left = cursor.count(1, 'the count'); left > 0; left--)
    items.push(cursor.take(cursor.compactSize("an item's length"), 'an item'));
  return items;
}

export const isFinalized = (map: PsbtMap): boolean =>
  map.has(INPUT.FINAL_SCRIPTSIG) || map.has(INPUT.FINAL_SCRIPTWITNESS);

/** Whether anybody has signed it in any way: no part of what was signed may change then. */
export const isSigned = (map: PsbtMap): boolean => {
  for (const { type } of map.pairs()) if (SIGNATURES.has(type)) return true;
  return false;
};

const SIGNATURES: ReadonlySet<number> = new Set([
  INPUT.PARTIAL_SIG,
  INPUT.FINAL_SCRIPTSIG,
  INPUT.FINAL_SCRIPTWITNESS,
  INPUT.TAP_KEY_SIG,
  INPUT.TAP_SCRIPT_SIG,
  INPUT.MUSIG2_PARTIAL_SIG,
]);

export function setPreviousOutpoint(map: PsbtMap, { txid, vout }: Outpoint): void {
  map.set(INPUT.PREVIOUS_TXID, internalHash(txid));
  map.set(INPUT.OUTPUT_INDEX, uint32Value(vout));
}

export const setSequence = (map: PsbtMap, sequence: number): void => map.set(INPUT.SEQUENCE, uint32Value(sequence));

export const setSighashType = (map: PsbtMap, type: number): void => map.set(INPUT.SIGHASH_TYPE, uint32Value(type));

export const setWitnessUtxo = (map: PsbtMap, output: ParsedOutput): void =>
  map.set(INPUT.WITNESS_UTXO, outputValue(output.amountSats, Buffer.from(output.scriptPubKey, 'hex')));

/** `raw` is the whole previous transaction in network serialization. */
export const setNonWitnessUtxo = (map: PsbtMap, raw: Uint8Array): void => map.set(INPUT.NON_WITNESS_UTXO, raw);

export const setPartialSignature = (map: PsbtMap, { publicKey, signature }: PartialSignature): void =>
  map.set(INPUT.PARTIAL_SIG, signature, publicKey);

export const tapLeafScriptEntry = ({ controlBlock, script, leafVersion }: TapLeafScript): PsbtEntry => ({
  type: INPUT.TAP_LEAF_SCRIPT,
  keyData: controlBlock,
  value: Buffer.concat([script, Uint8Array.of(leafVersion)]),
});

export function setFinalScriptWitness(map: PsbtMap, items: readonly Uint8Array[]): void {
  const writer = new ByteWriter().compactSize(items.length);
  for (const item of items) writer.prefixed(item);
  map.set(INPUT.FINAL_SCRIPTWITNESS, writer.done());
}

/** A transaction output in network serialization. */
export const outputValue = (amountSats: bigint, script: Uint8Array): Buffer =>
  new ByteWriter(9 + script.length + 2).int64(amountSats).prefixed(script).done();

export function uint32Value(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint32Of(map: PsbtMap, type: number): number | null {
  const value = map.get(type);
  return value === null ? null : readUint32(value, 0);
}

export function requiredValue(map: PsbtMap, type: number): Uint8Array {
  const value = map.get(type);
  if (value === null) throw new RangeError(`the map has no field of type ${type}, which version 2 requires`);
  return value;
}
