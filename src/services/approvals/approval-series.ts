import { type AddSeries, ageSeconds, labelledGauge, type Value } from '../../metrics/series.ts';
import type { Backlog } from '../../store/repositories/metrics.ts';

/** Over all accounts. `waiting` for votes; `approved` and not carried out yet. */
type OpenApprovals = Readonly<Record<'waiting' | 'approved', Backlog>>;

export const approvalSeries =
  ({ clock, approvals }: { clock: () => number; approvals: () => Promise<OpenApprovals> }): AddSeries =>
  (registry) => {
    const states = ['waiting', 'approved'] as const;
    const label = 'state';
    const otherwise = states.map((state) => [state, null] as const);
    const ofEach = (value: (backlog: Backlog) => Value) => async () => {
      const open = await approvals();
      return states.map((state) => [state, value(open[state])] as const);
    };
    labelledGauge(registry, {
      name: 'ashlar_approvals_open',
      help: 'Approvals of every account that wait for votes, or are approved and not carried out; at most 10,000 are counted',
      ...{ label, otherwise },
      values: ofEach(({ count }) => count),
    });
    labelledGauge(registry, {
      name: 'ashlar_approvals_oldest_seconds',
      help: 'Age of the oldest of them in this state',
      ...{ label, otherwise },
      values: ofEach(({ oldestAt }) => ageSeconds(oldestAt, clock())),
    });
    return undefined;
  };
