import { type FeeRate, feeFor } from '../fee-rate.ts';
import type { AncestorTransaction, CandidateCoin } from './candidate.ts';

/** Eight chains as long as nodes relay. A payment behind more is refused by them; it is priced coin by coin. */
const MAX_TOGETHER = 200;

/**
 * What lifting the unconfirmed ancestors of all these coins to `feeRate` costs, in satoshis: each ancestor is paid for once, however many
 * coins share it, and those that a block of that feerate takes, by themselves or for another transaction built on them, are not paid for and help no other (Bitcoin
 * Core's MiniMiner::CalculateTotalBumpFees, over what is known of the cluster: what strangers built is not, so it is never too little).
 */
export function ancestorFee(coins: readonly CandidateCoin[], feeRate: FeeRate): bigint {
  const left = new Map<string, Ancestor>();
  const parents = new Map(coins.map((coin) => [coin.txid, coin]));
  const ancestors = new Set<string>();
  for (const coin of parents.values()) {
    const own = ancestorsOf(coin);
    for (const one of own) ancestors.add(one.txid);
    for (const one of [...own, ...(coin.ancestry?.relatives ?? [])]) left.set(one.txid, { ...one, package: null });
  }
  if (left.size > MAX_TOGETHER && parents.size > 1) {
    return [...parents.values()].reduce((sum, coin) => sum + ancestorFee([coin], feeRate), 0n);
  }
  for (;;) {
    const best = bestPackage(left);
    if (best === null || best.feeSats < feeFor(feeRate, best.vsize)) break;
    for (const txid of best.txids) left.delete(txid);
    for (const one of left.values()) if (one.package && intersects(one.package.txids, best.txids)) one.package = null;
  }
  const { feeSats, vsize } = total([...left.values()].filter((one) => ancestors.has(one.txid)));
  const missing = feeFor(feeRate, vsize) - feeSats;
  return missing > 0n ? missing : 0n;
}

/** Where only their sums are known, they count as one transaction. */
function ancestorsOf({ txid, confirmations, ancestry }: CandidateCoin): readonly AncestorTransaction[] {
  if (confirmations > 0 || !ancestry) return [];
  const { transactions, ancestorVsize: vsize, ancestorFeesSats: feeSats } = ancestry;
  return transactions ?? [{ txid, vsize, feeSats, parents: [] }];
}

/** A transaction with those of its ancestors that are left. */
interface Package {
  readonly txids: ReadonlySet<string>;
  readonly vsize: number;
  readonly feeSats: bigint;
}

interface Ancestor extends AncestorTransaction {
  /** null: to be put together (again). */
  package: Package | null;
}

/** The one of the highest feerate. A double decides: the threshold is looked at exactly. */
function bestPackage(left: ReadonlyMap<string, Ancestor>): Package | null {
  let best: Package | null = null;
  let bestRate = -1;
  for (const one of left.values()) {
    one.package ??= packageOf(one.txid, left);
    const rate = Number(one.package.feeSats) / one.package.vsize;
    if (rate > bestRate) [best, bestRate] = [one.package, rate];
  }
  return best;
}

function packageOf(txid: string, left: ReadonlyMap<string, Ancestor>): Package {
  const txids = new Set([txid]);
  for (const at of txids) for (const parent of left.get(at)?.parents ?? []) if (left.has(parent)) txids.add(parent);
  return { txids, ...total([...txids].map((one) => left.get(one)!)) };
}

const intersects = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].some((txid) => other.has(txid));

const total = (transactions: readonly AncestorTransaction[]): { vsize: number; feeSats: bigint } => ({
  vsize: transactions.reduce((sum, one) => sum + one.vsize, 0),
  feeSats: transactions.reduce((sum, one) => sum + one.feeSats, 0n),
});
