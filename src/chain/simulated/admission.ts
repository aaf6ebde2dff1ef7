import type { ParsedOutput, ParsedTransaction } from '../../core/blocks/transaction.ts';
import { type FeeRate, feeFor } from '../../core/fee-rate.ts';
import { type Outpoint, outpointKey, type Txid } from '../../core/outpoint.ts';
import { nonstandardInput } from '../../core/policy/standard-inputs.ts';
import { TRUC_VERSION } from '../../core/policy/truc.ts';
import { MANDATORY_FLAGS, type ScriptFlags, STANDARD_FLAGS } from '../../core/scripts/interpreter/script-flags.ts';
import {
  type SignatureVerifier,
  type SpendVerdict,
  spendVerifier,
} from '../../core/scripts/interpreter/verify-spend.ts';
import type { ChainState } from './chain-state.ts';
import { checkFinal, checkMaturity, checkSequence, checkTransaction, type Position } from './consensus.ts';
import { ancestorsOf, descendantsOf, feesOf, type Mempool, type PooledTransaction, vsizeOf } from './mempool.ts';
import { never, notNow } from './refusal.ts';
import { checkReplacement } from './replacement.ts';
import { checkStandard } from './standardness.ts';
import { checkFamilyLimits, checkTruc, evictableSibling } from './topology.ts';

export interface FeeFloors {
  readonly minRelayFeeRate: FeeRate;
  readonly incrementalRelayFeeRate: FeeRate;
  /** The relay minimum, or more while the mempool is full. */
  readonly minFeeRate: FeeRate;
}

export interface AdmissionParts {
  readonly chain: ChainState;
  readonly mempool: Mempool;
  readonly ecc: SignatureVerifier;
  floors(): FeeFloors;
  clock(): number;
}

/** What taking transactions in would do: nothing has been changed yet. */
export interface Admission {
  readonly added: readonly PooledTransaction[];
  readonly evicted: ReadonlySet<PooledTransaction>;
}

interface Candidate extends PooledTransaction {
  readonly spent: readonly ParsedOutput[];
}

/**
 * Judges transactions that come together (usually one; parents before children, paying for one another) against chain and mempool as
 * Bitcoin Core does: consensus, standardness, finality, inputs, fees, TRUC, family limits, replacement, signatures. Throws Refusal.
 */
export function judge(parts: AdmissionParts, transactions: readonly ParsedTransaction[]): Admission {
  const position = positionOf(parts.chain);
  const staged = new Map<Txid, Candidate>();
  const conflicts = new Set<PooledTransaction>();
  const claimed = new Set<string>();
  for (const tx of transactions) {
    checkTransaction(tx);
    if (tx.coinbase) throw never('coinbase');
    checkStandard(tx);
    checkFinal(tx, position);
    const candidate = resolve(parts, tx, staged, position);
    for (const { prev } of tx.inputs) {
      const key = outpointKey(prev);
      if (claimed.has(key)) throw notNow('conflict-in-package');
      claimed.add(key);
      const spender = parts.mempool.spenderOf(prev);
      if (spender) conflicts.add(spender);
    }
    staged.set(tx.txid, candidate);
  }
  const added = [...staged.values()];
  let evicted = withDescendants(conflicts);
  const only = added.length === 1 ? added[0] : undefined;
  const sibling = only && evictableSibling(only, evicted);
  if (sibling) {
    conflicts.add(sibling);
    evicted = withDescendants(conflicts);
  }
  for (const entry of added) {
    for (const ancestor of ancestorsOf(entry))
      if (evicted.has(ancestor))
        throw never(
          `bad-txns-spends-conflicting-tx, ${entry.tx.txid} spends conflicting transaction ${ancestor.tx.txid}`,
        );
    checkTruc(entry, added, evicted);
  }
  checkFees(added, parts.floors());
  checkFamilyLimits(added, evicted);
  if (evicted.size > 0) checkReplacement(added, conflicts, evicted, parts.floors().incrementalRelayFeeRate);
  for (const candidate of added) checkForRelay(candidate, parts.ecc);
  return { added, evicted };
}

/**
 * A transaction that was judged before (it was in a block that left the chain, in the mempool before that, or in this chain's own file):
 * only what the chain may have changed since is looked at. Throws Refusal.
 */
export function judgeAgain(parts: AdmissionParts, tx: ParsedTransaction, addedAt: number): PooledTransaction {
  const position = positionOf(parts.chain);
  checkFinal(tx, position);
  if (tx.inputs.some(({ prev }) => parts.mempool.spenderOf(prev))) throw notNow('txn-mempool-conflict');
  return { ...resolve(parts, tx, new Map(), position), addedAt };
}

/** Consensus alone, for a block's transactions in its order: `staged` are those before it. Answers the fee. Throws Refusal. */
export function judgeForBlock(
  parts: AdmissionParts,
  tx: ParsedTransaction,
  staged: Map<Txid, ParsedTransaction>,
  spentInBlock: Set<string>,
): bigint {
  checkTransaction(tx);
  if (tx.coinbase) throw never('bad-cb-multiple');
  const position = positionOf(parts.chain);
  checkFinal(tx, position);
  for (const { prev } of tx.inputs) {
    const key = outpointKey(prev);
    if (spentInBlock.has(key)) throw never('bad-txns-inputs-missingorspent');
    spentInBlock.add(key);
  }
  const candidate = resolve({ ...parts, mempool: NO_MEMPOOL }, tx, staged, position);
  const failure = firstFailure(candidate, MANDATORY_FLAGS, parts.ecc);
  if (!failure.verdict.valid) throw scriptRefusal('mandatory-script-verify-flag-failed', failure, tx);
  staged.set(tx.txid, tx);
  return candidate.feeSats;
}

