import { type AddSeries, ageSeconds, gauge } from '../../../metrics/series.ts';
import type { Backlog } from '../../../store/repositories/metrics.ts';
import type { Repositories } from '../../../store/store.ts';
import { MOST_ACCOUNTS } from './replay-worker.ts';

/** Of every account; `oldestAt`: the last progress of the one that has made none for longest, of those that the worker continues. */
export async function runningReplays(read: Pick<Repositories, 'metrics' | 'replays'>): Promise<Backlog> {
  const due = await read.replays.due(MOST_ACCOUNTS);
  const oldestAt = due.length === 0 ? null : Math.min(...due.map(({ progressedAt }) => progressedAt));
  return { count: await read.metrics.runningReplays(), oldestAt };
}

export const replaySeries =
  ({ clock, replays }: { clock: () => number; replays: () => Promise<Backlog> }): AddSeries =>
  (registry) => {
    gauge(registry, {
      name: 'ashlar_replays_running',
      help: 'Replays of rules of every account that are running; at most 10,000 are counted',
      value: async () => (await replays()).count,
    });
    gauge(registry, {
      name: 'ashlar_replays_stalled_seconds',
      help: 'For how long the one of them that waits longest has made no progress, of those that are continued now',
      value: async () => ageSeconds((await replays()).oldestAt, clock()),
    });
    return undefined;
  };
