import type { CandidateCoin } from '../coin-selection/candidate.ts';
import type { FeeRate } from '../fee-rate.ts';
import type { Txid } from '../outpoint.ts';
import type { ChangeTarget, PlanSettings } from './payment-plan.ts';

/** What the node asks of transactions now (getmempoolinfo). Feerates in sat/kvB. */
export interface NodeFloors {
  readonly incrementalRelayFeeRate: FeeRate;
  /** The higher of the mempool's minimum and the minimum relay feerate. */
  readonly minFeeRate: FeeRate;
}

/** An unconfirmed payment of ours. All inputs are ours. */
export interface OriginalTransaction {
  readonly txid: Txid;
  readonly version: number;
  readonly feeSats: bigint;
  /** As the mempool counts it. */
  readonly vsize: number;
  readonly inputs: readonly CandidateCoin[];
  readonly outputs: readonly {
    /** hex */
    readonly scriptPubKey: string;
    readonly amountSats: bigint;
    /** Our own change: what a bump pays from. */
    readonly change: boolean;
  }[];
}

/** The unconfirmed descendants that a replacement evicts with the original. */
export interface ReplacedDescendants {
  readonly count: number;
  readonly feesSats: bigint;
  /** The part of it that transactions of others pay. */
  readonly foreignFeesSats: bigint;
  /** Paid again by the replacement (`replace_descendants`). */
  readonly recipients: readonly { readonly scriptPubKey: string; readonly amountSats: bigint }[];
}

/** `feeRate` is the feerate the replacement shall have. */
export interface BumpRequest extends PlanSettings {
  /** `feeRate` is an estimate: where that is too little to replace the original, the least that is enough is paid. */
  readonly orLeast?: boolean;
  readonly original: OriginalTransaction;
  readonly descendants?: ReplacedDescendants;
  /** Coins to add where the change doesn't suffice; unconfirmed ones are left alone. */
  readonly candidates: readonly CandidateCoin[];
  readonly change: ChangeTarget;
  readonly floors: NodeFloors;
  /** Indexes of the original's outputs that pay what change cannot, before coins are added; for payments of all coins. */
  readonly subtractFeeFrom?: readonly number[];
}

/** Double-spends every input back to ourselves. `feeRate: 'minimum'` pays what replacement needs and no more. */
export interface CancelRequest extends Omit<PlanSettings, 'feeRate'> {
  readonly feeRate: FeeRate | 'minimum';
  /** As of a bump. */
  readonly orLeast?: boolean;
  readonly original: OriginalTransaction;
  readonly descendants?: Omit<ReplacedDescendants, 'recipients'>;
  /** Where everything goes. */
  readonly change: ChangeTarget;
  readonly floors: NodeFloors;
}

/** A child that spends our outputs of an unconfirmed transaction so that the package reaches `feeRate`. */
export interface CpfpRequest extends PlanSettings {
  readonly parent: {
    readonly txid: Txid;
    readonly version: number;
    /** Of the parent and its unconfirmed ancestors together (getmempoolentry's ancestor sums). */
    readonly packageFeesSats: bigint;
    readonly packageVsize: number;
  };
  /** Our unspent outputs of the parent. */
  readonly coins: readonly CandidateCoin[];
  /** Coins to add where those don't suffice; unconfirmed ones are left alone. */
  readonly candidates: readonly CandidateCoin[];
  /** Where the child pays to. */
  readonly change: ChangeTarget;
  readonly floors: NodeFloors;
}
