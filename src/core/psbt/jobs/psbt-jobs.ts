/**
 * What is computed of PSBTs that callers send, as functions from plain data to plain data: so that each can run in this thread or in
 * another (src/engines/computing), by the same code.
 */
import { DomainError } from '../../errors.ts';
import type { Outpoint } from '../../outpoint.ts';
import { previousOutpoint } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import { psbtFromText } from '../codec/psbt-text.ts';
import { combinePsbts } from '../construction/combine-psbts.ts';
import { createPsbt } from '../construction/create-psbt.ts';
import { joinPsbts } from '../construction/join-psbts.ts';
import { asVersion2, toVersion0 } from '../construction/migrate.ts';
import { modifyPsbt, type PsbtChanges } from '../construction/modify-psbt.ts';
import type { PsbtDraft, PsbtInputFacts } from '../construction/psbt-draft.ts';
import { type PsbtUpdates, updatePsbt } from '../construction/update-psbt.ts';
import { type ExtractedTransaction, extractTransaction } from '../finalizing/extract-transaction.ts';
import { finalizePsbt } from '../finalizing/finalize-psbt.ts';
import { createCheckBudget } from '../inspection/check-budget.ts';
import { finalChecks } from '../inspection/final-checks.ts';
import { type InspectionRequest, inspectPsbt } from '../inspection/inspect-psbt.ts';
import type { PsbtCheck } from '../inspection/psbt-checks.ts';
import { psbtFacts } from '../inspection/psbt-facts.ts';
import type { InputView, PsbtView } from '../inspection/psbt-view.ts';
import type { PsbtV2 } from '../psbt.ts';
import { isObstacle } from '../signing/spent-part.ts';
import { parsePsbtField, parsePsbtFields } from './parse-psbt-field.ts';
import { inspectToData, type PsbtData, psbtData } from './psbt-data.ts';
import { type JobTools, signGiven } from './sign-job.ts';

export interface Texts {
  readonly psbts: readonly string[];
}

export interface UpdateParams {
  readonly psbt: string;
  /** By input index, from the chain: put in before the updates. */
  readonly previous: readonly (readonly [number, PsbtInputFacts])[];
  readonly updates: PsbtUpdates;
  /** Of the own wallet, for the view. */
  readonly descriptors: readonly string[];
}

/** An input without a whole previous transaction. */
export interface Unproved {
  readonly index: number;
  readonly outpoint: Outpoint;
}

/** What an input spends, as far as the PSBT says it. */
export type SpentOutput = Pick<InputView, 'outpoint' | 'amountSats' | 'scriptPubKey'>;

export interface FinalResult {
  readonly psbtData: PsbtData;
  /** null where an input is not final. */
  readonly extracted: PlainExtracted | null;
  readonly missing: readonly { readonly index: number; readonly reason: string }[];
}

export interface ExtractParams {
  readonly psbt: string;
  /** Whether to look for amounts that nothing proves. */
  readonly proveFee: boolean;
}

export interface ExtractResult {
  readonly psbtData: PsbtData;
  readonly extracted: PlainExtracted;
  /** The first input whose amount is somebody's word; null where there is none, or it was not looked for. */
  readonly unproved: number | null;
}

/** Its bytes are no Buffer where they come from another thread. */
export type PlainExtracted = Omit<ExtractedTransaction, 'raw'> & { readonly raw: Uint8Array };

