import { type FeeRate, feeFor } from '../fee-rate.ts';
import type { CandidateCoin } from './candidate.ts';

/** An unconfirmed transaction. */
export interface AncestorTransaction {
  readonly txid: string;
  /** Virtual bytes. */
  readonly vsize: number;
  readonly feeSats: bigint;
  readonly parents: readonly string[];
}

/**
 * What lifting the unconfirmed ancestors of all these coins to `feeRate` costs, in satoshis: each ancestor is paid for once, however many
 * coins share it, and those that a block of that feerate takes by themselves are not paid for and help no other (Bitcoin Core's
 * MiniMiner::CalculateTotalBumpFees, over ancestors alone: what others built on them is unknown, so it is never too little).
 */
export function ancestorFee(coins: readonly CandidateCoin[], feeRate: FeeRate): bigint {
  const left = new Map<string, AncestorTransaction>();
  for (const coin of coins) for (const one of ancestorsOf(coin)) left.set(one.txid, one);
  for (;;) {
    const best = bestPackage(left);
    if (best === null || best.feeSats < feeFor(feeRate, best.vsize)) break;
    for (const txid of best.txids) left.delete(txid);
  }
  const { feeSats, vsize } = total([...left.values()]);
  const missing = feeFor(feeRate, vsize) - feeSats;
  return missing > 0n ? missing : 0n;
}

/** Where only their sums are known, they count as one transaction. */
function ancestorsOf({ txid, confirmations, ancestry }: CandidateCoin): readonly AncestorTransaction[] {
  if (confirmations > 0 || !ancestry) return [];
  const { transactions, ancestorVsize: vsize, ancestorFeesSats: feeSats } = ancestry;
  return transactions ?? [{ txid, vsize, feeSats, parents: [] }];
}

interface Package {
  readonly txids: ReadonlySet<string>;
  readonly vsize: number;
  readonly feeSats: bigint;
}

/** Of each transaction with its ancestors, the one of the highest feerate. */
function bestPackage(left: ReadonlyMap<string, AncestorTransaction>): Package | null {
  let best: Package | null = null;
  for (const txid of left.keys()) {
    const txids = new Set([txid]);
    for (const at of txids) for (const parent of left.get(at)?.parents ?? []) if (left.has(parent)) txids.add(parent);
    const sums = total([...txids].map((one) => left.get(one)!));
    if (best === null || sums.feeSats * BigInt(best.vsize) > best.feeSats * BigInt(sums.vsize))
      best = { txids, ...sums };
  }
  return best;
}

const total = (transactions: readonly AncestorTransaction[]): { vsize: number; feeSats: bigint } => ({
  vsize: transactions.reduce((sum, one) => sum + one.vsize, 0),
  feeSats: transactions.reduce((sum, one) => sum + one.feeSats, 0n),
});
