import { type FeeRate, feeFor } from '../../core/fee-rate.ts';
import type { Txid } from '../../core/outpoint.ts';
import { MAX_REPLACED_TRANSACTIONS } from '../../core/relay-policy/rbf.ts';
import { descendantsOf, feesOf, type PooledTransaction } from './mempool.ts';
import type { Candidate } from './pre-checks.ts';
import { notAlone, notNow } from './refusal.ts';

/**
 * Whether `candidate` may evict `evicted`, of which `conflicts` are those whose coins it spends (or the sibling that it pushes out): the
 * rules of Bitcoin Core's doc/policy/mempool-replacements.md, without rule 1 (full RBF). Throws Refusal.
 */
export function checkReplacement(
  candidate: Candidate,
  conflicts: ReadonlySet<PooledTransaction>,
  evicted: ReadonlySet<PooledTransaction>,
  incrementalRelayFeeRate: FeeRate,
): void {
  const { tx, feeSats, parents } = candidate;
  const { txid, vsize } = tx;
  for (const conflict of conflicts)
    if (feeSats * BigInt(conflict.tx.vsize) <= conflict.feeSats * BigInt(vsize))
      throw notAlone(
        `insufficient fee, rejecting replacement ${txid}; its feerate is not above that of ${conflict.tx.txid}`,
      );
  const tooMany = countProblem(txid, conflicts);
  if (tooMany) throw notNow(`too many potential replacements, ${tooMany}`);
  for (const parent of parents)
    if (![...evicted].some((entry) => entry.parents.has(parent)))
      throw notNow(`replacement-adds-unconfirmed, replacement ${txid} adds unconfirmed input, ${parent.tx.txid}`);
  const tooPoor = feeProblem(txid, { feeSats, vsize }, feesOf(evicted), incrementalRelayFeeRate);
  if (tooPoor) throw notAlone(`insufficient fee, ${tooPoor}`);
}

/** Rule 5: a descendant of several conflicts counts for each of them. */
export function countProblem(txid: Txid, conflicts: ReadonlySet<PooledTransaction>): string | null {
  let count = 0;
  for (const conflict of conflicts) count += descendantsOf(conflict).size;
  return count > MAX_REPLACED_TRANSACTIONS
    ? `rejecting replacement ${txid}; too many potential replacements (${count} > ${MAX_REPLACED_TRANSACTIONS})`
    : null;
}

/** Rules 3 and 4: all fees of what goes, and its own relaying on top. */
export function feeProblem(
  txid: Txid,
  paid: { feeSats: bigint; vsize: number },
  evictedFees: bigint,
  incrementalRelayFeeRate: FeeRate,
): string | null {
  if (paid.feeSats < evictedFees)
    return `rejecting replacement ${txid}, less fees than conflicting txs; ${paid.feeSats} < ${evictedFees} sat`;
  const additional = paid.feeSats - evictedFees;
  const relay = feeFor(incrementalRelayFeeRate, paid.vsize);
  return additional < relay
    ? `rejecting replacement ${txid}, not enough additional fees to relay; ${additional} < ${relay} sat`
    : null;
}
