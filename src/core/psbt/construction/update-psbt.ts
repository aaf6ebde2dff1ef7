import { DomainError } from '../../errors.ts';
import { witnessProgram } from '../../relay-policy/standard-scripts.ts';
import {
  isFinalized,
  isSigned,
  nonWitnessUtxo,
  previousOutpoint,
  sequenceOf,
  setSequence,
  setWitnessUtxo,
  spentOutput,
} from '../codec/input-fields.ts';
import { INPUT, OUTPUT } from '../codec/key-types.ts';
import { refuseAboveAllMoney } from '../codec/money-range.ts';
import { outputScript } from '../codec/output-fields.ts';
import type { PsbtV2 } from '../psbt.ts';
import type { PsbtEntry, PsbtMap } from '../psbt-map.ts';
import { type DerivedScript, inputFactsOf, outputFactsOf } from './derived-script.ts';
import { matchDescriptors, type UpdaterDescriptors } from './descriptor-matches.ts';
import { inputEntries, outputEntries, refuseOtherTransaction } from './draft-maps.ts';
import type { PsbtInputFacts, PsbtOutputFacts } from './psbt-draft.ts';

export interface PsbtUpdates {
  /** What is said of the input of that index; a sequence only as long as nobody has signed (BIP370). */
  readonly inputs?: readonly (PsbtInputFacts & { readonly index: number; readonly sequence?: number | undefined })[];
  readonly outputs?: readonly (PsbtOutputFacts & { readonly index: number })[];
  /** Fills in what they tell of every input and output whose script they derive. */
  readonly descriptors?: UpdaterDescriptors | undefined;
}

/**
 * BIP174's updater. What is given replaces what is there under the same key. Throws `invalid_value`, `invalid_transaction`,
 * `invalid_descriptor` and their like, naming the field of the updates, and `psbt_not_modifiable` for a sequence that is signed.
 */
export function updatePsbt(psbt: PsbtV2, updates: PsbtUpdates): PsbtV2 {
  const inputs = [...psbt.inputs];
  const outputs = [...psbt.outputs];
  const signed = psbt.inputs.findIndex(isSigned);
  refuseRepeated(updates.inputs ?? [], 'inputs');
  refuseRepeated(updates.outputs ?? [], 'outputs');
  for (const [at, facts] of (updates.inputs ?? []).entries()) {
    const field = `inputs[${at}]`;
    const map = mapAt(inputs, facts.index, field);
    if (facts.sequence !== undefined && facts.sequence !== sequenceOf(map)) {
      if (signed >= 0) throw signedSequence(signed, `${field}.sequence`);
      setSequence(map, facts.sequence);
    }
    setAllowed(map, inputEntries(facts, field), PLACED_IN_INPUT, field);
    refuseOtherTransaction(facts, previousOutpoint(map), field);
  }
  for (const [at, facts] of (updates.outputs ?? []).entries()) {
    const field = `outputs[${at}]`;
    const map = mapAt(outputs, facts.index, field);
    setAllowed(map, outputEntries(facts, field), PLACED_IN_OUTPUT, field);
  }
  if (updates.descriptors) fillFromDescriptors(inputs, outputs, updates.descriptors);
  const updated: PsbtV2 = { version: 2, global: psbt.global, inputs, outputs };
  refuseAboveAllMoney(updated);
  return updated;
}

/** Of two sayings about one map nobody knows which is meant; and each costs as much as the map is long. */
function refuseRepeated(updates: readonly { readonly index: number }[], field: string): void {
  const seen = new Set<number>();
  for (const [at, { index }] of updates.entries()) {
    if (seen.has(index))
      throw new DomainError('invalid_value', `index ${index} is named twice: say all of it in one place`, {
        field: `${field}[${at}].index`,
      });
    seen.add(index);
  }
}

/** A copy of the map at the index, put into its place. */
function mapAt(maps: PsbtMap[], index: number, field: string): PsbtMap {
  const map = maps[index];
  if (map === undefined)
    throw new DomainError('invalid_value', `there are ${maps.length} of them, and none with index ${index}`, {
      field: `${field}.index`,
    });
  const copy = map.clone();
  maps[index] = copy;
  return copy;
}

/** What makes the transaction is the constructor's, what proves it the signer's and finalizer's. */
const PLACED_IN_INPUT: ReadonlySet<number> = new Set([
  INPUT.PREVIOUS_TXID,
  INPUT.OUTPUT_INDEX,
  INPUT.SEQUENCE,
  INPUT.REQUIRED_TIME_LOCKTIME,
  INPUT.REQUIRED_HEIGHT_LOCKTIME,
]);
const PLACED_IN_OUTPUT: ReadonlySet<number> = new Set([OUTPUT.AMOUNT, OUTPUT.SCRIPT]);

function setAllowed(map: PsbtMap, entries: readonly PsbtEntry[], placed: ReadonlySet<number>, field: string): void {
  if (entries.some(({ type }) => placed.has(type)))
    throw new DomainError('invalid_value', 'an updater does not change what makes the transaction', {
      field: `${field}.fields`,
    });
  map.setAll(entries);
}

const signedSequence = (signed: number, field: string): DomainError =>
  new DomainError('psbt_not_modifiable', `the sequence is covered by the signature of input ${signed}`, { field });

function fillFromDescriptors(inputs: PsbtMap[], outputs: PsbtMap[], descriptors: UpdaterDescriptors): void {
  const inputScripts = inputs.map((map) => (isFinalized(map) ? null : (spentOutput(map)?.scriptPubKey ?? null)));
  const outputScripts = outputs.map((map) => Buffer.from(outputScript(map)).toString('hex'));
  const wanted = new Set([...inputScripts.filter((script) => script !== null), ...outputScripts]);
  const matches = matchDescriptors(wanted, descriptors);
  for (const [index, script] of inputScripts.entries()) {
    const match = script === null ? undefined : matches.get(script);
    if (match === undefined) continue;
    const map = mapAt(inputs, index, 'inputs');
    map.setAll(inputEntries(inputFactsOf(match), `inputs[${index}]`));
    addWitnessUtxo(map, match);
  }
  for (const [index, script] of outputScripts.entries()) {
    const match = matches.get(script);
    if (match !== undefined)
      mapAt(outputs, index, 'outputs').setAll(outputEntries(outputFactsOf(match), `outputs[${index}]`));
  }
}

/** A segwit input that has the whole previous transaction gets its output, too: many signers look for it there. */
function addWitnessUtxo(map: PsbtMap, { scriptPubKey, redeemScript }: DerivedScript): void {
  if (map.has(INPUT.WITNESS_UTXO) || witnessProgram(redeemScript ?? scriptPubKey) === null) return;
  const output = nonWitnessUtxo(map)?.outputs[previousOutpoint(map).vout];
  if (output !== undefined) setWitnessUtxo(map, output);
}
