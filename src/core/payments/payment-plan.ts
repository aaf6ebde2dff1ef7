import type { SelectionAlgorithm } from '../coin-selection/selection.ts';
import type { FeeRate } from '../fee-rate.ts';
import type { WalletId } from '../ids.ts';
import type { Outpoint } from '../outpoint.ts';
import type { ScriptType } from '../script-type.ts';
import type { SpendableCoin } from '../transactions/signing-input.ts';
import type { TravelRuleData } from '../travel-rule/ivms101.ts';

/** A payment as it is asked for. Feerates are sat/kvB. */
export interface PaymentRequest {
  readonly recipients: readonly {
    readonly address: string;
    /** 'max': all that the coins hold after the other recipients and the fee; for one recipient only. */
    readonly amount: bigint | 'max';
    /** Who is behind it. */
    readonly travelRule?: TravelRuleData | undefined;
  }[];
  readonly feeRate: FeeRate;
  /** Signal BIP125; false only leaves the signal out. */
  readonly rbf: boolean;
  /** Absent: the account's default wallet, or its only one. */
  readonly walletId?: WalletId | undefined;
  /** `include`: spend these (all of them), and others only where they don't suffice. `exclude`: never spend these. */
  readonly coinControl?:
    | { readonly include?: readonly Outpoint[] | undefined; readonly exclude?: readonly Outpoint[] | undefined }
    | undefined;
  /** Confirmations that foreign coins need; default 1. 0 allows unconfirmed deposits; above 1 it holds for own coins too. */
  readonly minConf?: number | undefined;
  /** Refuse with `fee_too_high` above this. */
  readonly maxFeeSats?: bigint | undefined;
  /** Coins of one script are spent together, as far as one transaction takes them: for privacy. Default true; false: each by itself. */
  readonly groupByScript?: boolean | undefined;
  /** Indexes of recipients who pay the fee, in equal parts (the first pays the remainder). */
  readonly subtractFeeFrom?: readonly number[] | undefined;
  readonly label?: string | undefined;
  readonly externalId?: string | undefined;
  /** Up to 75 bytes in an OP_RETURN output without value, kept by replacements. With it there need be no recipient. */
  readonly data?: Uint8Array | undefined;
}

/** Where change goes. The script is asked for once, and only when the transaction has change. */
export interface ChangeTarget {
  readonly scriptType: ScriptType;
  readonly scriptPubKey: string | (() => string);
  /** Most weight units of the input that will spend the change; needed for p2wsh only. */
  readonly inputWeight?: number;
}

/** The chain's tip, for the anti-fee-sniping locktime. `recent`: synced, and the tip's time at most eight hours old. */
export interface PlanTip {
  readonly height: number;
  readonly recent: boolean;
  /** The least locktime that the coins' scripts allow (BIP65), at most `height`. */
  readonly afterHeight?: number;
}

/** What every plan is made with. */
export interface PlanSettings extends Pick<PaymentRequest, 'feeRate' | 'rbf' | 'maxFeeSats'> {
  /** Default 10 sat/vB, as Core's -consolidatefeerate. */
  readonly longTermFeeRate?: FeeRate;
  /** What spending change later is assumed to cost; default 10 sat/vB, as Core's -discardfee. Never below dustRelayFeeRate. */
  readonly discardFeeRate?: FeeRate;
  /** Default 3 sat/vB, as Core's -dustrelayfee. */
  readonly dustRelayFeeRate?: FeeRate;
  readonly tip: PlanTip;
  /** Inputs and outputs in random order (default) or in BIP69's. */
  readonly order?: 'shuffle' | 'bip69';
  /** Ancestor and descendant count limits of the node; default 25. */
  readonly maxAncestors?: number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** What coins are chosen with. */
export interface SelectionSettings extends PlanSettings, Pick<PaymentRequest, 'minConf' | 'groupByScript'> {
  readonly change: ChangeTarget;
}

export interface PlannedInput extends SpendableCoin {
  readonly sequence: number;
  readonly inputWeight?: number;
}

export interface PlannedOutput {
  /** hex */
  readonly scriptPubKey: string;
  readonly amountSats: bigint;
  /** Index into the request's recipients, behind which comes its data; null for change. */
  readonly recipient: number | null;
}

/** A transaction ready to be built and signed: sum of inputs = sum of outputs + fee, and fee >= feeRate x vsize. */
export interface PaymentPlan {
  readonly version: 2 | 3;
  readonly locktime: number;
  readonly inputs: readonly PlannedInput[];
  readonly outputs: readonly PlannedOutput[];
  readonly changeIndex: number | null;
  readonly feeSats: bigint;
  /** The part of it that lifts unconfirmed ancestors to the asked feerate. */
  readonly ancestorFeeSats: bigint;
  /** Most virtual bytes of the signed transaction; signatures may come out a byte or two shorter. */
  readonly vsize: number;
  /** feeSats over vsize, rounded down. */
  readonly feeRate: FeeRate;
  /** Core's waste metric of the selection; negative is good. */
  readonly wasteSats: bigint;
  readonly algorithm: SelectionAlgorithm;
  /** Where coins were searched for: not every set of the wallet's coins was looked at, so that there may be a less wasteful one. */
  readonly bounded?: boolean;
}