export function positionOf(chain: ChainState): Position {
  const tip = chain.tip();
  return { nextHeight: tip.height + 1, medianTime: tip.medianTime };
}

const NO_MEMPOOL: Pick<Mempool, 'get'> = { get: () => null };

/** Finds what the inputs spend, and checks maturity, relative locktimes and amounts. */
function resolve(
  parts: Omit<AdmissionParts, 'mempool'> & { mempool: Pick<Mempool, 'get'> },
  tx: ParsedTransaction,
  staged: ReadonlyMap<Txid, Candidate | ParsedTransaction>,
  position: Position,
): Candidate {
  const { chain, mempool } = parts;
  const parents = new Set<PooledTransaction>();
  const spent: ParsedOutput[] = [];
  let inputSats = 0n;
  for (const { prev, sequence } of tx.inputs) {
    const before = staged.get(prev.txid) ?? mempool.get(prev.txid);
    const coin = before ? null : chain.coin(prev);
    const output = before ? ('tx' in before ? before.tx : before).outputs[prev.vout] : coin;
    if (!output) throw before ? never('bad-txns-inputs-missingorspent') : missing(chain, prev);
    if (before && 'tx' in before) parents.add(before);
    const height = coin?.height ?? position.nextHeight;
    const place = {
      height,
      coinbase: coin?.coinbase ?? false,
      medianTimeBefore: () => (chain.at(Math.max(height - 1, 0)) ?? chain.tip()).medianTime,
    };
    checkMaturity(place, position);
    checkSequence(tx.version, sequence, place, position);
    spent.push(output);
    inputSats += output.amountSats;
  }
  const outputSats = tx.outputs.reduce((sum, { amountSats }) => sum + amountSats, 0n);
  if (inputSats < outputSats) throw never(`bad-txns-in-belowout, value in (${inputSats}) < value out (${outputSats})`);
  return { tx, feeSats: inputSats - outputSats, addedAt: parts.clock(), parents, children: new Set(), spent };
}

/** An output of a confirmed transaction that is no coin has been spent in a block (or never was): nothing to wait for. */
function missing(chain: ChainState, prev: Outpoint): Error {
  return chain.confirmed(prev.txid)
    ? never('bad-txns-inputs-missingorspent')
    : notNow('bad-txns-inputs-missingorspent');
}

function withDescendants(entries: Iterable<PooledTransaction>): Set<PooledTransaction> {
  const all = new Set<PooledTransaction>();
  for (const entry of entries) for (const descendant of descendantsOf(entry)) all.add(descendant);
  return all;
}

/** Together they must pay what the mempool asks; by itself each the relay minimum, unless it is a TRUC parent that its child pays for. */
function checkFees(added: readonly PooledTransaction[], floors: FeeFloors): void {
  const fee = feesOf(added);
  const vsize = vsizeOf(added);
  if (fee < feeFor(floors.minFeeRate, vsize) && floors.minFeeRate > floors.minRelayFeeRate)
    throw notNow(`mempool min fee not met, ${fee} < ${feeFor(floors.minFeeRate, vsize)}`);
  if (fee < feeFor(floors.minRelayFeeRate, vsize)) throw relayFee(fee, feeFor(floors.minRelayFeeRate, vsize));
  for (const { tx, feeSats } of added) {
    const least = feeFor(floors.minRelayFeeRate, tx.vsize);
    if (feeSats < least && (tx.version !== TRUC_VERSION || added.length === 1)) throw relayFee(feeSats, least);
  }
}

const relayFee = (fee: bigint, least: bigint) => notNow(`min relay fee not met, ${fee} < ${least}`);

/** What nodes relay must keep more rules than what blocks may hold; the answer says which of the two were broken, and how relay's were. */
function checkForRelay(candidate: Candidate, ecc: SignatureVerifier): void {
  const { tx, spent } = candidate;
  for (const [index, input] of tx.inputs.entries()) {
    const problem = nonstandardInput(input, spent[index] as ParsedOutput);
    if (problem) throw never(`${problem}, input ${index} of ${tx.txid}`);
  }
  const relay = firstFailure(candidate, STANDARD_FLAGS, ecc);
  if (relay.verdict.valid) return;
  const mandatory = !firstFailure(candidate, MANDATORY_FLAGS, ecc).verdict.valid;
  throw scriptRefusal(
    mandatory ? 'mandatory-script-verify-flag-failed' : 'non-mandatory-script-verify-flag',
    relay,
    tx,
  );
}

const scriptRefusal = (rules: string, { index, verdict }: InputVerdict, { txid }: ParsedTransaction) =>
  never(`${rules} (${verdict.valid ? '' : verdict.reason}), input ${index} of ${txid}`);

interface InputVerdict {
  readonly index: number;
  readonly verdict: SpendVerdict;
}

function firstFailure({ tx, spent }: Candidate, flags: ScriptFlags, ecc: SignatureVerifier): InputVerdict {
  const verify = spendVerifier(tx, spent, flags, { ecc });
  for (const index of tx.inputs.keys()) {
    const verdict = verify(index);
    if (!verdict.valid) return { index, verdict };
  }
  return { index: -1, verdict: { valid: true } };
}
