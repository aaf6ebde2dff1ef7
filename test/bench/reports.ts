/**
 * Reports in every format, of the activity of an account with 100,000 transactions, and of tax lots, where half of them bring a lot each and the
 * others dispose of what two brought: rows per second of CPU time, and how far resident memory grows. ROWS=1000000 for another number
 */
import { DatabaseSync } from 'node:sqlite';
import { METHODS } from '../../src/core/tax-lots/tax-lots.ts';
import type { NewReport } from '../../src/services/reports/report-service.ts';
import { activity } from '../../src/services/reports/types/activity.ts';
import { taxLots, taxLotsInput } from '../../src/services/reports/types/tax-lots.ts';
import { transactionRecord, walletRecord } from '../builders/store-records.ts';
import { openReports } from '../services/reports/reports-setup.ts';

const ROWS = Number(process.env.ROWS ?? 100_000);

const { store, path, start, contextOf, close } = await openReports();
await store.write(async (tx) => {
  await tx.wallets.insert(walletRecord('wal_one'));
  const effects = [{ walletId: 'wal_one' as const, receivedSats: 1_000n, sentSats: 51_141n }];
  await tx.transactions.insert(transactionRecord('past'), [], effects);
});
const database = new DatabaseSync(path);
/** As many again of the one row, with these columns of their own. */
function multiply(table: string, own: Record<string, string>): void {
  const names = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
  const columns = names.map(({ name }) => String(name));
  database.exec(`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${columns.map((name) => own[name] ?? name).join(', ')}
    FROM ${table} CROSS JOIN (WITH RECURSIVE ns(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ns WHERE n < ${ROWS - 1}) SELECT n FROM ns)`);
}
const txid = `printf('%064x', n)`;
multiply('transactions', { txid, unsigned_txid: txid, ordinal: 'n + 1' });
multiply('wallet_transactions', { txid, ordinal: 'n + 1' });
// Shuffled over a hundredth as many blocks; the first half brings lots.
database.exec(`UPDATE transactions SET status = 'confirmed', block_height = (ordinal * 7919) % ${ROWS} / 100`);
database.exec(`UPDATE wallet_transactions SET received_sats = CASE WHEN (ordinal * 7919) % ${ROWS} < ${ROWS / 2} THEN 60000 ELSE 0 END,
  sent_sats = CASE WHEN (ordinal * 7919) % ${ROWS} < ${ROWS / 2} THEN 0 ELSE 50141 END`);
database.exec(`UPDATE accounts SET transaction_count = ${ROWS} WHERE account_id = 'acc_one'`);
database.close();

const { reports, worker } = await start([activity, taxLots]);
worker.start();

async function measure(asked: Pick<NewReport, 'kind' | 'type' | 'format' | 'options' | 'input'>): Promise<void> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10);
  const { user, system } = process.cpuUsage();
  const whole = { ...asked, from: 0, to: undefined, timezone: 'UTC', wallets: null };
  const { reportId } = await reports.create(whole, contextOf());
  let report = await reports.get(asked.kind, reportId, contextOf());
  while (report.closedAt === null) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    report = await reports.get(asked.kind, reportId, contextOf());
  }
  clearInterval(timer);
  if (report.status !== 'done') throw new Error(`${asked.type} ${asked.format}: ${report.reason}`);
  const spent = process.cpuUsage({ user, system });
  const seconds = (spent.user + spent.system) / 1e6;
  const name = asked.type === 'activity' ? asked.format : `${asked.type} ${asked.options?.method}`;
  console.log(
    `${name.padEnd(14)} ${report.rowCount} rows of ${ROWS}, ${(report.size / 1e6).toFixed(1)} MB (stored ${(report.stored / 1e6).toFixed(1)}), ` +
      `${Math.round(ROWS / seconds)} transactions per second of CPU, resident memory +${((most - before) / 1e6).toFixed(0)} MB`,
  );
}
for (const format of ['csv', 'json', 'xlsx', 'pdf'] as const)
  await measure({ kind: 'analytics', type: 'activity', format });
const input = taxLotsInput({ prices: 'date,EUR\n2023-11-14,35000\n' });
for (const method of METHODS)
  await measure({ kind: 'compliance', type: 'tax-lots', format: 'csv', options: { method }, input });
await worker.stop();
await close();
