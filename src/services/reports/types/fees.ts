/** What each of the account's own transactions cost. */
import type { ReportColumn, ReportSummary } from '../../../core/reports/cells.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';
import { barsOf } from './intervals.ts';
import { countHistory, feeOf, isAlive, movementsOf } from './movements.ts';

const columns: readonly ReportColumn[] = [
  { name: 'time', kind: 'time' },
  { name: 'txid', kind: 'text' },
  { name: 'wallet_id', kind: 'text' },
  { name: 'kind', kind: 'text' },
  { name: 'status', kind: 'text' },
  { name: 'fee', kind: 'btc' },
  { name: 'vsize', kind: 'integer' },
  { name: 'fee_rate', kind: 'decimal' },
];

/** sat/vB with three decimals, rounded half up. */
function feeRate(feeSats: bigint, vsize: number): string | null {
  if (vsize === 0) return null;
  const size = BigInt(vsize);
  const digits = `${(feeSats * 2_000n + size) / (2n * size)}`.padStart(4, '0');
  return `${digits.slice(0, -3)}.${digits.slice(-3)}`;
}

async function* pages(source: ReportSource): AsyncGenerator<ReportPage, ReportSummary> {
  const bars = barsOf(source, 'Fees');
  let [count, fees, vsizes] = [0, 0n, 0];
  for await (const { passed, movements } of movementsOf(source)) {
    const rows = movements.flatMap((one) => {
      const fee = feeOf(one);
      if (fee === null || !isAlive(one)) return [];
      count += 1;
      fees += fee;
      vsizes += one.vsize ?? 0;
      bars.add(one.at, fee);
      const rate = one.vsize === null ? null : feeRate(fee, one.vsize);
      return [[one.at, one.txid, one.walletId, one.kind, one.status, fee, one.vsize, rate]];
    });
    yield { rows, passed };
  }
  return {
    figures: [
      { name: 'transactions', kind: 'integer', value: count },
      { name: 'fees', kind: 'btc', value: fees },
      { name: 'vsize', kind: 'integer', value: vsizes },
      { name: 'mean_fee_rate', kind: 'decimal', value: feeRate(fees, vsizes) },
    ],
    notes: [
      'Transactions with the status confirmed or broadcast.',
      'fee_rate is sat/vB; mean_fee_rate is fees divided by vsize. Both are rounded half up to three decimals.',
    ],
    chart: bars.chart(),
  };
}

export const fees: ReportType = {
  ...{ kind: 'analytics', name: 'fees', title: 'Fees', columns, ofWallets: true },
  needs: { role: 'viewer', scopes: ['transactions:read'] },
  count: countHistory,
  pages,
};
