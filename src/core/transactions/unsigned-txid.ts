import { ByteWriter } from '../blocks/byte-writer.ts';
import type { ParsedTransaction } from '../blocks/transaction.ts';
import { hash256 } from '../hashes.ts';
import { displayHash, type Txid } from '../outpoint.ts';

/** The txid that a transaction had before its scriptSigs were put in; its own where all inputs are native segwit. */
export function unsignedTxidOf({ version, inputs, outputs, locktime, txid }: UnsignedParts): Txid {
  if (inputs.every((input) => input.scriptSig.length === 0)) return txid;
  const writer = new ByteWriter(inputs.length * 41 + outputs.length * 43 + 20);
  writer.uint32(version).compactSize(inputs.length);
  for (const { prev, sequence } of inputs) writer.hash(prev.txid).uint32(prev.vout).uint8(0).uint32(sequence);
  writer.compactSize(outputs.length);
  for (const { amountSats, scriptPubKey } of outputs) writer.int64(amountSats).prefixedHex(scriptPubKey);
  return displayHash(hash256(writer.uint32(locktime).done())) as Txid;
}

type UnsignedParts = Pick<ParsedTransaction, 'version' | 'inputs' | 'outputs' | 'locktime' | 'txid'>;
