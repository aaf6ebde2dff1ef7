/** When a passed proposal can be executed: by the parameters that it has a copy of. */
import type { Parameters } from './parameters.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

/** Epoch milliseconds; at `until` it is over. */
export function executionWindow(
  votingEndedAt: number,
  settings: Pick<Parameters, 'timelock_hours' | 'execution_window_days'>,
): { readonly from: number; readonly until: number } {
  const from = votingEndedAt + Math.ceil(settings.timelock_hours * HOUR_MS);
  return { from, until: from + Math.max(1, Math.round(settings.execution_window_days * DAY_MS)) };
}
