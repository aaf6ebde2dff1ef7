import { MAX_SATS } from '../../amount.ts';
import { ByteCursor } from '../../blocks/byte-cursor.ts';
import { ByteWriter } from '../../blocks/byte-writer.ts';
import { MalformedDataError } from '../../blocks/malformed-data-error.ts';
import type { ParsedInput, ParsedOutput } from '../../blocks/transaction.ts';
import { hex } from '../../bytes.ts';
import { displayHash, type Txid } from '../../outpoint.ts';
import type { UnsignedTransactionForm } from '../psbt.ts';
import { PsbtError, type PsbtProblem } from '../psbt-error.ts';

const MIN_INPUT = 41;
const MIN_OUTPUT = 9;
const NO_SCRIPT = new Uint8Array(0);
const NO_WITNESS: readonly Uint8Array[] = [];

/** The value of PSBT_GLOBAL_UNSIGNED_TX: BIP174 wants the serialization without witnesses, and every scriptSig empty. Throws PsbtError. */
export function readUnsignedTransaction(value: Uint8Array): UnsignedTransactionForm {
  const cursor = new ByteCursor(value);
  try {
    const version = cursor.uint32('the version');
    const inputs: ParsedInput[] = [];
    for (let left = cursor.count(MIN_INPUT, 'the input count'); left > 0; left--) inputs.push(readInput(cursor));
    const outputs: ParsedOutput[] = [];
    for (let left = cursor.count(MIN_OUTPUT, 'the output count'); left > 0; left--) outputs.push(readOutput(cursor));
    const locktime = cursor.uint32('the locktime');
    if (cursor.remaining > 0) throw new MalformedDataError(`${cursor.remaining} bytes follow it`, cursor.offset);
    return { version, locktime, inputs, outputs };
  } catch (error) {
    if (!(error instanceof MalformedDataError)) throw error;
    const witnesses = value[4] === 0 && value[5] === 1 ? '; this may be a serialization with witnesses' : '';
    throw refusal(
      'invalid_value',
      `the value of PSBT_GLOBAL_UNSIGNED_TX must be one transaction, serialized without witnesses: ${error.message}${witnesses}`,
    );
  }
}

/** The same bytes again. */
export function writeUnsignedTransaction({ version, locktime, inputs, outputs }: UnsignedTransactionForm): Buffer {
  const writer = new ByteWriter(20 + inputs.length * MIN_INPUT + outputs.length * 44);
  writer.uint32(version).compactSize(inputs.length);
  for (const { prev, sequence } of inputs) writer.hash(prev.txid).uint32(prev.vout).uint8(0).uint32(sequence);
  writer.compactSize(outputs.length);
  for (const { amountSats, scriptPubKey } of outputs) writer.int64(amountSats).prefixedHex(scriptPubKey);
  return writer.uint32(locktime).done();
}

function readInput(cursor: ByteCursor): ParsedInput {
  const txid = displayHash(cursor.take(32, 'an outpoint')) as Txid;
  const vout = cursor.uint32('an outpoint');
  if (cursor.compactSize("a scriptSig's length") > 0)
    throw refusal(
      'signed_transaction',
      'PSBT_GLOBAL_UNSIGNED_TX must have an empty scriptSig in every input: signatures belong into the maps of the inputs',
    );
  return { prev: { txid, vout }, sequence: cursor.uint32('a sequence'), scriptSig: NO_SCRIPT, witness: NO_WITNESS };
}

function readOutput(cursor: ByteCursor): ParsedOutput {
  const start = cursor.offset;
  const amountSats = cursor.int64('an amount');
  const script = cursor.take(cursor.compactSize("a scriptPubKey's length"), 'a scriptPubKey');
  if (amountSats < 0n || amountSats > MAX_SATS)
    throw new MalformedDataError('an amount is not between 0 and 21,000,000 BTC', start);
  return { amountSats, scriptPubKey: hex(script) };
}

const refusal = (problem: PsbtProblem, message: string): PsbtError =>
  new PsbtError(problem, message, { place: { map: 'global' }, fieldName: 'PSBT_GLOBAL_UNSIGNED_TX' });
