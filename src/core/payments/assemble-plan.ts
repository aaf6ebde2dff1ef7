import { formatBtc } from '../amount.ts';
import { compactSizeLength } from '../blocks/compact-size.ts';
import type { CandidateCoin } from '../coin-selection/candidate.ts';
import type { RandomSource } from '../coin-selection/random-source.ts';
import type { SelectionAlgorithm } from '../coin-selection/selection.ts';
import { DomainError } from '../errors.ts';
import { feeFor, feeRateOf, formatFeeRate, MAX_FEE_RATE } from '../fee-rate.ts';
import { OUTPUT_SCRIPT_LENGTH, outputSize } from '../relay-policy/dust.ts';
import { MAX_STANDARD_WEIGHT, MIN_STANDARD_NON_WITNESS_SIZE } from '../relay-policy/limits.ts';
import { trucProblem, type UnconfirmedParent } from '../relay-policy/truc.ts';
import {
  antiFeeSnipingLocktime,
  SEQUENCE_FINAL_WITH_LOCKTIME,
  SEQUENCE_RBF,
} from '../transactions/anti-fee-sniping.ts';
import { type SizedInput, transactionWeight } from '../transactions/sizing.ts';
import type { ChangeTarget, PaymentPlan, PlannedInput, PlannedOutput, PlanSettings } from './payment-plan.ts';

export interface PlanParts {
  readonly version: 2 | 3;
  readonly coins: readonly CandidateCoin[];
  /** Without change. */
  readonly outputs: readonly PlannedOutput[];
  /** 0: no change output. */
  readonly changeSats: bigint;
  readonly change: ChangeTarget;
  /** Part of the fee; none unless said. */
  readonly ancestorFeeSats?: bigint;
  readonly wasteSats: bigint;
  readonly algorithm: SelectionAlgorithm;
}

/** Script lengths of a plan's outputs, for sizing. */
export function outputLengths(
  outputs: readonly { readonly scriptPubKey: string }[],
  change: ChangeTarget | null,
): number[] {
  const lengths = outputs.map((output) => output.scriptPubKey.length / 2);
  return change ? [...lengths, OUTPUT_SCRIPT_LENGTH[change.scriptType]] : lengths;
}

/** Puts a transaction's parts in order and checks it as a whole. Throws `fee_too_high`, `too_large`, `truc_violation`, `policy_refused`. */
export function assemblePlan(
  parts: PlanParts,
  settings: Omit<PlanSettings, 'feeRate'>,
  random: RandomSource,
): PaymentPlan {
  const sequence = settings.rbf ? SEQUENCE_RBF : SEQUENCE_FINAL_WITH_LOCKTIME;
  const inputs = parts.coins.map((coin) => plannedInput(coin, sequence));
  const feeSats = sum(inputs) - sum(parts.outputs) - parts.changeSats;
  if (feeSats < 0n) throw new Error('a plan pays out more than its inputs hold');
  const lengths = outputLengths(parts.outputs, parts.changeSats > 0n ? parts.change : null);
  const weight = checkWeight(inputs, lengths);
  const vsize = Math.ceil(weight / 4);
  checkSize(inputs.length, lengths, weight, parts);
  checkFee({ feeSats, ancestorFeeSats: parts.ancestorFeeSats ?? 0n, vsize }, settings.maxFeeSats);
  // All checks are done: now the change script may be asked for.
  const outputs =
    parts.changeSats > 0n ? [...parts.outputs, changeOutput(parts.change, parts.changeSats)] : parts.outputs;
  const ordered = orderPlan(inputs, outputs, settings.order ?? 'shuffle', random);
  const changeIndex = ordered.outputs.findIndex((output) => output.recipient === null);
  return {
    version: parts.version,
    locktime: antiFeeSnipingLocktime(settings.tip, random),
    inputs: ordered.inputs,
    outputs: ordered.outputs,
    changeIndex: changeIndex === -1 ? null : changeIndex,
    feeSats,
    ancestorFeeSats: parts.ancestorFeeSats ?? 0n,
    vsize,
    feeRate: feeRateOf(feeSats, vsize),
    wasteSats: parts.wasteSats,
    algorithm: parts.algorithm,
  };
}

/** Throws `too_large`; answers weight units. */
export function checkWeight(inputs: readonly SizedInput[], lengths: readonly number[]): number {
  const weight = transactionWeight(inputs, lengths);
  if (weight <= MAX_STANDARD_WEIGHT) return weight;
  throw new DomainError(
    'too_large',
    `the transaction would weigh ${weight} units with ${inputs.length} inputs; nodes relay up to ${MAX_STANDARD_WEIGHT}`,
    { field: 'recipients' },
  );
}

