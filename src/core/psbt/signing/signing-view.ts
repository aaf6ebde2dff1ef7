import { readUint32 } from '../../blocks/byte-cursor.ts';
import { DomainError } from '../../errors.ts';
import { signatureHashesOf } from '../../scripts/signature-hash.ts';
import { createTransactionParts, type SpentPart } from '../../scripts/transaction-parts.ts';
import { requiredValue, sequenceOf } from '../codec/input-fields.ts';
import { INPUT, OUTPUT } from '../codec/key-types.ts';
import { hasScript, outputScript } from '../codec/output-fields.ts';
import { createMusigWork } from '../musig/musig-targets.ts';
import type { PsbtV2 } from '../psbt.ts';
import { locktimeOf, transactionVersion } from '../transaction-of.ts';
import { type InputSpend, inputSpend } from './input-spend.ts';
import { isObstacle, type Obstacle, spentPartOf } from './spent-part.ts';

/** Nodes relay at most 400,000 weight units, four for each byte outside of witnesses: some 2,400 inputs. */
const MAX_BYTES = 100_000;
const MIN_INPUT = 41;
/** In ECDSA signatures, of which 400,000 weight units hold less than 4,000: checking all of them takes a second or two. */
const MAX_CHECKS = 20_000;
/** A Schnorr signature takes as long to check as so many ECDSA signatures. */
const SCHNORR = 4;

/**
 * A PSBT laid out for making and checking signatures: reads everything that they are about. Throws `psbt_incomplete` where no locktime
 * suits every input or an output has no script yet, and `too_large` where no node would relay the transaction.
 */
export function openSigningView(psbt: PsbtV2) {
  const locktime = locktimeOf(psbt);
  if (locktime === null)
    throw incomplete('one input requires a block height as locktime and another a time: no transaction has both');
  const { inputs, outputs } = psbt;
  const parts = createTransactionParts(transactionVersion(psbt), locktime, inputs.length, outputs.length);
  const spent: (SpentPart | Obstacle)[] = [];
  let size = inputs.length * MIN_INPUT;
  for (const [index, input] of inputs.entries()) {
    const vout = readUint32(requiredValue(input, INPUT.OUTPUT_INDEX), 0);
    parts.setInput(index, requiredValue(input, INPUT.PREVIOUS_TXID), vout, sequenceOf(input));
    const part = spentPartOf(input);
    spent.push(part);
    if (!isObstacle(part)) parts.setSpent(index, part);
  }
  for (const [index, output] of outputs.entries()) {
    if (!hasScript(output)) throw incomplete(`output ${index} is a silent payment whose script is not computed yet`);
    parts.setOutput(index, requiredValue(output, OUTPUT.AMOUNT), outputScript(output));
    size += (parts.outputs[index] as Buffer).length;
  }
  if (size > MAX_BYTES)
    throw new DomainError(
      'too_large',
      'the transaction is larger than nodes relay: it has more than 100,000 bytes without scriptSigs and witnesses',
      { field: 'psbt' },
    );
  const spends: (InputSpend | Obstacle)[] = [];
  let checks = MAX_CHECKS;
  return {
    psbt,
    parts,
    hashes: signatureHashesOf(parts),
    spent,
    /** The first input whose UTXO is not known; -1 where all are. */
    firstUnknown: spent.findIndex(isObstacle),
    musig: createMusigWork(),
    /** Announces a signature before it is checked. Throws `too_large` above what one PSBT may ask for. */
    announceCheck(scheme: 'ecdsa' | 'schnorr') {
      checks -= scheme === 'schnorr' ? SCHNORR : 1;
      if (checks < 0)
        throw new DomainError('too_large', 'the PSBT has more signatures than a transaction that is relayed can use', {
          field: 'psbt',
        });
    },
    /** How each input is spent; computed when first asked for. */
    spend(index: number) {
      spends[index] ??= inputSpend(inputs[index] as PsbtV2['inputs'][number], spent[index] as SpentPart | Obstacle);
      return spends[index];
    },
  };
}

export type SigningView = ReturnType<typeof openSigningView>;

const incomplete = (message: string): DomainError => new DomainError('psbt_incomplete', message, { field: 'psbt' });
