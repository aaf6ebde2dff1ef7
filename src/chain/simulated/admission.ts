import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import type { Txid } from '../../core/outpoint.ts';
import { checkEphemeralSpends } from './ephemeral-dust.ts';
import { ancestorsOf, descendantsOf, feesOf, type Mempool, type PooledTransaction, vsizeOf } from './mempool.ts';
import { checkPackageLimits, checkPackageReplacement, checkWellFormed } from './package-rules.ts';
import { type AdmissionParts, type Candidate, checkFeeRate, preCheck } from './pre-checks.ts';
import { blaming, never, notNow } from './refusal.ts';
import { checkReplacement } from './replacement.ts';
import { checkForRelay } from './script-checks.ts';
import { checkFamilyLimits, checkTruc, evictableSibling } from './topology.ts';

/** What taking transactions in would do: nothing has been changed yet. */
export interface Admission {
  readonly added: readonly PooledTransaction[];
  readonly evicted: ReadonlySet<PooledTransaction>;
}

/** Judges one transaction against chain and mempool as Bitcoin Core does (AcceptSingleTransaction). Throws Refusal. */
export function judge(parts: AdmissionParts, tx: ParsedTransaction): Admission {
  const candidate = preCheck(parts, tx, new Map());
  checkFeeRate({ feeSats: candidate.feeSats, vsize: tx.vsize }, parts.floors());
  const conflicts = conflictsOf(candidate, parts.mempool);
  let evicted = withDescendants(conflicts);
  const sibling = evictableSibling(candidate, evicted);
  if (sibling) {
    conflicts.add(sibling);
    evicted = withDescendants(conflicts);
  }
  checkFamilyLimits([candidate], evicted);
  checkTruc(candidate, [candidate], evicted);
  checkNotSpending(candidate, evicted);
  checkEphemeralSpends([candidate]);
  if (evicted.size > 0) checkReplacement(candidate, conflicts, evicted, parts.floors().incrementalRelayFeeRate);
  checkForRelay(candidate, parts.ecc);
  return { added: [candidate], evicted };
}

/**
 * Judges several together, parents before children (AcceptMultipleTransactions). `package`: children pay for parents, and the two of a
 * package may replace others; else each pays its own way and replaces nothing, as in testmempoolaccept. Throws Refusal: of the
 * transaction at fault, or of all.
 */
export function judgeTogether(
  parts: AdmissionParts,
  transactions: readonly ParsedTransaction[],
  purpose: 'package' | 'test',
): Admission {
  checkWellFormed(transactions);
  const staged = new Map<Txid, Candidate>();
  const conflicts = new Set<PooledTransaction>();
  for (const tx of transactions)
    blaming(tx.txid, () => {
      const candidate = preCheck(parts, tx, staged);
      const own = conflictsOf(candidate, parts.mempool);
      if (purpose === 'test') {
        if (own.size > 0) throw notNow('bip125-replacement-disallowed');
        checkFeeRate({ feeSats: candidate.feeSats, vsize: tx.vsize }, parts.floors());
      }
      checkNotSpending(candidate, own);
      for (const conflict of own) conflicts.add(conflict);
      staged.set(tx.txid, candidate);
    });
  const added = [...staged.values()];
  const evicted = withDescendants(conflicts);
  for (const candidate of added) checkTruc(candidate, added, new Set());
  const last = transactions[transactions.length - 1] as ParsedTransaction;
  if (purpose === 'package')
    blaming(last.txid, () => checkFeeRate({ feeSats: feesOf(added), vsize: vsizeOf(added) }, parts.floors()));
  if (added.length > 1) {
    checkPackageLimits(added);
    if (conflicts.size > 0) checkPackageReplacement(added, conflicts, evicted, parts.floors().incrementalRelayFeeRate);
  }
  checkEphemeralSpends(added);
  for (const candidate of added) blaming(candidate.tx.txid, () => checkForRelay(candidate, parts.ecc));
  return { added, evicted };
}

function conflictsOf({ tx }: Candidate, mempool: Mempool): Set<PooledTransaction> {
  const conflicts = new Set<PooledTransaction>();
  for (const { prev } of tx.inputs) {
    const spender = mempool.spenderOf(prev);
    if (spender) conflicts.add(spender);
  }
  return conflicts;
}

function checkNotSpending(candidate: Candidate, evicted: ReadonlySet<PooledTransaction>): void {
  for (const ancestor of ancestorsOf(candidate))
    if (evicted.has(ancestor))
      throw never(
        `bad-txns-spends-conflicting-tx, ${candidate.tx.txid} spends conflicting transaction ${ancestor.tx.txid}`,
      );
}

function withDescendants(entries: Iterable<PooledTransaction>): Set<PooledTransaction> {
  const all = new Set<PooledTransaction>();
  for (const entry of entries) for (const descendant of descendantsOf(entry)) all.add(descendant);
  return all;
}
