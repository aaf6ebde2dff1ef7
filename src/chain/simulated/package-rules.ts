import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import { type FeeRate, feeRateOf, formatFeeRate } from '../../core/fee-rate.ts';
import { outpointKey } from '../../core/outpoint.ts';
import { DEFAULT_MAX_ANCESTORS, MAX_FAMILY_VSIZE } from '../../core/relay-policy/limits.ts';
import { linearize } from './block-template.ts';
import { chunkOf, improvesDiagram } from './fee-diagram.ts';
import { ancestorsOf, descendantsOf, feesOf, type PooledTransaction, vsizeOf } from './mempool.ts';
import type { Candidate } from './pre-checks.ts';
import { notNow } from './refusal.ts';
import { countProblem, feeProblem } from './replacement.ts';

export const MAX_PACKAGE_COUNT = 25;
const MAX_PACKAGE_WEIGHT = 404_000;

/** What holds of several transactions without looking at the chain (Bitcoin Core's IsWellFormedPackage). Throws Refusal. */
export function checkWellFormed(transactions: readonly ParsedTransaction[]): void {
  if (transactions.length > MAX_PACKAGE_COUNT) throw notNow('package-too-many-transactions');
  const weight = transactions.reduce((sum, tx) => sum + tx.weight, 0);
  if (transactions.length > 1 && weight > MAX_PACKAGE_WEIGHT) throw notNow('package-too-large');
  const later = new Set(transactions.map(({ txid }) => txid));
  if (later.size !== transactions.length) throw notNow('package-contains-duplicates');
  const spent = new Set<string>();
  for (const tx of transactions) {
    if (tx.inputs.some(({ prev }) => later.has(prev.txid))) throw notNow('package-not-sorted');
    later.delete(tx.txid);
  }
  for (const tx of transactions) {
    const own = tx.inputs.map(({ prev }) => outpointKey(prev));
    if (own.some((key) => spent.has(key))) throw notNow('conflict-in-package');
    for (const key of own) spent.add(key);
  }
}

/** Parents, none of which spends from another, then the one child that spends from each of them (IsChildWithParentsTree). */
export function isChildWithParents(transactions: readonly ParsedTransaction[]): boolean {
  const parents = transactions.slice(0, -1);
  const parentIds = new Set(parents.map(({ txid }) => txid));
  const spentFrom = new Set(transactions.at(-1)?.inputs.map(({ prev }) => prev.txid));
  return parents.every(
    ({ txid, inputs }) => spentFrom.has(txid) && !inputs.some(({ prev }) => parentIds.has(prev.txid)),
  );
}

/** The family limits as if all were relatives of all (CheckPackageLimits). Throws Refusal. */
export function checkPackageLimits(added: readonly Candidate[]): void {
  const ancestors = new Set<PooledTransaction>();
  for (const candidate of added) for (const ancestor of ancestorsOf(candidate)) ancestors.add(ancestor);
  if (ancestors.size > DEFAULT_MAX_ANCESTORS)
    throw tooLong(`too many unconfirmed ancestors [limit: ${DEFAULT_MAX_ANCESTORS}]`);
  if (vsizeOf(ancestors) > MAX_FAMILY_VSIZE) throw tooLong(`exceeds ancestor size limit [limit: ${MAX_FAMILY_VSIZE}]`);
  for (const ancestor of ancestors) {
    if (added.includes(ancestor as Candidate)) continue;
    const descendants = descendantsOf(ancestor);
    if (descendants.size + added.length > DEFAULT_MAX_ANCESTORS)
      throw tooLong(`too many descendants for tx ${ancestor.tx.txid} [limit: ${DEFAULT_MAX_ANCESTORS}]`);
    if (vsizeOf(descendants) + vsizeOf(added) > MAX_FAMILY_VSIZE)
      throw tooLong(`exceeds descendant size limit for tx ${ancestor.tx.txid} [limit: ${MAX_FAMILY_VSIZE}]`);
  }
}

const tooLong = (why: string) => notNow(`package-mempool-limits, possibly ${why}`);

/**
 * Whether a parent and its child may replace together what either conflicts with (Bitcoin Core's doc/policy/packages.md, "Package RBF"):
 * the two are a group of their own that is worth more than the parent alone, pay for what they evict, and make the mempool better.
 * Throws Refusal.
 */
export function checkPackageReplacement(
  added: readonly Candidate[],
  conflicts: ReadonlySet<PooledTransaction>,
  evicted: ReadonlySet<PooledTransaction>,
  incrementalRelayFeeRate: FeeRate,
): void {
  const [parent, child] = added as [Candidate, Candidate];
  if (added.length !== 2) throw failed('package must be 1-parent-1-child');
  if (added.some(({ parents }) => [...parents].some((one) => !added.includes(one as Candidate))))
    throw failed('new transaction cannot have mempool ancestors');
  const tooMany = countProblem(child.tx.txid, conflicts);
  if (tooMany) throw failed(`too many potential replacements, ${tooMany}`);
  const pair = chunkOf(added);
  const tooPoor = feeProblem(child.tx.txid, pair, feesOf(evicted), incrementalRelayFeeRate);
  if (tooPoor) throw failed(`insufficient anti-DoS fees, ${tooPoor}`);
  const rates = [feeRateOf(pair.feeSats, pair.vsize), feeRateOf(parent.feeSats, parent.tx.vsize)] as const;
  if (rates[0] <= rates[1])
    throw failed(
      'package feerate is less than or equal to parent feerate, ' +
        `package feerate ${formatFeeRate(rates[0])} sat/vB <= parent feerate is ${formatFeeRate(rates[1])} sat/vB`,
    );
  for (const conflict of evicted) {
    const problem = clusterProblem(conflict);
    if (problem) throw failed(problem);
  }
  const before = new Set([...evicted].flatMap((entry) => [...ancestorsOf(entry)]));
  const staying = [...before].filter((entry) => !evicted.has(entry)).map((entry) => chunkOf([entry]));
  if (!improvesDiagram([...staying, pair], linearize(before)))
    throw failed('insufficient feerate: does not improve feerate diagram');
}

const failed = (why: string) => notNow(`package RBF failed: ${why}`);

/** What is replaced has at most one relative, and that one no other: so small a group is easily compared (CheckConflictTopology). */
function clusterProblem(entry: PooledTransaction): string | null {
  const { txid } = entry.tx;
  const ancestors = ancestorsOf(entry).size - 1;
  const descendants = descendantsOf(entry).size - 1;
  if (ancestors > 1) return `${txid} has ${ancestors} ancestors, max 1 allowed`;
  if (descendants > 1) return `${txid} has ${descendants} descendants, max 1 allowed`;
  if (ancestors > 0 && descendants > 0) return `${txid} has both ancestor and descendant, exceeding cluster limit of 2`;
  const [child] = entry.children;
  if (child && ancestorsOf(child).size > 2) return `${txid} is not the only parent of child ${child.tx.txid}`;
  const [parent] = entry.parents;
  if (parent && descendantsOf(parent).size > 2) return `${txid} is not the only child of parent ${parent.tx.txid}`;
  return null;
}
