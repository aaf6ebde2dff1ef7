/** Planning a payment of many coins in another thread. The coins cross as text: cloning objects takes many times as long. */
import type { CandidateCoin } from '../coin-selection/candidate.ts';
import { outpointKey, type Txid } from '../outpoint.ts';
import { MAX_STANDARD_WEIGHT, WITNESS_SCALE } from '../relay-policy/limits.ts';
import { TRUC_CHILD_MAX_VSIZE, TRUC_VERSION } from '../relay-policy/truc.ts';
import { transactionWeight } from '../transactions/sizing.ts';
import { outputLengths, plannedInput } from './assemble-plan.ts';
import type { PaymentPlan } from './payment-plan.ts';
import { type PaymentPlanning, planPayment } from './plan-payment.ts';

export interface PlanParams {
  readonly planning: Omit<PaymentPlanning, 'candidates' | 'randomBytes'>;
  /** JSON: what they have in common, and an array for each. */
  readonly coins: string;
  /** Of unconfirmed ones, by position. */
  readonly ancestry: ReadonlyMap<number, CandidateCoin['ancestry']>;
}

/** A plan whose inputs are told by their positions among the coins, and their sequences. */
export interface PlanResult {
  readonly plan: Omit<PaymentPlan, 'inputs'>;
  readonly inputs: readonly (readonly [position: number, sequence: number])[];
}

type PackedCoin = [Txid, number, number, string, 0 | 1, number, 0 | 1, 0 | 1, number, number];
type Common = Pick<CandidateCoin, 'scriptType' | 'inputWeight' | 'olderBlocks'>;

/** One search among so many coins takes about 10 ms at most; most of that is the bound of its steps. */
const MANY_COINS = 300;

/**
 * Whether to plan beside the thread that answers requests: among many coins, or where not all of them fit into the transaction, so that
 * search after search may end at its weight.
 */
export function isLongPlan(
  { payees, change }: Pick<PaymentPlanning, 'payees' | 'change'>,
  coins: readonly CandidateCoin[],
): boolean {
  if (coins.length === 0) return false;
  if (coins.length > MANY_COINS) return true;
  const truc = coins.some((coin) => coin.confirmations === 0 && coin.txVersion === TRUC_VERSION);
  const maxWeight = truc ? TRUC_CHILD_MAX_VSIZE * WITNESS_SCALE : MAX_STANDARD_WEIGHT;
  return transactionWeight(coins, outputLengths(payees.outputs, change)) > maxWeight;
}

/** The coins of one wallet. */
export function planParams(
  { randomBytes: _, ...planning }: Omit<PaymentPlanning, 'candidates'>,
  coins: readonly CandidateCoin[],
): PlanParams {
  const { scriptType, inputWeight, olderBlocks }: Partial<Common> = coins[0] ?? {};
  const packed = coins.map(
    (coin): PackedCoin => [
      coin.txid,
      coin.vout,
      Number(coin.amountSats),
      coin.scriptPubKey,
      coin.change ? 1 : 0,
      coin.index,
      coin.own ? 1 : 0,
      coin.coinbase ? 1 : 0,
      coin.txVersion,
      coin.confirmations,
    ],
  );
  const ancestry = coins.flatMap((coin, position) =>
    coin.ancestry === undefined ? [] : [[position, coin.ancestry] as const],
  );
  const common: Partial<Common> = {
    ...(scriptType === undefined ? {} : { scriptType }),
    ...(inputWeight === undefined ? {} : { inputWeight }),
    ...(olderBlocks === undefined ? {} : { olderBlocks }),
  };
  return { planning, coins: JSON.stringify([common, packed]), ancestry: new Map(ancestry) };
}

/** Throws as planPayment does. */
function plan(
  { planning, coins, ancestry }: PlanParams,
  { randomBytes }: { readonly randomBytes: (size: number) => Uint8Array },
): PlanResult {
  const [common, packed] = JSON.parse(coins) as [Common, PackedCoin[]];
  const candidates = packed.map(
    (
      [txid, vout, sats, scriptPubKey, change, index, own, coinbase, txVersion, confirmations],
      position,
    ): CandidateCoin => {
      const known = ancestry.get(position);
      return {
        ...{ ...common, txid, vout, amountSats: BigInt(sats), scriptPubKey, index, txVersion, confirmations },
        ...{ change: change === 1, own: own === 1, coinbase: coinbase === 1 },
        ...(known === undefined ? {} : { ancestry: known }),
      };
    },
  );
  const { inputs, ...planned } = planPayment({ ...planning, candidates, randomBytes });
  const positions = new Map(candidates.map((coin, position) => [outpointKey(coin), position]));
  return {
    plan: planned,
    inputs: inputs.map((input) => [positions.get(outpointKey(input))!, input.sequence] as const),
  };
}

export function planOf({ plan: planned, inputs }: PlanResult, coins: readonly CandidateCoin[]): PaymentPlan {
  return { ...planned, inputs: inputs.map(([position, sequence]) => plannedInput(coins[position]!, sequence)) };
}

export const planningJobs = { 'payment.plan': plan };
export type PlanningJobs = typeof planningJobs;
