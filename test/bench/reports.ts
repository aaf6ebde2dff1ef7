/**
 * Reports in every format, of the activity of an account with 100,000 transactions: rows per second of CPU time, and how far resident memory
 * grows. ROWS=1000000 for another number
 */
import { DatabaseSync } from 'node:sqlite';
import { activity } from '../../src/services/reports/types/activity.ts';
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
database.exec(`UPDATE accounts SET transaction_count = ${ROWS} WHERE account_id = 'acc_one'`);
database.close();

const { reports, worker } = await start([activity]);
worker.start();
for (const format of ['csv', 'json', 'xlsx', 'pdf'] as const) {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10);
  const { user, system } = process.cpuUsage();
  const asked = { kind: 'analytics', type: 'activity', format, from: 0, to: undefined, timezone: 'UTC' } as const;
  const { reportId } = await reports.create({ ...asked, wallets: null }, contextOf());
  let report = await reports.get('analytics', reportId, contextOf());
  while (report.closedAt === null) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    report = await reports.get('analytics', reportId, contextOf());
  }
  clearInterval(timer);
  if (report.status !== 'done') throw new Error(`${format}: ${report.reason}`);
  const spent = process.cpuUsage({ user, system });
  const seconds = (spent.user + spent.system) / 1e6;
  console.log(
    `${format.padEnd(5)} ${report.rowCount} rows, ${(report.size / 1e6).toFixed(1)} MB (stored ${(report.stored / 1e6).toFixed(1)}), ` +
      `${Math.round(report.rowCount / seconds)} rows per second of CPU, resident memory +${((most - before) / 1e6).toFixed(0)} MB`,
  );
}
await worker.stop();
await close();
