/** Which credentials of an account have figures of their own (docs/metrics.md): those of the day, and the busiest of before. */

/** Of an account. */
export const MOST_CREDENTIALS = 50;

export interface NamedCredential {
  readonly credentialId: string;
  /** On which it asked last (its beginning, UTC), and how often. */
  readonly day: number;
  readonly requests: number;
}

/**
 * Of those that ask now, each so often: which have figures of their own, and whose place they take. A place that was taken on a day is
 * kept for that day: of each day there are no more than there are places.
 */
export function nameCredentials(known: readonly NamedCredential[], asking: ReadonlyMap<string, number>, day: number) {
  const names = new Set(known.map(({ credentialId }) => credentialId));
  const idle = known
    .filter((one) => one.day < day && !asking.has(one.credentialId))
    .toSorted((one, other) => one.day - other.day || one.requests - other.requests);
  const gone: string[] = [];
  for (const [credentialId] of [...asking].toSorted(([, one], [, other]) => other - one)) {
    if (names.has(credentialId)) continue;
    if (names.size >= MOST_CREDENTIALS) {
      const leaves = idle.shift();
      if (leaves === undefined) break;
      gone.push(leaves.credentialId);
      names.delete(leaves.credentialId);
    }
    names.add(credentialId);
  }
  return { named: [...asking.keys()].filter((id) => names.has(id)), gone };
}
