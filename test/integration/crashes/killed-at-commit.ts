/**
 * Loaded before the service (`--import`): kills it with -9 right before or after the n-th COMMIT that changes a table of KILL_TABLES (unless
 * said: a payment, a contract, an attestation or an approval), counted from when the file named by KILL_AT has this text.
 */
import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const { KILL_TABLES = 'transactions|contracts|approvals|approval_votes|oracle_events|attestations' } = process.env;
const CHANGES = new RegExp(`^(insert( or \\w+)? into|update|delete from) "(${KILL_TABLES})"`);
const file = process.env.KILL_AT ?? '';

let writer: DatabaseSync | null = null;
let changed = false;
let [counted, commits] = ['', 0];

for (const method of ['run', 'all'] as const) {
  const before = StatementSync.prototype[method] as (...values: unknown[]) => unknown;
  Object.assign(StatementSync.prototype, {
    [method](this: StatementSync, ...values: unknown[]) {
      if (CHANGES.test(this.sourceSQL)) changed = true;
      return before.apply(this, values);
    },
  });
}

const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (sql) {
  if (sql === 'BEGIN IMMEDIATE') [writer, changed] = [this, false];
  if (sql !== 'COMMIT' || this !== writer || !changed || !existsSync(file)) return exec.call(this, sql);
  const text = readFileSync(file, 'utf8');
  const { commit, when } = JSON.parse(text) as { commit: number; when: 'before' | 'after' };
  [counted, commits] = [text, counted === text ? commits + 1 : 1];
  if (commits === commit && when === 'before') process.kill(process.pid, 'SIGKILL');
  exec.call(this, sql);
  if (commits === commit) process.kill(process.pid, 'SIGKILL');
};
