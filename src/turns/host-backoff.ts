/** Exponential backoff for servers that gave no answer. Each account's apart: none speaks for another's. */
export interface HostBackoff {
  /** Epoch milliseconds; 0 where it may be asked. */
  until(accountId: string, host: string): number;
  /** Twice as long with each failure in a row; one answer, and it is forgotten. */
  note(accountId: string, host: string, question: { failed: boolean; askedAt: number; endedAt: number }): void;
  forgetBefore(time: number): void;
}

interface Failing {
  readonly failures: number;
  readonly since: number;
  readonly until: number;
}

export function createHostBackoff({ firstMs, longestMs }: { firstMs: number; longestMs: number }): HostBackoff {
  const hosts = new Map<string, Failing>();
  const keyOf = (accountId: string, host: string): string => `${accountId} ${host}`;
  return {
    until: (accountId, host) => hosts.get(keyOf(accountId, host))?.until ?? 0,
    note(accountId, host, { failed, askedAt, endedAt }) {
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
    forgetBefore(time) {
      for (const [key, { until }] of hosts) if (until < time) hosts.delete(key);
    },
  };
}
