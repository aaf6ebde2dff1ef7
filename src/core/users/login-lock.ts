/** How long the next login must wait after some that failed: nothing for the first few, then doubling up to a quarter of an hour. */
export interface FailureCount {
  readonly failures: number;
  /** Epoch milliseconds. */
  readonly lastFailedAt: number;
}

export interface LockRule {
  /** Failures without a wait. */
  readonly free: number;
  readonly firstMs: number;
  readonly longestMs: number;
  /** A count this old is forgotten. */
  readonly forgottenMs: number;
}

/** Of one name from one neighbourhood. */
export const NEAR_RULE: LockRule = { free: 5, firstMs: 15_000, longestMs: 900_000, forgottenMs: 3_600_000 };
/** Of one name from everywhere: only for places that the person has not come from before. */
export const FAR_RULE: LockRule = { free: 50, firstMs: 60_000, longestMs: 900_000, forgottenMs: 3_600_000 };

/** Milliseconds until a login is heard again; 0: now. */
export function lockedFor(count: FailureCount, now: number, rule: LockRule): number {
  const since = now - count.lastFailedAt;
  if (count.failures < rule.free || since >= rule.forgottenMs) return 0;
  const wait = Math.min(rule.longestMs, rule.firstMs * 2 ** Math.min(20, count.failures - rule.free));
  return Math.max(0, wait - since);
}

/** The count with one failure more. */
export const failedAgain = (count: FailureCount, now: number, rule: LockRule): FailureCount => ({
  failures: now - count.lastFailedAt >= rule.forgottenMs ? 1 : count.failures + 1,
  lastFailedAt: now,
});
