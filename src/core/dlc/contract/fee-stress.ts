import type { FeeRate } from '../../fee-rate.ts';
import type { DlcContract } from './dlc-contract.ts';

/** What a transaction of the contract pays, and what a child must add so that the two together pay a rate. */
export interface StressedTransaction {
  readonly kind: 'funding' | 'cet' | 'refund';
  /** Of a CET: what it pays the offerer; cases with one payout share a CET. */
  readonly offerPayoutSats: bigint | null;
  readonly caseCount: number | null;
  readonly feeSats: bigint;
  /** Most virtual bytes. */
  readonly vsize: number;
  readonly feeRate: FeeRate;
  /** null at a rate that it pays by itself. */
  readonly children: readonly { readonly feeRate: FeeRate; readonly childFeeSats: bigint | null }[];
}

/** Children are of one input from a payout (or change) output and one output, `childVsize` virtual bytes. At most `most` CETs, the first. */
export function stressFees(
  _contract: DlcContract,
  _feeRates: readonly FeeRate[],
  _options: { readonly childVsize: number; readonly most: number },
): StressedTransaction[] {
  throw new Error('not made yet');
}
