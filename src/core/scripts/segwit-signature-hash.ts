import { ByteWriter } from '../blocks/byte-writer.ts';
import { hash256 } from '../hashes.ts';
import { signsNoOutput, signsOneInput, signsOneOutput } from './sighash-type.ts';
import { OUTPOINT_SIZE, once, type SpentPart, type TransactionParts } from './transaction-parts.ts';

const ZERO_HASH = Buffer.alloc(32);

/** The hash that signatures of version 0 witness programs sign (BIP143), any hash type. */
export function segwitV0Hasher(
  parts: TransactionParts,
): (index: number, scriptCode: Uint8Array, hashType: number) => Uint8Array {
  const { outpoints, sequences, outputs } = parts;
  const prevouts = once(() => hash256(outpoints));
  const allSequences = once(() => hash256(sequences));
  const allOutputs = once(() => hash256(Buffer.concat(outputs)));

  return (index, scriptCode, hashType) => {
    const spent = parts.spent[index] as SpentPart | null;
    if (spent === null) throw new RangeError('the output that the input spends is not known');
    const single = signsOneOutput(hashType);
    const anyoneCanPay = signsOneInput(hashType);
    const limited = single || signsNoOutput(hashType);
    const writer = new ByteWriter(192 + scriptCode.length).uint32(parts.version);
    writer.bytes(anyoneCanPay ? ZERO_HASH : prevouts());
    writer.bytes(anyoneCanPay || limited ? ZERO_HASH : allSequences());
    writer.bytes(outpoints.subarray(index * OUTPOINT_SIZE, (index + 1) * OUTPOINT_SIZE));
    writer.prefixed(scriptCode).bytes(spent.amount);
    writer.bytes(sequences.subarray(index * 4, index * 4 + 4));
    if (!limited) writer.bytes(allOutputs());
    else writer.bytes(single && index < outputs.length ? hash256(outputs[index] as Buffer) : ZERO_HASH);
    return hash256(writer.uint32(parts.locktime).uint32(hashType).done());
  };
}
