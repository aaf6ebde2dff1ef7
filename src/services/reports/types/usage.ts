/** What each credential used, by UTC day, the latest first: as `GET /enterprise/usage` has it. */
import type { ReportColumn, ReportSummary } from '../../../core/reports/cells.ts';
import { DAY_MS, type Usage } from '../../usage/usage.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';
import { barsOf } from './intervals.ts';
import { paged } from './paged.ts';

const columns: readonly ReportColumn[] = [
  { name: 'day', kind: 'text' },
  { name: 'credential_id', kind: 'text' },
  { name: 'requests', kind: 'integer' },
  { name: 'refusals', kind: 'integer' },
  { name: 'payments', kind: 'integer' },
  { name: 'volume', kind: 'btc' },
];

export function usageReport(usage: Pick<Usage, 'list'>): ReportType {
  async function* pages(source: ReportSource): AsyncGenerator<ReportPage, ReportSummary> {
    const { accountId, from, to } = source;
    const bars = barsOf(source, 'Volume');
    const sums = { requests: 0, refusals: 0, payments: 0, volume: 0n };
    const days = { from: Math.floor(from / DAY_MS) * DAY_MS, to: to - 1 };
    for await (const found of paged((page) => usage.list(days, page, { accountId }))) {
      const rows = found.map(({ day, credentialId, requests, refusals, payments, volumeSats }) => {
        sums.requests += requests;
        sums.refusals += refusals;
        sums.payments += payments;
        sums.volume += volumeSats;
        bars.add(Math.max(day, from), volumeSats);
        return [new Date(day).toISOString().slice(0, 10), credentialId, requests, refusals, payments, volumeSats];
      });
      yield { rows, passed: found.length };
    }
    return {
      figures: [
        { name: 'requests', kind: 'integer', value: sums.requests },
        { name: 'refusals', kind: 'integer', value: sums.refusals },
        { name: 'payments', kind: 'integer', value: sums.payments },
        { name: 'volume', kind: 'btc', value: sums.volume },
      ],
      notes: ['Days are UTC, and whole. Requests of the last seconds may be missing; usage is kept for 400 days.'],
      chart: bars.chart(),
    };
  }
  return {
    ...{ kind: 'analytics', name: 'usage', title: 'Usage', columns, ofWallets: false },
    needs: { role: 'operator', scopes: ['usage:read'] },
    count: async () => null,
    pages,
  };
}
