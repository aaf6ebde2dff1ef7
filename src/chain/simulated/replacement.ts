import { type FeeRate, feeFor } from '../../core/fee-rate.ts';
import { MAX_REPLACED_TRANSACTIONS } from '../../core/policy/rbf.ts';
import { feesOf, type PooledTransaction, vsizeOf } from './mempool.ts';
import { notNow } from './refusal.ts';

/**
 * Whether `replacing` (one transaction, or a package paying together) may evict `evicted`, of which `conflicts` are those whose coins it
 * spends: the rules of Bitcoin Core's doc/policy/mempool-replacements.md, without rule 1 (full RBF). Throws Refusal.
 */
export function checkReplacement(
  replacing: readonly PooledTransaction[],
  conflicts: ReadonlySet<PooledTransaction>,
  evicted: ReadonlySet<PooledTransaction>,
  incrementalRelayFeeRate: FeeRate,
): void {
  const last = replacing[replacing.length - 1] as PooledTransaction;
  const subject = `rejecting replacement ${last.tx.txid}`;
  for (const { parents } of replacing)
    for (const parent of parents)
      if (!replacing.includes(parent) && ![...conflicts].some((conflict) => conflict.parents.has(parent)))
        throw notNow(
          `replacement-adds-unconfirmed, replacement ${last.tx.txid} adds unconfirmed input, ${parent.tx.txid}`,
        );
  if (evicted.size > MAX_REPLACED_TRANSACTIONS)
    throw notNow(`too many potential replacements, ${subject}; ${evicted.size} > ${MAX_REPLACED_TRANSACTIONS}`);
  const fee = feesOf(replacing);
  const vsize = vsizeOf(replacing);
  for (const conflict of conflicts)
    if (fee * BigInt(conflict.tx.vsize) <= conflict.feeSats * BigInt(vsize))
      throw notNow(`insufficient fee, ${subject}; its feerate is not above that of ${conflict.tx.txid}`);
  const evictedFees = feesOf(evicted);
  if (fee < evictedFees)
    throw notNow(`insufficient fee, ${subject}, less fees than conflicting txs; ${fee} < ${evictedFees} sat`);
  const additional = fee - evictedFees;
  const relay = feeFor(incrementalRelayFeeRate, vsize);
  if (additional < relay)
    throw notNow(`insufficient fee, ${subject}, not enough additional fees to relay; ${additional} < ${relay} sat`);
}
