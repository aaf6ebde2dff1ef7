/** What a SQLite database holds, read past the service: whether a request changed anything, and how much. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface DatabaseState {
  /** Rows of each table (of those of some names), as JSON, but for what the service notes of refused requests and of use. */
  contents(names?: RegExp): Record<string, string[]>;
  /** How many rows each table has. */
  counts(): Record<string, number>;
  /** How many audit records an operation has with an outcome: done, or the code of a refusal. */
  recorded(operation: string, outcome: string): number;
  close(): void;
}

/**
 * The audit log and usage tell of refusals, too; use is noted of valid credentials whose signature is refused, and of oracles when they are
 * asked; webhooks deliver, nodes are probed, reports are made, checks are looked at, and metrics are added up, in the background.
 */
const NOT_EFFECTS =
  /^(ai_calls|ai_minutes|ai_usage|audit_|compliance_checks|fee_observations|metric_|node_probes|report_pieces|request_credentials|sqlite_|schema_|usage_|webhook_deliveries)/;
const USE = new Set(['last_used_at', 'last_seen_at', 'polled_at', 'poll_at', 'sweep']);
const DELIVERING = new Set(['connections', 'webhooks', 'notification_rules']);
/** Of connections, webhooks and notification rules: how far they have delivered, refusals among the rest. */
const DELIVERED =
  /^(position|segment_end|delivered_seq|failing_since|failures|last_error|last_error_at|last_delivered_at|locked_until|next_at|told_seq|gathered|lines)$/;

/** Of reports: how far their making is. That one was cancelled is a request's effect. */
const MADE = /^(reason|begun|row_count|passed|to_pass|size|stored|sha256|progressed_at|closed_at)$/;

/** Of a DAO: what time alone brings. `executed_at` is a request's effect. */
const BY_TIME = /^(seen_at|execution|execution_status|execution_since|execution_due_at)$/;

/** When a channel shows a notification, soon after what it is about. */
const SHOWN = `channel = 'notifications' AND data LIKE '%"change":"shown"%'`;
const SENT = "SELECT notification_id FROM notifications WHERE maker_kind <> 'service'";
/**
 * Written in the background: tree heads, which the first who wants one may sign, too; security notices; the places up to which events were
 * handed on.
 */
const REQUESTED: Readonly<Record<string, string>> = {
  events: `channel <> 'audit' AND NOT (${SHOWN})`,
  notifications: "maker_kind <> 'service'",
  notification_deliveries: `notification_id IN (${SENT})`,
  settings: "name NOT IN ('webhooks.position', 'notificationRules.position')",
};
const counted = (table: string): string => `"${table}" WHERE ${REQUESTED[table] ?? '1 = 1'}`;

export function databaseState(dataDir: string): DatabaseState {
  const database = new DatabaseSync(join(dataDir, 'ashlar.db'), { readOnly: true });
  const tables = () =>
    database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !NOT_EFFECTS.test(name));
  const rows = (table: string) =>
    database
      .prepare(`SELECT * FROM ${table === 'events' ? `events WHERE NOT (${SHOWN})` : counted(table)}`)
      .all()
      .map((row) =>
        JSON.stringify(row, (key, value) => {
          if (USE.has(key) || (DELIVERING.has(table) && DELIVERED.test(key))) return undefined;
          if (table === 'reports' && (MADE.test(key) || (key === 'status' && value !== 'cancelled'))) return undefined;
          if (table.startsWith('governance_') && BY_TIME.test(key)) return undefined;
          if (typeof value === 'bigint') return String(value);
          return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
        }),
      )
      .sort();
  return {
    contents: (names = /./) =>
      Object.fromEntries(
        tables()
          .filter((name) => names.test(name))
          .map((table) => [table, rows(table)]),
      ),
    counts: () =>
      Object.fromEntries(
        tables().map((table) => [
          table,
          Number(database.prepare(`SELECT count(*) AS n FROM ${counted(table)}`).get()?.n),
        ]),
      ),
    recorded: (operation, outcome) =>
      Number(
        database
          .prepare('SELECT count(*) AS n FROM audit_records WHERE operation = ? AND outcome = ?')
          .get(operation, outcome)?.n,
      ),
    close: () => database.close(),
  };
}

const MADE_ONCE =
  /(_sums|^custom_metrics|^enterprise_config|^governance_holders|^governance_snapshot_pieces|^audit_commitments|^notification_days)$/;

/** By how many rows each table grew, where it did: but for sums, metrics, the config of an account's rules, holders, snapshots of the same, what records commit to, and days, whose rows are made once. */
export function growth(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const grown = Object.entries(after).map(([table, count]) => [table, count - (before[table] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([table, by]) => by !== 0 && !MADE_ONCE.test(table)));
}
