import { readUint32 } from '../../blocks/byte-cursor.ts';
import { ByteWriter } from '../../blocks/byte-writer.ts';
import { DomainError } from '../../errors.ts';
import { hash256 } from '../../hashes.ts';
import { displayHash, type Txid } from '../../outpoint.ts';
import { isFinalized, requiredValue, sequenceOf } from '../codec/input-fields.ts';
import { INPUT, OUTPUT } from '../codec/key-types.ts';
import { hasScript, outputScript } from '../codec/output-fields.ts';
import type { PsbtV2 } from '../psbt.ts';
import { isObstacle, spentPartOf } from '../signing/spent-part.ts';
import { locktimeOf, transactionVersion } from '../transaction-of.ts';

const NO_SCRIPT = new Uint8Array(0);
const NO_WITNESS = Uint8Array.of(0);
const MAX_NAMED = 10;

/** BIP174's transaction extractor. Throws `psbt_incomplete`, naming the inputs that are not final. No script is run. */
export function extractTransaction(psbt: PsbtV2) {
  const { inputs, outputs } = psbt;
  const locktime = locktimeOf(psbt);
  if (locktime === null) throw incomplete('the locktimes that its inputs require have no common one');
  if (inputs.length === 0 || outputs.length === 0) throw incomplete('a transaction has inputs and outputs');
  if (!outputs.every(hasScript)) throw incomplete("a silent payment's script is not computed yet");
  refuseUnfinished(psbt);
  const witnesses = inputs.map((input) => input.get(INPUT.FINAL_SCRIPTWITNESS) ?? NO_WITNESS);
  const segwit = witnesses.some((witness) => witness[0] !== 0);
  const body = new ByteWriter(64 + inputs.length * 64 + outputs.length * 44).compactSize(inputs.length);
  for (const input of inputs) {
    body.bytes(requiredValue(input, INPUT.PREVIOUS_TXID)).bytes(requiredValue(input, INPUT.OUTPUT_INDEX));
    body.prefixed(input.get(INPUT.FINAL_SCRIPTSIG) ?? NO_SCRIPT).uint32(sequenceOf(input));
  }
  body.compactSize(outputs.length);
  for (const output of outputs) body.bytes(requiredValue(output, OUTPUT.AMOUNT)).prefixed(outputScript(output));
  const middle = body.done();
  const frame = Buffer.allocUnsafe(8);
  frame.writeUInt32LE(transactionVersion(psbt), 0);
  frame.writeUInt32LE(locktime, 4);
  const [version, end] = [frame.subarray(0, 4), frame.subarray(4)];
  const stripped = Buffer.concat([version, middle, end]);
  const raw = segwit ? Buffer.concat([version, Buffer.of(0, 1), middle, ...witnesses, end]) : stripped;
  const weight = stripped.length * 3 + raw.length;
  return {
    /** Network serialization. */
    raw,
    txid: displayHash(hash256(stripped)) as Txid,
    weight,
    vsize: Math.ceil(weight / 4),
    /** What the inputs spend above what the outputs pay; null where a UTXO is not given. Whether that is too much is the caller's question. */
    feeSats: feeOf(psbt),
  };
}

export type ExtractedTransaction = ReturnType<typeof extractTransaction>;

function refuseUnfinished({ inputs }: PsbtV2): void {
  const unfinished: number[] = [];
  for (const [index, input] of inputs.entries()) if (!isFinalized(input)) unfinished.push(index);
  if (unfinished.length === 0) return;
  const more = unfinished.length > MAX_NAMED ? ` and ${unfinished.length - MAX_NAMED} more` : '';
  const named = `${unfinished.slice(0, MAX_NAMED).join(', ')}${more}`;
  const which = unfinished.length === 1 ? 'this input is' : 'these inputs are';
  throw incomplete(`${which} not final: ${named}; finalize the PSBT first (POST /api/psbt/v2/finalize)`);
}

function feeOf({ inputs, outputs }: PsbtV2): bigint | null {
  let fee = 0n;
  for (const input of inputs) {
    const spent = spentPartOf(input);
    if (isObstacle(spent)) return null;
    fee += spent.amount.readBigInt64LE();
  }
  for (const output of outputs) fee -= amountOf(requiredValue(output, OUTPUT.AMOUNT));
  return fee;
}

const amountOf = (bytes: Uint8Array): bigint => (BigInt(readUint32(bytes, 4)) << 32n) | BigInt(readUint32(bytes, 0));

const incomplete = (reason: string): DomainError =>
  new DomainError('psbt_incomplete', `the PSBT gives no network transaction yet: ${reason}`, { field: 'psbt' });
