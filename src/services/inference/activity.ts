/** What models were asked for and how it went, in this process. */

/** Latency and the share of errors are those of the last five minutes. */
const WINDOW_MS = 5 * 60_000;
const SLICE_MS = 10_000;

export interface ActivityNow {
  readonly totalRequests: number;
  readonly averageLatencyMs: number;
  readonly errorRate: number;
}

interface Slice {
  readonly since: number;
  requests: number;
  failures: number;
  answered: number;
  latencyMs: number;
}

export function createActivity(clock: () => number) {
  let total = 0;
  const slices: Slice[] = [];

  function current(): Slice {
    const now = clock();
    while (slices[0] !== undefined && slices[0].since <= now - WINDOW_MS) slices.shift();
    let last = slices.at(-1);
    if (last === undefined || now - last.since >= SLICE_MS) {
      last = { since: now, requests: 0, failures: 0, answered: 0, latencyMs: 0 };
      slices.push(last);
    }
    return last;
  }

  return {
    /** `latencyMs`: until the whole answer was there; null: there is none. `failed`: by no doing of whoever asked. */
    count({ latencyMs, failed }: { latencyMs: number | null; failed: boolean }): void {
      const slice = current();
      total++;
      slice.requests++;
      if (failed) slice.failures++;
      if (latencyMs === null) return;
      slice.answered++;
      slice.latencyMs += latencyMs;
    },
    now(): ActivityNow {
      current();
      const sum = (read: (slice: Slice) => number): number => slices.reduce((all, slice) => all + read(slice), 0);
      const [requests, answered] = [sum((slice) => slice.requests), sum((slice) => slice.answered)];
      return {
        totalRequests: total,
        averageLatencyMs: answered === 0 ? 0 : Math.round(sum((slice) => slice.latencyMs) / answered),
        errorRate: requests === 0 ? 0 : sum((slice) => slice.failures) / requests,
      };
    },
  };
}
