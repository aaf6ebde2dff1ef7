/** Counts the SQL statements that this thread runs, and their time by the wall clock, on SQLite, from its import on: import it before anything opens a database. */
import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite';

let counts = new Map<string, { runs: number; rows: number; ms: number }>();
function note(sql: string, rows: number, began: number): void {
  const entry = counts.get(sql) ?? { runs: 0, rows: 0, ms: 0 };
  entry.runs += 1;
  entry.rows += rows;
  entry.ms += performance.now() - began;
  counts.set(sql, entry);
}

const { exec } = DatabaseSync.prototype;
const prototype = StatementSync.prototype as unknown as {
  all(...values: SQLInputValue[]): unknown[];
  run(...values: SQLInputValue[]): { changes: number | bigint };
  readonly sourceSQL: string;
};
const { all, run } = prototype;
prototype.all = function (...values) {
  const began = performance.now();
  const rows = all.apply(this, values);
  note(this.sourceSQL, rows.length, began);
  return rows;
};
prototype.run = function (...values) {
  const began = performance.now();
  const result = run.apply(this, values);
  note(this.sourceSQL, Number(result.changes), began);
  return result;
};
DatabaseSync.prototype.exec = function (sql) {
  const began = performance.now();
  exec.call(this, sql);
  note(sql, 0, began);
};

/** What ran since the last call, the most frequent first. */
export function takeStatements(): { sql: string; runs: number; rows: number; ms: number }[] {
  const taken = [...counts].map(([sql, entry]) => ({ sql, ...entry }));
  counts = new Map();
  return taken.toSorted((a, b) => b.runs - a.runs);
}

/** Transactions and savepoints. */
export const BRACKET = /^(begin|commit|rollback|savepoint|release|pragma)/i;
export const READS = /^(select|with)/i;
export const WRITES = /^(insert|update|delete)/i;
export const STATEMENT = /^(select|with|insert|update|delete)/i;
