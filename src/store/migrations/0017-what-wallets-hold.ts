/**
 * What balances and the totals of lists are made of is kept: per wallet and class (repositories/sum-rows.ts), how many rows count and their amount.
 * Triggers keep it with the rows themselves: nothing that writes coins or scripts can forget it (docs/decisions/0480).
 */
import type { ColumnTypes, Migration } from './dialect.ts';

/** Rows of a class of a wallet, above which the one that adds another adds them up, on PostgreSQL. */
const MOST_ROWS = 32;
/** First key of the advisory locks under which rows of a wallet are added up: "ASHS". */
const LOCK_CLASS = 0x41534853;

interface Counted {
  readonly table: 'coins' | 'scripts';
  /** Of the row that the prefix names. */
  counts(row: string): string;
  classOf(row: string): string;
  amount(row: string): string;
  /** Those that class and condition look at. */
  readonly columns: readonly string[];
}

const bit = (condition: string, value: number): string => `(CASE WHEN ${condition} THEN ${value} ELSE 0 END)`;

const COUNTED: readonly Counted[] = [
  {
    table: 'coins',
    counts: (row) => `${row}live = 1 AND ${row}spent_by IS NULL`,
    classOf: (row) =>
      `${bit(`${row}height IS NOT NULL`, 1)} + 2 * ${row}coinbase + 4 * ${row}locked + 8 * ${row}frozen`,
    amount: (row) => `${row}amount_sats`,
    columns: ['live', 'spent_by', 'height', 'coinbase', 'locked', 'frozen', 'amount_sats'],
  },
  {
    table: 'scripts',
    counts: () => '1 = 1',
    classOf: (row) =>
      `16 + ${row}change + ${bit(`${row}reserved_at IS NOT NULL`, 2)} + ${bit(`${row}used_at IS NOT NULL`, 4)}`,
    amount: () => '0',
    columns: ['change', 'reserved_at', 'used_at'],
  },
];

const insertInto = 'INSERT INTO wallet_sums (wallet_id, account_id, class, items, amount_sats)';
const addUp =
  'ON CONFLICT (wallet_id, class) DO UPDATE SET items = items + excluded.items, amount_sats = amount_sats + excluded.amount_sats';

/** Row by row into the sums, which are few: nothing is sorted, and memory stays as it is. */
const fillSqlite = ({ table, counts, classOf, amount }: Counted): string => `
  ${insertInto} SELECT wallet_id, account_id, ${classOf('')}, 1, ${amount('')} FROM ${table} WHERE ${counts('')} ${addUp}`;
const fillPostgres = ({ table, counts, classOf, amount }: Counted): string => `
  ${insertInto} SELECT wallet_id, account_id, ${classOf('')}, count(*), sum(${amount('')}) FROM ${table}
    WHERE ${counts('')} GROUP BY 1, 2, 3`;

function sqliteTriggers({ table, counts, classOf, amount, columns }: Counted): string[] {
  const add = (row: string, sign: string) => `${insertInto}
    SELECT ${row}wallet_id, ${row}account_id, ${classOf(row)}, ${sign}1, ${sign}${amount(row)} WHERE ${counts(row)} ${addUp};`;
  const changed = columns.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR ');
  return [
    `CREATE TRIGGER ${table}_summed_insert AFTER INSERT ON ${table} BEGIN ${add('NEW.', '')} END`,
    `CREATE TRIGGER ${table}_summed_update AFTER UPDATE OF ${columns.join(', ')} ON ${table}
      WHEN (${counts('OLD.')} OR ${counts('NEW.')}) AND (${changed}) BEGIN ${add('OLD.', '-')} ${add('NEW.', '')} END`,
    `CREATE TRIGGER ${table}_summed_delete AFTER DELETE ON ${table} BEGIN ${add('OLD.', '-')} END`,
  ];
}

/**
 * A statement adds a row of what it changes, and waits for nobody: payments of one wallet never queue for a row of its sums, nor do
 * jobs that change several wallets in different orders. Where many have gathered, whoever gets the lock at once adds them up.
 */
