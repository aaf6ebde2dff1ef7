/** Topologically restricted until confirmation: version 3 transactions (BIP431). */
export const TRUC_VERSION = 3;
/** Virtual bytes of any version 3 transaction. */
export const TRUC_MAX_VSIZE = 10_000;
/** Virtual bytes of one that spends an unconfirmed output. */
export const TRUC_CHILD_MAX_VSIZE = 1000;

export interface UnconfirmedParent {
  readonly txid: string;
  readonly version: number;
  /** Itself included; null where the chain source does not say. */
  readonly ancestorCount: number | null;
  readonly descendantCount: number | null;
}

/** Why a transaction of `version` and `vsize` with these unconfirmed parents breaks BIP431, or null. */
export function trucProblem(version: number, vsize: number, parents: readonly UnconfirmedParent[]): string | null {
  if (version !== TRUC_VERSION) {
    const parent = parents.find((one) => one.version === TRUC_VERSION);
    return parent ? `${parent.txid} is an unconfirmed version 3 transaction: only version 3 may spend from it` : null;
  }
  if (vsize > TRUC_MAX_VSIZE) return `a version 3 transaction has at most ${TRUC_MAX_VSIZE} vB, this one ${vsize}`;
  if (parents.length === 0) return null;
  if (vsize > TRUC_CHILD_MAX_VSIZE)
    return `the child of an unconfirmed version 3 transaction has at most ${TRUC_CHILD_MAX_VSIZE} vB, this one ${vsize}`;
  const other = parents.find((one) => one.version !== TRUC_VERSION);
  if (other)
    return `${other.txid} is unconfirmed and not of version 3: version 3 may not spend from it until it is confirmed`;
  if (parents.length > 1) return 'a version 3 transaction has at most one unconfirmed parent';
  const [parent] = parents;
  if ((parent?.ancestorCount ?? 1) > 1) return `${parent?.txid} has an unconfirmed parent itself`;
  if ((parent?.descendantCount ?? 1) > 1) return `${parent?.txid} already has an unconfirmed child`;
  return null;
}
