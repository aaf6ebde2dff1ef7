/** All metrics of the last day, week or month, each with the one before. */
import type { AccountId } from '../../core/ids.ts';
import { DAY_MS } from '../../core/metrics/local-time.ts';
import { formatValue, METRIC_NAMES, METRICS, type MetricName } from '../../core/metrics/metric-table.ts';
import type { FoundSums } from '../../store/repositories/metric-sums.ts';
import type { Store } from '../../store/store.ts';
import { grouped, readSums, written } from './read-sums.ts';

const QUARTER_MS = 900_000;
export const SUMMARY_RANGES = ['24h', '7d', '30d'] as const;
export type SummaryRange = (typeof SUMMARY_RANGES)[number];
const RANGES_MS: Readonly<Record<SummaryRange, number>> = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS };

function summarized(name: MetricName, [before = [], now = []]: readonly FoundSums[][]) {
  const metric = METRICS[name];
  const change = formatValue(metric.of(now) - metric.of(before), metric.unit);
  const byStatus = grouped(metric, now, ({ status }) => status);
  return { name, unit: metric.unit, value: written(metric, now), before: written(metric, before), change, byStatus };
}

/** The range up to the end of this quarter of an hour, and the one before it. */
export async function summaryOf(
  { read }: Pick<Store, 'read'>,
  accountId: AccountId,
  { range, now }: { range: SummaryRange; now: number },
) {
  const to = Math.ceil(now / QUARTER_MS) * QUARTER_MS;
  const from = to - RANGES_MS[range];
  const at = [from - RANGES_MS[range], from, to];
  const found = new Map<string, FoundSums[][]>();
  for (const metric of new Map(METRIC_NAMES.map((name) => [METRICS[name].source, METRICS[name]])).values())
    found.set(metric.source, await readSums(read, accountId, { metric, at }));
  const metrics = METRIC_NAMES.map((name) => summarized(name, found.get(METRICS[name].source) ?? []));
  return { range, from, to, metrics };
}
