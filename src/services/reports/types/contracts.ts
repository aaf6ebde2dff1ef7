/** The contracts that were created in the time, newest first. */
import type { ReportColumn, ReportSummary } from '../../../core/reports/cells.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';
import { paged } from './paged.ts';

const columns: readonly ReportColumn[] = [
  { name: 'created_at', kind: 'time' },
  { name: 'contract_id', kind: 'text' },
  { name: 'status', kind: 'text' },
  { name: 'role', kind: 'text' },
  { name: 'collateral', kind: 'btc' },
  { name: 'offer_collateral', kind: 'btc' },
  { name: 'oracles', kind: 'text' },
  { name: 'outcome', kind: 'text' },
  { name: 'funding_txid', kind: 'text' },
  { name: 'closing_txid', kind: 'text' },
  { name: 'closed_by', kind: 'text' },
  { name: 'refund_locktime', kind: 'integer' },
  { name: 'external_id', kind: 'text' },
];

async function* pages({ read, accountId, from, to }: ReportSource): AsyncGenerator<ReportPage, ReportSummary> {
  const statuses = new Map<string, number>();
  let collateral = 0n;
  for await (const found of paged((page) => read.contracts.list(accountId, {}, page))) {
    const rows = found
      .filter(({ createdAt }) => createdAt >= from && createdAt < to)
      .map((one) => {
        statuses.set(one.status, (statuses.get(one.status) ?? 0) + 1);
        collateral += one.collateralSats;
        return [
          ...[one.createdAt, one.contractId, one.status, one.role, one.collateralSats, one.offerCollateralSats],
          ...[one.oracleIds.join(' '), one.outcome, one.fundingTxid, one.closingTxid, one.closingKind],
          ...[one.refundLocktime, one.externalId],
        ];
      });
    yield { rows, passed: found.length };
    if (found.some(({ createdAt }) => createdAt < from)) break;
  }
  return {
    figures: [
      { name: 'collateral', kind: 'btc', value: collateral },
      ...[...statuses].sort().map(([name, value]) => ({ name, kind: 'integer' as const, value })),
    ],
    notes: ['collateral is of all that were created, whatever became of them.'],
    chart: null,
  };
}

export const contracts: ReportType = {
  ...{ kind: 'analytics', name: 'contracts', title: 'Contracts', columns, ofWallets: false },
  needs: { role: 'viewer', scopes: ['contracts:read'] },
  count: async () => null,
  pages,
};
