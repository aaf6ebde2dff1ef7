import { type AddSeries, ageSeconds, gauge } from '../../metrics/series.ts';
import type { Backlog } from '../../store/repositories/metrics.ts';
import type { Repositories } from '../../store/store.ts';

const MOST_COUNTED = 1_000;

/** Of every account the oldest that is not done; `oldestAt`: of the one that has made no progress for longest. */
export async function openReports(read: Pick<Repositories, 'reports'>): Promise<Backlog> {
  const due = await read.reports.due(MOST_COUNTED);
  const oldestAt = due.length === 0 ? null : Math.min(...due.map(({ progressedAt }) => progressedAt));
  return { count: due.length, oldestAt };
}

export const reportSeries =
  ({ clock, openReports: open }: { clock: () => number; openReports: () => Promise<Backlog> }): AddSeries =>
  (registry) => {
    gauge(registry, {
      name: 'ashlar_reports_waiting_accounts',
      help: 'Accounts with a report that is queued or being made; at most 1,000 are counted',
      value: async () => (await open()).count,
    });
    gauge(registry, {
      name: 'ashlar_reports_stalled_seconds',
      help: 'For how long the one of them that waits longest has made no progress',
      value: async () => ageSeconds((await open()).oldestAt, clock()),
    });
    return undefined;
  };
