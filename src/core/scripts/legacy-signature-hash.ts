import { ByteWriter } from '../blocks/byte-writer.ts';
import { DomainError } from '../errors.ts';
import { hash256 } from '../hashes.ts';
import { scriptWithoutSeparators } from './code-separator.ts';
import { signsNoOutput, signsOneInput, signsOneOutput } from './sighash-type.ts';
import { OUTPOINT_SIZE, once, type TransactionParts } from './transaction-parts.ts';

/** Outpoint, length of an empty script, sequence. */
const BLANK_INPUT = OUTPOINT_SIZE + 1 + 4;
const BLANK_OUTPUT = Buffer.from('ffffffffffffffff00', 'hex');

/**
 * Each hash before segwit covers the transaction whole, which is quadratic by design. More than this in sum is refused: it is over ten
 * times what the inputs of the largest relayed transaction come to.
 */
const MAX_BYTES = 1 << 28;

/** The hash that signatures before segwit sign, any hash type. Throws `too_large` where all hashes asked for come to over 256 MiB. */
export function legacyHasher(
  parts: TransactionParts,
): (index: number, scriptCode: Uint8Array, hashType: number) => Uint8Array {
  const { inputCount, outpoints, sequences, outputs } = parts;
  const blankInputs = (withSequences: boolean): Buffer => {
    const blank = Buffer.alloc(inputCount * BLANK_INPUT);
    for (let at = 0; at < inputCount; at++) {
      blank.set(outpoints.subarray(at * OUTPOINT_SIZE, (at + 1) * OUTPOINT_SIZE), at * BLANK_INPUT);
      if (withSequences) blank.set(sequences.subarray(at * 4, at * 4 + 4), at * BLANK_INPUT + OUTPOINT_SIZE + 1);
    }
    return blank;
  };
  const inputs = once(() => blankInputs(true));
  const inputsWithoutSequence = once(() => blankInputs(false));
  const outputList = once(() => Buffer.concat(outputs));
  let hashed = 0;

  return (index, scriptCode, hashType) => {
    const [none, single] = [signsNoOutput(hashType), signsOneOutput(hashType)];
    if (single && index >= outputs.length) throw new RangeError('SIGHASH_SINGLE without an output of that index');
    const script = scriptWithoutSeparators(scriptCode);
    const sequence = sequences.subarray(index * 4, index * 4 + 4);
    const writer = new ByteWriter(inputCount * BLANK_INPUT + script.length + 1024).uint32(parts.version);
    if (signsOneInput(hashType)) {
      writer.compactSize(1).bytes(outpoints.subarray(index * OUTPOINT_SIZE, (index + 1) * OUTPOINT_SIZE));
      writer.prefixed(script).bytes(sequence);
    } else {
      const others = none || single ? inputsWithoutSequence() : inputs();
      const at = index * BLANK_INPUT;
      writer
        .compactSize(inputCount)
        .bytes(others.subarray(0, at + OUTPOINT_SIZE))
        .prefixed(script);
      writer.bytes(sequence).bytes(others.subarray(at + BLANK_INPUT));
    }
    if (none) writer.compactSize(0);
    else if (single) {
      writer.compactSize(index + 1);
      for (let at = 0; at < index; at++) writer.bytes(BLANK_OUTPUT);
      writer.bytes(outputs[index] as Buffer);
    } else writer.compactSize(outputs.length).bytes(outputList());
    const message = writer.uint32(parts.locktime).uint32(hashType).done();
    hashed += message.length;
    if (hashed > MAX_BYTES)
      throw new DomainError('too_large', 'the transaction has more inputs from before segwit than can be signed here');
    return hash256(message);
  };
}
