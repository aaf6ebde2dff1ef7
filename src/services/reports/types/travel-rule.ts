/** Payments over the account's threshold, and those of which there are data: who is behind each, and what is missing. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReportColumn, ReportSummary, Row } from '../../../core/reports/cells.ts';
import { missingFields, namesOf } from '../../../core/travel-rule/missing-fields.ts';
import type { TravelRuleRow } from '../../../store/repositories/travel-rule.ts';
import type { TravelRules } from '../../travel-rule/travel-rules.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';
import { countHistory, isAlive } from './movements.ts';

/** The recipients of one may have some hundred kilobytes. */
const WINDOW = 50;
const ROWS = 200;
/** In a cell. */
const MOST_MISSING = 20;

const columns: readonly ReportColumn[] = [
  { name: 'time', kind: 'time' },
  { name: 'txid', kind: 'text' },
  { name: 'direction', kind: 'text' },
  { name: 'status', kind: 'text' },
  { name: 'recipient', kind: 'integer' },
  { name: 'address', kind: 'text' },
  { name: 'amount', kind: 'btc' },
  { name: 'travel_rule', kind: 'text' },
  { name: 'missing', kind: 'text' },
  { name: 'originator', kind: 'text' },
  { name: 'beneficiary', kind: 'text' },
];

export const travelRuleReport = (travelRules: Pick<TravelRules, 'open'>): ReportType => {
  function told(row: TravelRuleRow | undefined) {
    const data = row === undefined ? {} : travelRules.open(row);
    const missing = missingFields(data);
    const listed = missing.length > MOST_MISSING ? [...missing.slice(0, MOST_MISSING), '…'] : missing;
    const { originator, beneficiary } = namesOf(data);
    const status = missing.length === 0 ? 'complete' : 'missing';
    return { status, cells: [status, listed.join(' '), originator, beneficiary] } as const;
  }

  async function* pages(source: ReportSource): AsyncGenerator<ReportPage, ReportSummary> {
    const { read, accountId, from, to, wallets } = source;
    const threshold = (await read.enterpriseConfig.find(accountId))?.travelRule?.thresholdSats ?? null;
    const length = await read.reportSources.historyLength(accountId);
    const wanted = wallets === null ? null : new Set<string>(wallets);
    const counts = { complete: 0, missing: 0 };
    for (let after = 0; after < length; after += WINDOW) {
      const upTo = Math.min(after + WINDOW, length);
      const found = (await read.reportSources.payments({ accountId, after, upTo }))
        .filter(({ at, walletId }) => at >= from && at < to && (wanted?.has(walletId) ?? true))
        .filter((one) => one.direction !== 'internal' && isAlive(one));
      const txids = found.map(({ unsignedTxid }) => unsignedTxid);
      const known = await read.travelRule.among(accountId, txids);
      let rows: Row[] = [];
      for (const one of found) {
        const kept = known.has(one.unsignedTxid) ? await read.travelRule.of(accountId, [one.unsignedTxid]) : [];
        const byRecipient = new Map(kept.map((row) => [row.recipient, row]));
        // What came in names no payee of ours, and is one row.
        const payees = one.recipients.length > 0 ? one.recipients : [{ address: null, amountSats: one.amountSats }];
        for (const [recipient, { address, amountSats }] of payees.entries()) {
          const row = byRecipient.get(recipient);
          if (row === undefined && (threshold === null || amountSats <= threshold)) continue;
          // Many long ones take long.
          if (row !== undefined) await nextTurn();
          const { status, cells } = told(row);
          counts[status] += 1;
          rows.push([one.at, one.txid, one.direction, one.status, recipient, address, amountSats, ...cells]);
          if (rows.length < ROWS) continue;
          yield { rows, passed: 0 };
          rows = [];
        }
      }
      yield { rows, passed: upTo - after };
    }
    return {
      figures: [
        { name: 'threshold', kind: 'btc', value: threshold },
        ...Object.entries(counts).map(([name, value]) => ({ name, kind: 'integer' as const, value })),
      ],
      notes: [
        'Recipients of more than the threshold, which is that of the account when the report was made, and those of which there are data.',
        'Of transactions with the status confirmed or broadcast; what stays within the account is not in it.',
      ],
      chart: null,
    };
  }

  return {
    ...{ kind: 'compliance', name: 'travel-rule', title: 'Travel rule', columns, ofWallets: true, audited: true },
    needs: { role: 'operator', scopes: ['transactions:read'] },
    count: countHistory,
    pages,
  };
};
