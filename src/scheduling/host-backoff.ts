interface Failing {
  readonly failures: number;
  readonly since: number;
  readonly until: number;
}

/** Exponential backoff for servers that gave no answer. Each account's apart: none speaks for another's. */
export function createHostBackoff({ firstMs, longestMs }: { firstMs: number; longestMs: number }) {
  const hosts = new Map<string, Failing>();
  const keyOf = (accountId: string, host: string): string => `${accountId} ${host}`;
  return {
    /** Epoch milliseconds; 0 where it may be asked. */
    until: (accountId: string, host: string) => hosts.get(keyOf(accountId, host))?.until ?? 0,
    /** Twice as long with each failure in a row; one answer, and it is forgotten. */
    note(
      accountId: string,
      host: string,
      { failed, askedAt, endedAt }: { failed: boolean; askedAt: number; endedAt: number },
    ) {
      const key = keyOf(accountId, host);
      const before = hosts.get(key);
      if (!failed) hosts.delete(key);
      // Of several that were asked at once the first counts.
      else if (before === undefined || askedAt > before.since) {
        const failures = (before?.failures ?? 0) + 1;
        const pause = Math.min(longestMs, firstMs * 2 ** (failures - 1));
        hosts.set(key, { failures, since: endedAt, until: endedAt + pause });
      }
    },
    forgetBefore(time: number) {
      for (const [key, { until }] of hosts) if (until < time) hosts.delete(key);
    },
  };
}
