/** What came in and went out, by day; by week or month where that would be more than a thousand rows. */
import type { ReportColumn, ReportSummary } from '../../../core/reports/cells.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';
import { barsOf, intervalsOf } from './intervals.ts';
import { countHistory, feeOf, isAlive, movementsOf } from './movements.ts';

const MOST_ROWS = 1_000;
const FLOWS = ['in', 'out', 'moved', 'fees', 'net'] as const;
type Flow = Record<(typeof FLOWS)[number], bigint>;

const columns: readonly ReportColumn[] = [
  { name: 'start', kind: 'time' },
  { name: 'end', kind: 'time' },
  ...FLOWS.map((name) => ({ name, kind: 'btc' as const })),
];

const none = (): Flow => ({ in: 0n, out: 0n, moved: 0n, fees: 0n, net: 0n });

async function* pages(source: ReportSource): AsyncGenerator<ReportPage, ReportSummary> {
  const { starts, of } = intervalsOf(source, MOST_ROWS);
  const flows = starts.slice(1).map(none);
  const [all, bars] = [none(), barsOf(source, 'Out')];
  const rows = () =>
    flows.map((flow, n) => [starts[n] as number, starts[n + 1] as number, ...FLOWS.map((name) => flow[name])]);
  for await (const { passed, movements } of movementsOf(source)) {
    for (const one of movements.filter(isAlive)) {
      const fee = feeOf(one) ?? 0n;
      const net = one.receivedSats - one.sentSats;
      for (const flow of [all, flows[of(one.at)] as Flow]) {
        flow.net += net;
        flow.fees += fee;
        if (one.direction === 'internal') flow.moved += net + fee;
        else if (net > 0n) flow.in += net;
        else flow.out -= net + fee;
      }
      if (one.direction !== 'internal' && net < 0n) bars.add(one.at, -net - fee);
    }
    yield { rows: [], passed };
  }
  const made = rows();
  for (let at = 0; at < made.length; at += 200) yield { rows: made.slice(at, at + 200), passed: 0 };
  return {
    figures: FLOWS.map((name) => ({ name, kind: 'btc' as const, value: all[name] })),
    notes: [
      'Transactions with the status confirmed or broadcast. net is in + moved - out - fees.',
      'moved is what came from other wallets of the account, less what went to them: of all wallets it is nothing.',
      'The first and the last row are whole days, weeks or months; what is outside of the time that was asked for is not in them.',
    ],
    chart: bars.chart(),
  };
}

export const cashFlow: ReportType = {
  ...{ kind: 'analytics', name: 'cash-flow', title: 'Cash flow', columns, ofWallets: true },
  needs: { role: 'viewer', scopes: ['transactions:read'] },
  count: countHistory,
  pages,
};
