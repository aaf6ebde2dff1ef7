import type { ParsedOutput, ParsedTransaction } from '../../core/blocks/transaction.ts';
import { type FeeRate, feeFor } from '../../core/fee-rate.ts';
import type { Outpoint, Txid } from '../../core/outpoint.ts';
import { dustOutputs } from '../../core/relay-policy/dust.ts';
import { hasTooManySignatureOperations, nonstandardInput } from '../../core/relay-policy/standard-inputs.ts';
import { TRUC_VERSION } from '../../core/relay-policy/truc.ts';
import type { SignatureVerifier } from '../../core/scripts/interpreter/verify-spend.ts';
import type { ChainState } from './chain-state.ts';
import { checkFinal, checkMaturity, checkSequence, checkTransaction, type Position } from './consensus.ts';
import type { Mempool, PooledTransaction } from './mempool.ts';
import { never, notAlone, notNow } from './refusal.ts';
import { checkStandard } from './standardness.ts';

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

/** A transaction with what it spends, on its way into the mempool. */
export interface Candidate extends PooledTransaction {
  readonly spent: readonly ParsedOutput[];
}

/**
 * What holds of a transaction before its scripts are run, without what it would replace (Bitcoin Core's PreChecks): consensus, standardness,
 * finality, inputs, and the relay fee, which no child pays for but that of a TRUC parent. `staged` are those of its package before it.
 * Throws Refusal.
 */
export function preCheck(
  parts: AdmissionParts,
  tx: ParsedTransaction,
  staged: ReadonlyMap<Txid, Candidate>,
): Candidate {
  const position = positionOf(parts.chain);
  checkTransaction(tx);
  if (tx.coinbase) throw never('coinbase');
  checkStandard(tx);
  checkFinal(tx, position);
  const candidate = resolve(parts, tx, staged, position);
  checkInputs(candidate);
  if (candidate.feeSats !== 0n && dustOutputs(tx.outputs).length > 0)
    throw never('dust, tx with dust output must be 0-fee');
  const { feeSats } = candidate;
  if (tx.version !== TRUC_VERSION)
    checkFee('min relay fee', { feeSats, vsize: tx.vsize }, parts.floors().minRelayFeeRate, notNow);
  return candidate;
}

/** The mempool's minimum and the relay minimum, of one or of a package together. Throws Refusal, which a package may cure. */
export function checkFeeRate(paid: { feeSats: bigint; vsize: number }, floors: FeeFloors): void {
  const { minFeeRate, minRelayFeeRate } = floors;
  if (minFeeRate > minRelayFeeRate) checkFee('mempool min fee', paid, minFeeRate, notAlone);
  checkFee('min relay fee', paid, minRelayFeeRate, notAlone);
}

function checkFee(
  name: string,
  paid: { feeSats: bigint; vsize: number },
  floor: FeeRate,
  refusal: (reason: string) => Error,
): void {
  const least = feeFor(floor, paid.vsize);
  if (paid.feeSats < least) throw refusal(`${name} not met, ${paid.feeSats} < ${least}`);
}

/** Standardness of what is spent. Bitcoin Core says only of which rule, we also by which input. */
function checkInputs({ tx, spent }: Candidate): void {
  if (hasTooManySignatureOperations(tx.inputs, spent)) throw never('bad-txns-nonstandard-inputs');
  for (const [index, input] of tx.inputs.entries()) {
    const problem = nonstandardInput(input, spent[index] as ParsedOutput);
    if (problem) throw never(`${problem}, input ${index} of ${tx.txid}`);
  }
}

export function positionOf(chain: ChainState): Position {
  const tip = chain.tip();
  return { nextHeight: tip.height + 1, medianTime: tip.medianTime };
}

/** Finds what the inputs spend, and checks maturity, relative locktimes and amounts. Throws Refusal. */
export function resolve(
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
    if (!output) throw before ? never('bad-txns-inputs-missingorspent') : missing(chain, tx, prev);
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

/** Known itself; an output that a block has spent (or that never was), for which there is nothing to wait; or one that may still come. */
function missing(chain: ChainState, { txid, outputs }: ParsedTransaction, prev: Outpoint): Error {
  if (outputs.some((_, vout) => chain.coin({ txid, vout }))) return notNow('txn-already-known');
  return chain.confirmed(prev.txid)
    ? never('bad-txns-inputs-missingorspent')
    : notAlone('bad-txns-inputs-missingorspent');
}
