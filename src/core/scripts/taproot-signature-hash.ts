import { ByteWriter } from '../blocks/byte-writer.ts';
import { sha256, tagPrefix } from '../hashes.ts';
import { signsNoOutput, signsOneInput, signsOneOutput } from './sighash-type.ts';
import { OUTPOINT_SIZE, once, type SpentPart, type TransactionParts } from './transaction-parts.ts';

const PREFIX = tagPrefix('TapSighash');
const NO_SEPARATOR = 0xffffffff;
const KEY_VERSION = 0;

export interface TapscriptContext {
  /** The leaf that is spent (BIP342); left out for the key path. */
  readonly leafHash?: Uint8Array;
  /** Position of the last executed OP_CODESEPARATOR, counted in opcodes; left out where there is none. */
  readonly codeSeparator?: number;
  /** With its first byte 0x50. */
  readonly annex?: Uint8Array;
}

/** The hash that Schnorr signatures of taproot inputs sign: BIP341, and BIP342's extension where a leaf is given. */
export function taprootHasher(
  parts: TransactionParts,
): (index: number, hashType: number, context?: TapscriptContext) => Uint8Array {
  const { outpoints, sequences, outputs } = parts;
  const spentAt = (index: number): SpentPart => {
    const spent = parts.spent[index];
    if (!spent) throw new RangeError('an output that the inputs spend is not known');
    return spent;
  };
  const everySpent = (): SpentPart[] => parts.spent.map((_, index) => spentAt(index));
  // Without ANYONECANPAY: outpoints, amounts, scripts and sequences of all inputs.
  const allInputs = once(() => {
    const spent = everySpent();
    const scripts = new ByteWriter(spent.length * 36);
    for (const { script } of spent) scripts.prefixed(script);
    return Buffer.concat([
      sha256(outpoints),
      sha256(Buffer.concat(spent.map(({ amount }) => amount))),
      sha256(scripts.done()),
      sha256(sequences),
    ]);
  });
  const allOutputs = once(() => sha256(Buffer.concat(outputs)));

  return (index, hashType, { leafHash, codeSeparator = NO_SEPARATOR, annex } = {}) => {
    const single = signsOneOutput(hashType);
    const writer = new ByteWriter(352).bytes(PREFIX).uint8(0).uint8(hashType);
    writer.uint32(parts.version).uint32(parts.locktime);
    const anyoneCanPay = signsOneInput(hashType);
    if (!anyoneCanPay) writer.bytes(allInputs());
    if (!single && !signsNoOutput(hashType)) writer.bytes(allOutputs());
    writer.uint8((leafHash ? 2 : 0) + (annex ? 1 : 0));
    if (anyoneCanPay) {
      const { amount, script } = spentAt(index);
      writer.bytes(outpoints.subarray(index * OUTPOINT_SIZE, (index + 1) * OUTPOINT_SIZE));
      writer.bytes(amount).prefixed(script);
      writer.bytes(sequences.subarray(index * 4, index * 4 + 4));
    } else writer.uint32(index);
    if (annex) writer.bytes(sha256(new ByteWriter(annex.length + 9).prefixed(annex).done()));
    if (single) {
      if (index >= outputs.length) throw new RangeError('SIGHASH_SINGLE without an output of that index');
      writer.bytes(sha256(outputs[index] as Buffer));
    }
    if (leafHash) writer.bytes(leafHash).uint8(KEY_VERSION).uint32(codeSeparator);
    return sha256(writer.done());
  };
}
