/** Each transaction as it changed each wallet. */
import type { ReportColumn, ReportSummary } from '../../../core/reports/cells.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';
import { barsOf } from './intervals.ts';
import { countHistory, feeOf, isAlive, movementsOf } from './movements.ts';

const columns: readonly ReportColumn[] = [
  { name: 'time', kind: 'time' },
  { name: 'txid', kind: 'text' },
  { name: 'wallet_id', kind: 'text' },
  { name: 'kind', kind: 'text' },
  { name: 'direction', kind: 'text' },
  { name: 'status', kind: 'text' },
  { name: 'received', kind: 'btc' },
  { name: 'sent', kind: 'btc' },
  { name: 'change', kind: 'btc' },
  { name: 'fee', kind: 'btc' },
  { name: 'block_height', kind: 'integer' },
  { name: 'label', kind: 'text' },
  { name: 'external_id', kind: 'text' },
];

async function* pages(source: ReportSource): AsyncGenerator<ReportPage, ReportSummary> {
  const bars = barsOf(source, 'Received and sent');
  let [received, sent, fees, rowsOfLiving] = [0n, 0n, 0n, 0];
  for await (const { passed, movements } of movementsOf(source)) {
    const rows = movements.map((one) => {
      const fee = feeOf(one);
      if (isAlive(one)) {
        received += one.receivedSats;
        sent += one.sentSats;
        fees += fee ?? 0n;
        rowsOfLiving += 1;
        bars.add(one.at, one.receivedSats + one.sentSats);
      }
      return [
        ...[one.at, one.txid, one.walletId, one.kind, one.direction, one.status, one.receivedSats, one.sentSats],
        ...[one.receivedSats - one.sentSats, fee, one.blockHeight, one.label, one.externalId],
      ];
    });
    yield { rows, passed };
  }
  return {
    figures: [
      { name: 'rows_counted', kind: 'integer', value: rowsOfLiving },
      { name: 'received', kind: 'btc', value: received },
      { name: 'sent', kind: 'btc', value: sent },
      { name: 'change', kind: 'btc', value: received - sent },
      { name: 'fees', kind: 'btc', value: fees },
    ],
    notes: [
      'The sums are of rows with the status confirmed or broadcast.',
      'sent includes the fee and what came back as change, which received has again.',
    ],
    chart: bars.chart(),
  };
}

export const activity: ReportType = {
  ...{ kind: 'analytics', name: 'activity', title: 'Activity', columns, ofWallets: true },
  needs: { role: 'viewer', scopes: ['transactions:read'] },
  count: countHistory,
  pages,
};
