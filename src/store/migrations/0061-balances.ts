/**
 * What balances over time are made of (docs/metrics.md): each coin in a block counts at the block's time, and no more from the time of the block that spends it. Kept as
 * all that metrics are made of (0047), and in buckets of 64 days besides: what a balance was is a few of them, however long the history.
 */
import {
  addedUp,
  addUpOnPostgres,
  addUpOnSqlite,
  LENGTHS,
  MINUTES_KEPT,
  NOTE,
  noting,
  notingAll,
} from './0047-metrics.ts';
import type { ColumnTypes, Migration } from './dialect.ts';

/** In minutes, as core/metrics/buckets.ts has it. */
export const OF_LEVELS = 92_160;

const withLevels = (changes: string, condition = ''): string =>
  addedUp(changes, `AND (minutes < ${OF_LEVELS} OR source = 'balance') ${condition}`, [...LENGTHS, OF_LEVELS]);

const counts = (row: string): string => `${row}live = 1 AND ${row}height IS NOT NULL`;
/** Of blocks before the first that was followed, the transaction's record was created at that. */
const minuteOf = (row: string, height: string, txid: string): string =>
  `coalesce((SELECT time / 60 FROM blocks WHERE height = ${row}${height}),
    (SELECT created_at / 60000 FROM transactions WHERE txid = ${row}${txid} AND account_id = ${row}account_id), ${row}created_at / 60000)`;
const arrived = (row: string): string => minuteOf(row, 'height', 'txid');
/** A block's time may be before that of its parent: a coin is not spent before it arrives, and no balance is below 0. */
const spent = ({ kind }: ColumnTypes, row: string): string =>
  `${kind === 'sqlite' ? 'max' : 'greatest'}(${arrived(row)}, ${minuteOf(row, 'spent_height', 'spent_by')})`;

const change = (row: string, minute: string, sign: '' | '-', condition: string): string =>
  `SELECT ${row}account_id, ${row}wallet_id, 'balance' AS source, ${minute} AS minute, '' AS type, '' AS status,
    ${sign}1 AS items, ${sign}${row}amount_sats AS amount_sats, 0 AS fee_sats ${condition}`;

/** Where blocks are as before, and only the spend comes or goes, nothing is noted of the arrival. */
function moved(types: ColumnTypes): string {
  const arrival = `(OLD.live <> NEW.live OR OLD.height IS DISTINCT FROM NEW.height)`;
  const each = (row: string, plus: '' | '-', minus: '' | '-') => [
    change(row, arrived(row), plus, `WHERE ${counts(row)} AND ${arrival}`),
    change(row, spent(types, row), minus, `WHERE ${counts(row)} AND ${row}spent_height IS NOT NULL`),
  ];
  return [...each('OLD.', '-', ''), ...each('NEW.', '', '-')].join(' UNION ALL ');
}

/** Most changes of a coin are of none in a block, or of no block: those cost the condition alone. */
const DIFFERS = `(OLD.height IS NOT NULL OR NEW.height IS NOT NULL)
  AND (OLD.height IS DISTINCT FROM NEW.height OR OLD.live <> NEW.live OR OLD.spent_height IS DISTINCT FROM NEW.spent_height
    OR (NEW.spent_height IS NOT NULL AND OLD.spent_by IS DISTINCT FROM NEW.spent_by))`;

/** To count what has gathered, PostgreSQL goes over what was deleted lately, too: of eight changes one does. */
const ADD_UP = 'IF random() < 0.125 THEN PERFORM add_up_metrics(NEW.account_id); END IF';

function triggers(types: ColumnTypes): string[] {
  const trigger = (name: string, on: string, when: string, note: string): string[] =>
    types.kind === 'sqlite'
      ? [`CREATE TRIGGER coins_metrics_${name} AFTER ${on} ON coins WHEN ${when} BEGIN ${NOTE} ${note}; END`]
      : [
          noting(`coins_metrics_${name}`, note, ADD_UP),
          `CREATE TRIGGER coins_metrics_${name} AFTER ${on} ON coins FOR EACH ROW WHEN (${when})
            EXECUTE FUNCTION coins_metrics_${name}()`,
        ];
  const inserted = [
    change('NEW.', arrived('NEW.'), '', ''),
    change('NEW.', spent(types, 'NEW.'), '-', 'WHERE NEW.spent_height IS NOT NULL'),
  ];
  return [
    ...trigger('insert', 'INSERT', counts('NEW.'), inserted.join(' UNION ALL ')),
    ...trigger('update', 'UPDATE OF height, live, spent_height, spent_by', DIFFERS, moved(types)),
  ];
}

/** A sixteenth of the coins at a time, so that the log shows how far it is. */
function filled(types: ColumnTypes): string[] {
  const now = types.kind === 'sqlite' ? 'unixepoch() / 60' : '(extract(epoch FROM now()) / 60)::bigint';
  return [...'0123456789abcdef'].map((digit) => {
    const part = `FROM coins WHERE ${counts('coins.')} AND txid >= '${digit}' AND txid < '${digit}g'`;
    const rows = [
      change('coins.', arrived('coins.'), '', part),
      change('coins.', spent(types, 'coins.'), '-', `${part} AND spent_height IS NOT NULL`),
    ];
    return withLevels(
      `(${rows.join(' UNION ALL ')}) AS noted`,
      `AND (minutes > 1 OR minute >= ${now} - ${MINUTES_KEPT})`,
    );
  });
}

/** What a session that was left open changes between the fill and the triggers would be in no sum. */
const LOCKED = 'LOCK TABLE coins, transactions, blocks IN SHARE ROW EXCLUSIVE MODE';

export const balances: Migration = {
  version: 61,
  name: 'balances',
  statements: (types) => [
    ...(types.kind === 'postgres'
      ? [LOCKED, addUpOnPostgres(withLevels), ...notingAll(ADD_UP)]
      : ['DROP TRIGGER metric_changes_added', addUpOnSqlite(withLevels)]),
    ...filled(types),
    ...triggers(types),
  ],
};
