import { LATEST_MS, SOONEST_MS } from './next-question.ts';

/** Of the servers that gave no answer: until when they are left in peace. Each account's apart: none speaks for another's. */
export interface HostPatience {
  /** Epoch milliseconds; 0 where it may be asked. */
  until(accountId: string, host: string): number;
  /** Twice as long with each failure in a row; one answer, and it is forgotten. */
  note(accountId: string, host: string, question: { failed: boolean; askedAt: number; endedAt: number }): void;
  forgetBefore(time: number): void;
}

interface Trouble {
  readonly failures: number;
  readonly since: number;
  readonly until: number;
}

export function createHostPatience(): HostPatience {
  const troubles = new Map<string, Trouble>();
  const keyOf = (accountId: string, host: string): string => `${accountId} ${host}`;
  return {
    until: (accountId, host) => troubles.get(keyOf(accountId, host))?.until ?? 0,
    note(accountId, host, { failed, askedAt, endedAt }) {
      const key = keyOf(accountId, host);
      const before = troubles.get(key);
      if (!failed) troubles.delete(key);
      // Of several that were asked at once the first counts.
      else if (before === undefined || askedAt > before.since) {
        const failures = (before?.failures ?? 0) + 1;
        const pause = Math.min(LATEST_MS, SOONEST_MS * 2 ** (failures - 1));
        troubles.set(key, { failures, since: endedAt, until: endedAt + pause });
      }
    },
    forgetBefore(time) {
      for (const [key, { until }] of troubles) if (until < time) troubles.delete(key);
    },
  };
}
