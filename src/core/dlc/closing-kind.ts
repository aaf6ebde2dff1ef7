/** What a transaction that spends a contract's funding output is to it, told without the contract's messages. */
import type { ParsedTransaction } from '../blocks/transaction.ts';
import { DUST_LIMIT_SATS } from './transactions/contract-transaction.ts';

export interface ClosingTermsKnown {
  readonly collateralSats: bigint;
  readonly offerCollateralSats: bigint;
  /** Enumerated: what the offerer gets by outcome. Empty for numeric contracts: any split. */
  readonly offerPayoutsSats: readonly bigint[];
  readonly cetLocktime: number;
  readonly refundLocktime: number;
}

type Closing = Pick<ParsedTransaction, 'locktime'> & {
  readonly inputs: readonly unknown[];
  readonly outputs: readonly { readonly amountSats: bigint }[];
};

/**
 * CETs and the refund have one input, their locktimes, and outputs that are shares of the collateral to the satoshi, for the funding output
 * pays their fees; shares below the dust limit are left out (dlcspecs Transactions.md). `unknown`: a cooperative close, or anything else
 * that both funding keys signed.
 */
export function closingKindOf(
  terms: ClosingTermsKnown,
  { locktime, inputs, outputs }: Closing,
): 'cet' | 'refund' | 'unknown' {
  if (inputs.length !== 1) return 'unknown';
  const paid = outputs.map((output) => output.amountSats);
  const { collateralSats, offerCollateralSats, offerPayoutsSats } = terms;
  const splits = (offerSats: bigint): boolean => sameAmounts(paid, [offerSats, collateralSats - offerSats]);
  // A flag of the offer may give the refund to the accepter alone.
  if (locktime === terms.refundLocktime && (splits(offerCollateralSats) || splits(0n))) return 'refund';
  if (locktime !== terms.cetLocktime) return 'unknown';
  const cet = offerPayoutsSats.length > 0 ? offerPayoutsSats.some(splits) : isAnySplit(paid, collateralSats);
  return cet ? 'cet' : 'unknown';
}

function sameAmounts(paid: readonly bigint[], shares: readonly bigint[]): boolean {
  const due = shares.filter((share) => share >= DUST_LIMIT_SATS);
  if (paid.length !== due.length) return false;
  return due.length < 2 ? paid[0] === due[0] : paid.includes(due[0]!) && paid[0]! + paid[1]! === due[0]! + due[1]!;
}

/** One output alone leaves out a share below the dust limit. */
function isAnySplit(paid: readonly bigint[], collateralSats: bigint): boolean {
  const sum = paid.reduce((total, amount) => total + amount, 0n);
  if (paid.length === 2) return sum === collateralSats;
  return paid.length === 1 && sum <= collateralSats && sum > collateralSats - DUST_LIMIT_SATS;
}
