/** BIP370's constructor: adds and removes inputs and outputs as far as the PSBT and the signatures in it allow. */
import { DomainError } from '../../errors.ts';
import { outpointKey } from '../../outpoint.ts';
import { witnessProgram } from '../../relay-policy/standard-scripts.ts';
import { hasSighashSingle, inputsModifiable, outputsModifiable, withMaps } from '../codec/global-fields.ts';
import { previousOutpoint, spentOutput } from '../codec/input-fields.ts';
import { refuseAboveAllMoney } from '../codec/money-range.ts';
import { silentPaymentKeys } from '../codec/output-fields.ts';
import type { PsbtV2 } from '../psbt.ts';
import type { PsbtMap } from '../psbt-map.ts';
import { locktimeOf } from '../transaction-of.ts';
import { inputMap, outputMap } from './draft-maps.ts';
import type { PsbtInputDraft, PsbtOutputDraft } from './psbt-draft.ts';
import { type SignatureScope, signatureScope } from './signature-scope.ts';

/** Applied at once: removals by the indices of the PSBT as it is, then what is added, at `at` (default: the end) in the order given. */
export interface PsbtChanges {
  readonly removeInputs?: readonly number[];
  readonly removeOutputs?: readonly number[];
  readonly addInputs?: readonly (PsbtInputDraft & { readonly at?: number | undefined })[];
  readonly addOutputs?: readonly (PsbtOutputDraft & { readonly at?: number | undefined })[];
}

export const addInput = (psbt: PsbtV2, input: PsbtInputDraft, at?: number): PsbtV2 =>
  modifyPsbt(psbt, { addInputs: [{ ...input, at }] });
export const addOutput = (psbt: PsbtV2, output: PsbtOutputDraft, at?: number): PsbtV2 =>
  modifyPsbt(psbt, { addOutputs: [{ ...output, at }] });
export const removeInput = (psbt: PsbtV2, index: number): PsbtV2 => modifyPsbt(psbt, { removeInputs: [index] });
export const removeOutput = (psbt: PsbtV2, index: number): PsbtV2 => modifyPsbt(psbt, { removeOutputs: [index] });

/**
 * Throws `psbt_not_modifiable` where PSBT_GLOBAL_TX_MODIFIABLE or a signature forbids it, `psbt_mismatch` where an input does not go with
 * the others (its outpoint is there already, the kind of its locktime is another), `invalid_value` for what no PSBT could take.
 */
export function modifyPsbt(psbt: PsbtV2, changes: PsbtChanges): PsbtV2 {
  const { removeInputs = [], removeOutputs = [], addInputs = [], addOutputs = [] } = changes;
  const scopes = psbt.inputs.map((input) => signatureScope(input, hasSighashSingle(psbt)));
  if (removeInputs.length + addInputs.length > 0) requireInputsModifiable(psbt, scopes);
  if (removeOutputs.length + addOutputs.length > 0) requireOutputsModifiable(psbt, scopes);
  const inputs = changedMaps(psbt.inputs, removeInputs, addInputs, inputMap, 'inputs');
  const outputs = changedMaps(psbt.outputs, removeOutputs, addOutputs, outputMap, 'outputs');
  const changed = withMaps(psbt, inputs, outputs);
  refuseSharedOutpoints(changed);
  refuseAboveAllMoney(changed);
  refuseOtherLocktime(psbt, changed, scopes);
  refuseBrokenPairs(psbt, changed, scopes);
  if (addInputs.length > 0) refuseFutureWitnesses(changed);
  return changed;
}

function requireInputsModifiable(psbt: PsbtV2, scopes: readonly SignatureScope[]): void {
  if (!inputsModifiable(psbt))
    throw notModifiable('inputs', 'the Inputs Modifiable flag of PSBT_GLOBAL_TX_MODIFIABLE is not set');
  const signed = scopes.findIndex(({ allInputs }) => allInputs);
  if (signed >= 0) throw notModifiable('inputs', `a signature of input ${signed} covers all of them`);
}

function requireOutputsModifiable(psbt: PsbtV2, scopes: readonly SignatureScope[]): void {
  if (!outputsModifiable(psbt))
    throw notModifiable('outputs', 'the Outputs Modifiable flag of PSBT_GLOBAL_TX_MODIFIABLE is not set');
  const signed = scopes.findIndex(({ allOutputs }) => allOutputs);
  if (signed >= 0) throw notModifiable('outputs', `a signature of input ${signed} covers all of them`);
}

