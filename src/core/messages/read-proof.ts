import { type ParsedOutput, type ParsedTransaction, parseTransaction } from '../blocks/transaction.ts';
import { DomainError } from '../errors.ts';
import type { Txid } from '../outpoint.ts';
import { finalScriptWitness, nonWitnessUtxo, previousOutpoint, witnessUtxo } from '../psbt/codec/input-fields.ts';
import { parsePsbt } from '../psbt/codec/parse-psbt.ts';
import { toVersion2 } from '../psbt/construction/migrate.ts';
import { extractTransaction } from '../psbt/finalizing/extract-transaction.ts';
import type { PsbtV2 } from '../psbt/psbt.ts';
import { witnessProgram } from '../relay-policy/standard-scripts.ts';

/** A finalized PSBT of to_sign, of either version. Throws DomainError (PsbtError among them) with what is wrong. */
export function readProof(bytes: Uint8Array) {
  const parsed = parsePsbt(bytes);
  const psbt = parsed.version === 0 ? toVersion2(parsed) : parsed;
  const transaction = parseTransaction(extractTransaction(psbt).raw);
  return {
    transaction,
    /** What the inputs behind the first spend, in their order. */
    claimed: claimedOutputs(psbt),
  };
}

export type Proof = ReturnType<typeof readProof>;

/** Inputs that spend outputs of one transaction may share the non-witness UTXO of the first of them (BIP322). */
function claimedOutputs(psbt: PsbtV2): ParsedOutput[] {
  const previous = new Map<Txid, ParsedTransaction>();
  return psbt.inputs.slice(1).map((input, at) => {
    const { txid, vout } = previousOutpoint(input);
    const given = nonWitnessUtxo(input);
    if (given && !previous.has(txid)) previous.set(txid, given);
    const whole = previous.get(txid);
    if (whole) return whole.outputs[vout] ?? fail(mismatch(at + 1, 'its non-witness UTXO has no such output'));
    const witness = witnessUtxo(input);
    if (!witness) throw mismatch(at + 1, 'its UTXO is not given');
    // Signatures before segwit commit to no amount, so that only the whole transaction shows what is claimed.
    const native = witnessProgram(Buffer.from(witness.scriptPubKey, 'hex')) !== null;
    if (!native && (finalScriptWitness(input)?.length ?? 0) === 0)
      throw mismatch(at + 1, 'it needs a non-witness UTXO');
    return witness;
  });
}

const mismatch = (index: number, reason: string): DomainError =>
  new DomainError('psbt_mismatch', `input ${index}: ${reason}`);

function fail(error: DomainError): never {
  throw error;
}
