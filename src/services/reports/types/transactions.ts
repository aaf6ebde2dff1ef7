/** Each transaction of the account, with a row for each recipient, and what the rules said of it. */
import type { ReportColumn, ReportSummary } from '../../../core/reports/cells.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';
import { countHistory, isAlive } from './movements.ts';

/** The recipients of one may have some hundred kilobytes. */
const WINDOW = 50;

const columns: readonly ReportColumn[] = [
  { name: 'time', kind: 'time' },
  { name: 'txid', kind: 'text' },
  { name: 'wallet_id', kind: 'text' },
  { name: 'kind', kind: 'text' },
  { name: 'direction', kind: 'text' },
  { name: 'status', kind: 'text' },
  { name: 'address', kind: 'text' },
  { name: 'amount', kind: 'btc' },
  { name: 'fee', kind: 'btc' },
  { name: 'verdict', kind: 'text' },
  { name: 'approval_id', kind: 'text' },
  { name: 'block_height', kind: 'integer' },
  { name: 'label', kind: 'text' },
  { name: 'external_id', kind: 'text' },
  { name: 'reason', kind: 'text' },
];

async function* pages({ read, accountId, from, to, wallets }: ReportSource): AsyncGenerator<ReportPage, ReportSummary> {
  const length = await read.reportSources.historyLength(accountId);
  const wanted = wallets === null ? null : new Set<string>(wallets);
  const sums = { incoming: 0n, outgoing: 0n, internal: 0n };
  let count = 0;
  for (let after = 0; after < length; after += WINDOW) {
    const upTo = Math.min(after + WINDOW, length);
    const found = await read.reportSources.payments({ accountId, after, upTo });
    const rows = found
      .filter(({ at, walletId }) => at >= from && at < to && (wanted?.has(walletId) ?? true))
      .flatMap((one) => {
        count += 1;
        if (isAlive(one)) sums[one.direction] += one.amountSats;
        // What came in names no payee of ours, and is one row.
        const payees = one.recipients.length > 0 ? one.recipients : [{ address: null, amountSats: one.amountSats }];
        return payees.map(({ address, amountSats }, at) => [
          ...[one.at, one.txid, one.walletId, one.kind, one.direction, one.status, address, amountSats],
          // Once for a transaction, so that a column can be added up.
          ...[at === 0 ? one.feeSats : null, one.verdict, one.approvalId, one.blockHeight, one.label],
          ...[one.externalId, one.reason],
        ]);
      });
    yield { rows, passed: upTo - after };
  }
  return {
    figures: [
      { name: 'transactions', kind: 'integer', value: count },
      ...Object.entries(sums).map(([name, value]) => ({ name, kind: 'btc' as const, value })),
    ],
    notes: [
      'incoming, outgoing and internal are of transactions with the status confirmed or broadcast, without fees.',
      'verdict is what the rules said when the transaction was made; empty: there were none, or it came in.',
    ],
    chart: null,
  };
}

export const transactions: ReportType = {
  ...{ kind: 'compliance', name: 'transactions', title: 'Transactions', columns, ofWallets: true },
  needs: { role: 'operator', scopes: ['transactions:read'] },
  count: countHistory,
  pages,
};
