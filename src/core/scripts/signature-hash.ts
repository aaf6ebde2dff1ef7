import { Transaction } from 'bitcoinjs-lib';
import { ByteWriter } from '../blocks/byte-writer.ts';
import { hash256, sha256 } from '../blocks/hash256.ts';
import type { ParsedInput, ParsedOutput, ParsedTransaction } from '../blocks/transaction.ts';

export const SIGHASH_DEFAULT = 0x00;
export const SIGHASH_ALL = 0x01;
export const SIGHASH_NONE = 0x02;
export const SIGHASH_SINGLE = 0x03;
export const SIGHASH_ANYONECANPAY = 0x80;

/**
 * What signatures of one transaction sign. The hashes over all inputs and outputs are made once and shared by its inputs (BIP143, BIP341),
 * so that a transaction of n inputs costs n, not n squared. `hashType` is one of the defined ones: callers check.
 */
export interface SignatureHasher {
  readonly transaction: ParsedTransaction;
  /** The outputs that the inputs spend, in the inputs' order. */
  readonly spent: readonly ParsedOutput[];
  /** Before segwit. Throws RangeError for SIGHASH_SINGLE without an output of that index, which signs a constant. */
  legacy(index: number, scriptCode: Uint8Array, hashType: number): Uint8Array;
  /** BIP143 */
  segwitV0(index: number, scriptCode: Uint8Array, hashType: number): Uint8Array;
  /** BIP341, key path, no annex. Throws RangeError for SIGHASH_SINGLE without an output of that index. */
  taproot(index: number, hashType: number): Uint8Array;
}

const ZERO_HASH = Buffer.alloc(32);
const OUTPOINT_SIZE = 36;
/** Outpoint, length of an empty script, sequence. */
const BLANK_INPUT_SIZE = OUTPOINT_SIZE + 1 + 4;
const TAG = sha256(Buffer.from('TapSighash'));
const TAP_SIGHASH_PREFIX = Buffer.concat([TAG, TAG]);

export function createSignatureHasher(transaction: ParsedTransaction, spent: readonly ParsedOutput[]): SignatureHasher {
  const { inputs, outputs } = transaction;
  if (spent.length !== inputs.length) throw new RangeError('every input needs the output that it spends');
  const prevouts = once(() => sha256(joined(inputs, writeOutpoint)));
  const sequences = once(() => sha256(joined(inputs, (writer, input) => writer.uint32(input.sequence))));
  const amounts = once(() => sha256(joined(spent, (writer, output) => writer.int64(output.amountSats))));
  const scripts = once(() => sha256(joined(spent, (writer, output) => writer.prefixedHex(output.scriptPubKey))));
  const allOutputs = once(() => sha256(joined(outputs, writeOutput)));
  const oneOutput = (index: number) => sha256(joined(outputs.slice(index, index + 1), writeOutput));
  // BIP143 hashes the same parts twice.
  const doubled = {
    prevouts: once(() => sha256(prevouts())),
    sequences: once(() => sha256(sequences())),
    outputs: once(() => sha256(allOutputs())),
  };
  const legacyForm = once(() => Transaction.fromBuffer(transaction.raw));
  // Legacy SIGHASH_ALL: all inputs with empty scripts, and all outputs; only the signed input's script differs.
  const blankInputs = once(() =>
    joined(inputs, (writer, input) => writeOutpoint(writer, input).uint8(0).uint32(input.sequence)),
  );
  const outputList = once(() => joined(outputs, writeOutput));

  const hasOutput = (index: number): void => {
    if (index >= outputs.length) throw new RangeError('SIGHASH_SINGLE without an output of that index');
  };

  const legacyAll = (index: number, scriptCode: Uint8Array): Uint8Array => {
    const at = index * BLANK_INPUT_SIZE + OUTPOINT_SIZE;
    const writer = new ByteWriter(blankInputs().length + outputList().length + scriptCode.length + 32);
    writer.uint32(transaction.version).compactSize(inputs.length);
    writer.bytes(blankInputs().subarray(0, at)).prefixed(scriptCode);
    writer
      .bytes(blankInputs().subarray(at + 1))
      .compactSize(outputs.length)
      .bytes(outputList());
    return hash256(writer.uint32(transaction.locktime).uint32(SIGHASH_ALL).done());
  };

  return {
    transaction,
    spent,
    legacy(index, scriptCode, hashType) {
      if (hashType === SIGHASH_ALL) return legacyAll(index, scriptCode);
      if ((hashType & 0x1f) === SIGHASH_SINGLE) hasOutput(index);
      return legacyForm().hashForSignature(index, scriptCode, hashType);
    },
    segwitV0(index, scriptCode, hashType) {
      const input = inputs[index] as ParsedInput;
      const base = hashType & 0x1f;
      const anyoneCanPay = (hashType & SIGHASH_ANYONECANPAY) !== 0;
      const limited = base === SIGHASH_SINGLE || base === SIGHASH_NONE;
      const writer = new ByteWriter(160 + scriptCode.length);
      writer.uint32(transaction.version);
      writer.bytes(anyoneCanPay ? ZERO_HASH : doubled.prevouts());
      writer.bytes(anyoneCanPay || limited ? ZERO_HASH : doubled.sequences());
      writeOutpoint(writer, input);
      writer
        .prefixed(scriptCode)
        .int64((spent[index] as ParsedOutput).amountSats)
        .uint32(input.sequence);
      if (!limited) writer.bytes(doubled.outputs());
      else writer.bytes(base === SIGHASH_SINGLE && index < outputs.length ? sha256(oneOutput(index)) : ZERO_HASH);
      return hash256(writer.uint32(transaction.locktime).uint32(hashType).done());
    },
    taproot(index, hashType) {
      const input = inputs[index] as ParsedInput;
      const base = hashType & 0x03;
      const writer = new ByteWriter(320).bytes(TAP_SIGHASH_PREFIX);
      writer.uint8(0).uint8(hashType).uint32(transaction.version).uint32(transaction.locktime);
      const anyoneCanPay = (hashType & SIGHASH_ANYONECANPAY) !== 0;
      if (!anyoneCanPay) writer.bytes(prevouts()).bytes(amounts()).bytes(scripts()).bytes(sequences());
      if (base === SIGHASH_DEFAULT || base === SIGHASH_ALL) writer.bytes(allOutputs());
      writer.uint8(0);
      if (anyoneCanPay) {
        writeOutpoint(writer, input);
        writeOutput(writer, spent[index] as ParsedOutput);
        writer.uint32(input.sequence);
      } else writer.uint32(index);
      if (base === SIGHASH_SINGLE) {
        hasOutput(index);
        writer.bytes(oneOutput(index));
      }
      return sha256(writer.done());
    },
  };
}

function writeOutpoint(writer: ByteWriter, input: ParsedInput): ByteWriter {
  return writer.hash(input.prev.txid).uint32(input.prev.vout);
}

function writeOutput(writer: ByteWriter, output: ParsedOutput): void {
  writer.int64(output.amountSats).prefixedHex(output.scriptPubKey);
}

function joined<T>(items: readonly T[], write: (writer: ByteWriter, item: T) => void): Buffer {
  const writer = new ByteWriter(items.length * 44);
  for (const item of items) write(writer, item);
  return writer.done();
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