/** `psbt` and `psbts` are texts, base64 or hex; each throws as the functions of the core do that it calls. */
export const psbtJobs = {
  'psbt.create': (draft: PsbtDraft, tools: JobTools): PsbtData => inspectToData(createPsbt(draft), tools),

  'psbt.construct'(given: { readonly psbt: string; readonly changes: PsbtChanges }, tools: JobTools): PsbtData {
    const psbt = parsePsbtField(given.psbt);
    requireIndexes(given.changes.removeInputs, psbt.inputs.length, 'removeInputs');
    requireIndexes(given.changes.removeOutputs, psbt.outputs.length, 'removeOutputs');
    return inspectToData(modifyPsbt(psbt, given.changes), tools);
  },

  'psbt.update'({ psbt, previous, updates, descriptors }: UpdateParams, { network }: JobTools): PsbtData {
    const known = updatePsbt(parsePsbtField(psbt), { inputs: previous.map(([index, facts]) => ({ index, ...facts })) });
    return inspectToData(updatePsbt(known, updates), { network, descriptors });
  },

  /** The inputs that have no whole previous transaction, to be looked up. */
  'psbt.unproved'({ psbt }: { readonly psbt: string }): Unproved[] {
    const unproved = [...parsePsbtField(psbt).inputs.entries()].filter(([, map]) => !map.has(INPUT.NON_WITNESS_UTXO));
    requireLookUps(unproved.length, 'from_chain');
    return unproved.map(([index, map]) => ({ index, outpoint: previousOutpoint(map) }));
  },

  /** What the inputs spend, to be looked up. */
  'psbt.spent'(given: { readonly psbt: string }): SpentOutput[] {
    const psbt = parsePsbtField(given.psbt);
    requireLookUps(psbt.inputs.length, 'against_chain');
    return psbtFacts(psbt).inputs.map(({ map, spent, amountSats }) => ({
      outpoint: previousOutpoint(map),
      amountSats,
      scriptPubKey: isObstacle(spent) ? null : spent.script,
    }));
  },

  'psbt.sign': signGiven,

  'psbt.combine': ({ psbts }: Texts, tools: JobTools): PsbtData =>
    inspectToData(combinePsbts(parsePsbtFields(psbts)), tools),

  'psbt.join': ({ psbts }: Texts, tools: JobTools): PsbtData => inspectToData(joinPsbts(parsePsbtFields(psbts)), tools),

  'psbt.finalize'(given: { readonly psbt: string }, tools: JobTools): FinalResult {
    const { psbt, complete, missing } = finalizePsbt(parsePsbtField(given.psbt));
    const extracted = complete && psbt.outputs.length > 0 ? extractTransaction(psbt) : null;
    return { psbtData: inspectToData(psbt, tools), extracted, missing };
  },

  'psbt.extract'({ psbt: text, proveFee }: ExtractParams, tools: JobTools): ExtractResult {
    const psbt = parsePsbtField(text);
    const extracted = extractTransaction(psbt);
    if (!proveFee) return { psbtData: inspectToData(psbt, tools), extracted, unproved: null };
    const { view, checks } = verified(psbt, tools);
    return { psbtData: psbtData(view), extracted, unproved: firstUnproved(view, checks) };
  },

  'psbt.inspect': (
    { psbt, descriptors }: { readonly psbt: string; readonly descriptors: readonly string[] },
    { network }: JobTools,
  ): PsbtData => inspectToData(parsePsbtField(psbt), { network, descriptors }),

  'psbt.verify'(
    { psbt, descriptors }: { readonly psbt: string; readonly descriptors: readonly string[] },
    { network }: JobTools,
  ): { psbtData: PsbtData; checks: PsbtCheck[] } {
    const { view, checks } = verified(parsePsbtField(psbt), { network, descriptors });
    return { psbtData: psbtData(view), checks };
  },

  'psbt.migrate'(given: { readonly psbt: string; readonly target: 0 | 2 }, { network }: JobTools): PsbtData {
    const read = psbtFromText(given.psbt);
    const psbt = asVersion2(read);
    const { view } = inspectPsbt(psbt, { network });
    if (given.target === 2) return psbtData(view);
    return psbtData(view, read.version === 0 ? read : toVersion0(psbt));
  },
};

export type PsbtJobs = typeof psbtJobs;
export type PsbtJobName = keyof PsbtJobs;
export type Given<Name extends PsbtJobName> = Parameters<PsbtJobs[Name]>[0];

/** Each is a question of its own to the node. */
const MAX_LOOKED_UP = 1_000;

function requireLookUps(count: number, field: string): void {
  if (count > MAX_LOOKED_UP)
    throw new DomainError('too_large', `up to ${MAX_LOOKED_UP} inputs are looked up on the chain, not ${count}`, {
      field,
    });
}

function requireIndexes(wanted: readonly number[] = [], count: number, field: string): void {
  const at = wanted.findIndex((index) => index >= count);
  if (at >= 0)
    throw new DomainError('invalid_value', `there is none with index ${wanted[at]}: there are ${count}, from 0 on`, {
      field: `${field}[${at}]`,
    });
}

function verified(psbt: PsbtV2, request: InspectionRequest): { view: PsbtView; checks: PsbtCheck[] } {
  const { view, facts, checks } = inspectPsbt(psbt, request);
  const budget = createCheckBudget(10 + psbt.inputs.length * 41 + psbt.outputs.length * 40);
  return { view, checks: [...checks, ...finalChecks(facts, budget)] };
}

/**
 * A witness UTXO is somebody's word, and the fee is what it makes of it. Signatures in witnesses commit to their input's amount (BIP143,
 * BIP341), so that one which holds proves it; signatures from before segwit prove nothing.
 */
function firstUnproved({ inputs, psbt }: PsbtView, checks: readonly PsbtCheck[]): number | null {
  const satisfied = new Set(
    checks.flatMap(({ check, verdict, index }) => (check === 'final' && verdict === 'passed' ? [index] : [])),
  );
  const at = inputs.findIndex(
    ({ amountVerified }, index) =>
      !amountVerified && !(satisfied.has(index) && psbt.inputs[index]?.has(INPUT.FINAL_SCRIPTWITNESS)),
  );
  return at < 0 ? null : at;
}