function postgresTriggers({ table, counts, classOf, amount }: Counted): string[] {
  const of = (rows: string, sign: string) =>
    `SELECT wallet_id, account_id, ${classOf('')} AS class, ${sign}1 AS items, ${sign}${amount('')} AS amount_sats
       FROM ${rows} WHERE ${counts('')}`;
  const body = (changes: string, rows: string) => `
    DECLARE
      wallet text;
    BEGIN
      ${insertInto} SELECT wallet_id, account_id, class, sum(items), sum(amount_sats) FROM (${changes}) AS changes
        GROUP BY 1, 2, 3 HAVING sum(items) <> 0 OR sum(amount_sats) <> 0;
      IF FOUND THEN
        FOR wallet IN SELECT DISTINCT wallet_id FROM ${rows} LOOP PERFORM add_up_wallet_sums(wallet); END LOOP;
      END IF;
      RETURN NULL;
    END`;
  const trigger = (event: string, changes: string, rows: string, given: string) => [
    `CREATE FUNCTION sum_${table}_${event}() RETURNS trigger LANGUAGE plpgsql AS $$ ${body(changes, rows)} $$`,
    `CREATE TRIGGER ${table}_summed_${event} AFTER ${event.toUpperCase()} ON ${table}
      REFERENCING ${given} FOR EACH STATEMENT EXECUTE FUNCTION sum_${table}_${event}()`,
  ];
  return [
    ...trigger('insert', of('new_rows', ''), 'new_rows', 'NEW TABLE AS new_rows'),
    ...trigger(
      'update',
      `${of('new_rows', '')} UNION ALL ${of('old_rows', '-')}`,
      'new_rows',
      'OLD TABLE AS old_rows NEW TABLE AS new_rows',
    ),
    ...trigger('delete', of('old_rows', '-'), 'old_rows', 'OLD TABLE AS old_rows'),
  ];
}

/** The lock is held until the transaction ends: what it took away nobody else looks for meanwhile. */
const ADD_UP_ON_POSTGRES = `CREATE FUNCTION add_up_wallet_sums(wallet text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT count(*) FROM wallet_sums WHERE wallet_id = wallet) > ${MOST_ROWS}
      AND pg_try_advisory_xact_lock(${LOCK_CLASS}, hashtext(wallet)) THEN
      WITH gone AS (DELETE FROM wallet_sums WHERE wallet_id = wallet RETURNING *)
      ${insertInto} SELECT wallet_id, account_id, class, sum(items), sum(amount_sats) FROM gone
        GROUP BY 1, 2, 3 HAVING sum(items) <> 0 OR sum(amount_sats) <> 0;
    END IF;
  END $$`;

const table = ({ kind, text, integer, clustered }: ColumnTypes): string[] => [
  `CREATE TABLE wallet_sums (
    wallet_id ${text} NOT NULL,
    account_id ${text} NOT NULL,
    class ${integer} NOT NULL,
    items ${integer} NOT NULL,
    amount_sats ${integer} NOT NULL${kind === 'sqlite' ? ', PRIMARY KEY (wallet_id, class)' : ''}
  ) ${clustered}`,
  ...(kind === 'postgres' ? ['CREATE INDEX wallet_sums_by_wallet ON wallet_sums (wallet_id)', ADD_UP_ON_POSTGRES] : []),
];

/** Written in the questions in the same words: only then are they taken. */
const INDEXES = [
  `CREATE INDEX coins_of_coinbases ON coins (wallet_id, height)
    WHERE coinbase = 1 AND live = 1 AND spent_by IS NULL AND height IS NOT NULL`,
  `CREATE INDEX coins_set_aside ON coins (wallet_id, coin_id)
    WHERE live = 1 AND spent_by IS NULL AND (locked = 1 OR frozen = 1)`,
  `CREATE INDEX coins_unconfirmed ON coins (wallet_id, coin_id) WHERE live = 1 AND spent_by IS NULL AND height IS NULL`,
  'CREATE INDEX transactions_by_direction ON transactions (account_id, direction, ordinal)',
  'CREATE INDEX scripts_labelled ON scripts (wallet_id, label, change, derivation_index) WHERE label IS NOT NULL',
  'CREATE INDEX scripts_unused ON scripts (wallet_id, change, derivation_index) WHERE used_at IS NULL',
];

/** What a session that was left open changes between the fill and the triggers would be in no sum. */
const LOCKED = 'LOCK TABLE coins, scripts IN SHARE ROW EXCLUSIVE MODE';

export const whatWalletsHold: Migration = {
  version: 17,
  name: 'what wallets hold',
  statements: (types) => [
    ...(types.kind === 'postgres' ? [LOCKED] : []),
    ...table(types),
    ...COUNTED.map(types.kind === 'sqlite' ? fillSqlite : fillPostgres),
    ...COUNTED.flatMap(types.kind === 'sqlite' ? sqliteTriggers : postgresTriggers),
    ...INDEXES,
  ],
};