function checkSize(inputCount: number, lengths: readonly number[], weight: number, parts: PlanParts): void {
  const problem = trucProblem(parts.version, Math.ceil(weight / 4), unconfirmedParents(parts.coins));
  if (problem) throw new DomainError('truc_violation', problem, { field: 'recipients' });
  const nonWitness =
    8 +
    compactSizeLength(inputCount) +
    41 * inputCount +
    compactSizeLength(lengths.length) +
    lengths.reduce((size, length) => size + outputSize(length), 0);
  if (nonWitness < MIN_STANDARD_NON_WITNESS_SIZE) {
    throw new DomainError(
      'policy_refused',
      `the transaction would have ${nonWitness} bytes without witness; nodes relay from ${MIN_STANDARD_NON_WITNESS_SIZE} on`,
      { field: 'recipients' },
    );
  }
}

/** The unconfirmed transactions that coins come from, each once. */
function unconfirmedParents(coins: readonly CandidateCoin[]): UnconfirmedParent[] {
  const parents = new Map<string, UnconfirmedParent>();
  for (const coin of coins) {
    if (coin.confirmations > 0) continue;
    parents.set(coin.txid, {
      txid: coin.txid,
      version: coin.txVersion,
      ancestorCount: coin.ancestry?.ancestorCount ?? null,
      descendantCount: coin.ancestry?.descendantCount ?? null,
    });
  }
  return [...parents.values()];
}

export function plannedInput(coin: CandidateCoin, sequence: number): PlannedInput {
  const { txid, vout, amountSats, scriptPubKey, scriptType, change, index, olderBlocks } = coin;
  // A sequence of blocks signals BIP125, too.
  const own = olderBlocks ? { sequence: olderBlocks } : { sequence };
  const input = { txid, vout, amountSats, scriptPubKey, scriptType, change, index, ...own };
  return coin.inputWeight === undefined ? input : { ...input, inputWeight: coin.inputWeight };
}

function changeOutput(change: ChangeTarget, amountSats: bigint): PlannedOutput {
  const scriptPubKey = typeof change.scriptPubKey === 'string' ? change.scriptPubKey : change.scriptPubKey();
  if (scriptPubKey.length !== 2 * OUTPUT_SCRIPT_LENGTH[change.scriptType])
    throw new TypeError(`the change script is not of type ${change.scriptType}`);
  return { scriptPubKey, amountSats, recipient: null };
}

export const sum = (parts: readonly { readonly amountSats: bigint }[]): bigint =>
  parts.reduce((total, part) => total + part.amountSats, 0n);

/** What a change output costs at most that is left out instead: it and its spend, of a key hash from before segwit. */
const LARGEST_CHANGE_VSIZE = 34 + 148;

/** Nobody asked for a feerate above the highest there is, though lifting large ancestors could come to it: that takes a max_fee. */
function checkFee(
  { feeSats, ancestorFeeSats, vsize }: { feeSats: bigint; ancestorFeeSats: bigint; vsize: number },
  maxFeeSats: bigint | undefined,
): void {
  const most = maxFeeSats ?? feeFor(MAX_FEE_RATE, vsize + LARGEST_CHANGE_VSIZE);
  if (feeSats <= most) return;
  const allowed =
    maxFeeSats === undefined
      ? `${formatFeeRate(MAX_FEE_RATE)} sat/vB: give max_fee where that is meant`
      : formatBtc(maxFeeSats);
  const lifting =
    ancestorFeeSats > 0n
      ? `, ${formatBtc(ancestorFeeSats)} of it to lift the unconfirmed transactions it builds on`
      : '';
  throw new DomainError(
    'fee_too_high',
    `the fee would be ${formatBtc(feeSats)} BTC (${vsize} vB at ${formatFeeRate(feeRateOf(feeSats, vsize))} sat/vB${lifting}), ` +
      `above the allowed ${allowed}`,
    { field: 'max_fee' },
  );
}

/** Puts inputs and outputs in random order, or in that of BIP69 (by txid and index; by amount and script). */
function orderPlan(
  inputs: readonly PlannedInput[],
  outputs: readonly PlannedOutput[],
  order: 'shuffle' | 'bip69',
  random: RandomSource,
): { inputs: PlannedInput[]; outputs: PlannedOutput[] } {
  if (order === 'shuffle') return { inputs: random.shuffle([...inputs]), outputs: random.shuffle([...outputs]) };
  return {
    inputs: [...inputs].sort((a, b) => compare(a.txid, b.txid) || a.vout - b.vout),
    outputs: [...outputs].sort(
      (a, b) => compare(a.amountSats, b.amountSats) || compare(a.scriptPubKey, b.scriptPubKey),
    ),
  };
}

/** Of lower-case hex this is the order of the bytes, a prefix before what it begins. */
const compare = <T extends string | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
