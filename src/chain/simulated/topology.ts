import { DEFAULT_MAX_ANCESTORS, MAX_FAMILY_VSIZE } from '../../core/relay-policy/limits.ts';
import { TRUC_VERSION, trucProblem } from '../../core/relay-policy/truc.ts';
import { ancestorsOf, descendantsOf, type PooledTransaction, vsizeOf } from './mempool.ts';
import { notNow } from './refusal.ts';

type Evicted = ReadonlySet<PooledTransaction>;

/** Bitcoin Core's ancestor and descendant limits, as they would stand once `evicted` are gone and `added` in. Throws Refusal. */
export function checkFamilyLimits(added: readonly PooledTransaction[], evicted: Evicted): void {
  const families = new Map<PooledTransaction, PooledTransaction[]>();
  for (const entry of added) {
    const ancestors = ancestorsOf(entry);
    if (ancestors.size > DEFAULT_MAX_ANCESTORS)
      throw tooLong(`too many unconfirmed ancestors [limit: ${DEFAULT_MAX_ANCESTORS}]`);
    if (vsizeOf(ancestors) > MAX_FAMILY_VSIZE)
      throw tooLong(`exceeds ancestor size limit [limit: ${MAX_FAMILY_VSIZE}]`);
    for (const ancestor of ancestors) families.set(ancestor, [...(families.get(ancestor) ?? []), entry]);
  }
  for (const [ancestor, joining] of families) {
    const family = new Set([...descendantsOf(ancestor)].filter((entry) => !evicted.has(entry)));
    for (const entry of joining) family.add(entry);
    if (family.size > DEFAULT_MAX_ANCESTORS)
      throw tooLong(`too many descendants for tx ${ancestor.tx.txid} [limit: ${DEFAULT_MAX_ANCESTORS}]`);
    if (vsizeOf(family) > MAX_FAMILY_VSIZE)
      throw tooLong(`exceeds descendant size limit for tx ${ancestor.tx.txid} [limit: ${MAX_FAMILY_VSIZE}]`);
  }
}

const tooLong = (why: string) => notNow(`too-long-mempool-chain, ${why}`);

/**
 * The one transaction that a version 3 child may push out although they share no coin: the other child of its parent, where that has no
 * children itself (sibling eviction). null where there is none.
 */
export function evictableSibling(entry: PooledTransaction, evicted: Evicted): PooledTransaction | null {
  const [parent] = entry.parents;
  if (entry.tx.version !== TRUC_VERSION || entry.parents.size !== 1 || !parent || parent.tx.version !== TRUC_VERSION)
    return null;
  const siblings = [...parent.children].filter((child) => !evicted.has(child));
  const [sibling] = siblings;
  return siblings.length === 1 && sibling && sibling.children.size === 0 ? sibling : null;
}

/** BIP431 for one transaction; `together` are those of its package. Throws Refusal. */
export function checkTruc(entry: PooledTransaction, together: readonly PooledTransaction[], evicted: Evicted): void {
  const parents = [...entry.parents].map((parent) => ({
    txid: parent.tx.txid,
    version: parent.tx.version,
    ancestorCount: ancestorsOf(parent).size,
    descendantCount:
      [...descendantsOf(parent)].filter((one) => !evicted.has(one)).length +
      together.filter((one) => one !== entry && one.parents.has(parent)).length,
  }));
  const problem = trucProblem(entry.tx.version, entry.tx.vsize, parents);
  if (problem) throw notNow(`TRUC-violation, ${problem}`);
}