const notModifiable = (what: string, why: string): DomainError =>
  new DomainError('psbt_not_modifiable', `${what} can be neither added nor removed: ${why}`, { field: what });

type Placed<D> = D & { readonly at?: number | undefined };

function changedMaps<D>(
  maps: readonly PsbtMap[],
  removed: readonly number[],
  added: readonly Placed<D>[],
  toMap: (draft: D, field: string) => PsbtMap,
  field: string,
): PsbtMap[] {
  const gone = new Set(removed);
  for (const index of gone)
    if (!(index in maps))
      throw new DomainError('invalid_value', `there are ${maps.length} ${field}, and none with index ${index}`, {
        field,
      });
  const kept = maps.filter((_, index) => !gone.has(index));
  // By place: all that goes before the map which is at that index now.
  const before = new Map<number, PsbtMap[]>();
  for (const [index, draft] of added.entries()) {
    const { at = kept.length } = draft;
    if (!Number.isInteger(at) || at < 0 || at > kept.length)
      throw new DomainError('invalid_value', `the place must be from 0 to ${kept.length}, not ${at}`, {
        field: `${field}[${index}].at`,
      });
    const map = toMap(draft, `${field}[${index}]`);
    const there = before.get(at);
    if (there) there.push(map);
    else before.set(at, [map]);
  }
  const changed: PsbtMap[] = [];
  for (let at = 0; at <= kept.length; at++) {
    for (const map of before.get(at) ?? []) changed.push(map);
    if (at < kept.length) changed.push(kept[at] as PsbtMap);
  }
  return changed;
}

export function refuseSharedOutpoints({ inputs }: PsbtV2): void {
  const seen = new Map<string, number>();
  for (const [index, input] of inputs.entries()) {
    const key = outpointKey(previousOutpoint(input));
    const earlier = seen.get(key);
    if (earlier !== undefined)
      throw new DomainError('psbt_mismatch', `input ${index} would spend ${key}, as input ${earlier} does already`, {
        field: 'inputs',
      });
    seen.set(key, index);
  }
}

/** BIP370: kinds of locktimes must go together, and no signature's locktime may change. */
function refuseOtherLocktime(psbt: PsbtV2, changed: PsbtV2, scopes: readonly SignatureScope[]): void {
  const locktime = locktimeOf(changed);
  if (locktime === null && locktimeOf(psbt) !== null)
    throw new DomainError(
      'psbt_mismatch',
      'one input requires a block height as locktime and another a time, so that no transaction can have them both',
      { field: 'inputs' },
    );
  const signed = scopes.findIndex((scope) => scope.signed);
  if (signed >= 0 && locktime !== locktimeOf(psbt))
    throw new DomainError(
      'psbt_not_modifiable',
      `the transaction's locktime would change, and the signature of input ${signed} covers it`,
      { field: 'inputs' },
    );
}

/** BIP370: an input signed with SIGHASH_SINGLE keeps the output of its own index. */
function refuseBrokenPairs(psbt: PsbtV2, changed: PsbtV2, scopes: readonly SignatureScope[]): void {
  if (!scopes.some(({ pairedOutput }) => pairedOutput)) return;
  const places = new Map(changed.inputs.map((input, index) => [input, index]));
  for (const [index, input] of psbt.inputs.entries()) {
    const now = places.get(input);
    if (now === undefined || !scopes[index]?.pairedOutput || changed.outputs[now] === psbt.outputs[index]) continue;
    throw new DomainError(
      'psbt_not_modifiable',
      `input ${index} is signed with SIGHASH_SINGLE, so that its output must keep the same index as it: ` +
        'add or remove as many inputs as outputs before them',
      { field: 'inputs' },
    );
  }
}

/** BIP375: silent payments know no witness versions above 1. */
function refuseFutureWitnesses({ inputs, outputs }: PsbtV2): void {
  if (!outputs.some((output) => silentPaymentKeys(output) !== null)) return;
  for (const [index, input] of inputs.entries()) {
    const script = Buffer.from(spentOutput(input)?.scriptPubKey ?? '', 'hex');
    if ((witnessProgram(script)?.version ?? 0) <= 1) continue;
    throw new DomainError(
      'psbt_mismatch',
      `input ${index} spends a witness version above 1, which no transaction with silent payments may (BIP375)`,
      { field: 'inputs' },
    );
  }
}
