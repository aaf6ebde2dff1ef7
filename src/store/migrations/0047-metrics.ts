import type { ColumnTypes, Migration } from './dialect.ts';

/**
 * What metrics are made of (docs/metrics.md): records by source, wallet, type and status, in buckets of four lengths. Triggers note each change
 * of a record, and add what has gathered to the buckets: a payment writes a short row for each change, and the buckets once for many.
 * A migration that makes one of these tables anew on SQLite must make its triggers anew.
 */
interface Source {
  readonly table: 'transactions' | 'contracts' | 'approvals';
  readonly source: string;
  /** Columns that, changed, count elsewhere. */
  readonly changes: readonly string[];
  /** Of the row that the prefix names: wallet ('' for none), minute, type, satoshis, fee. */
  values(row: string): { wallet: string; minute: string; type: string; amount: string; fee: string };
}

const SOURCES: readonly Source[] = [
  {
    ...{ table: 'transactions', source: 'transaction' },
    changes: ['status', 'direction', 'wallet_id', 'amount_sats', 'fee_sats', 'block_height', 'block_hash'],
    values: (row) => ({
      ...{ wallet: `${row}wallet_id`, type: `${row}direction` },
      ...{ amount: `${row}amount_sats`, fee: `coalesce(${row}fee_sats, 0)` },
      // What is in a block counts at its time. Of blocks before the first that was followed, the record was created at that.
      minute: `coalesce((SELECT time / 60 FROM blocks WHERE height = ${row}block_height AND hash = ${row}block_hash),
        ${row}created_at / 60000)`,
    }),
  },
  {
    ...{ table: 'contracts', source: 'contract', changes: ['status', 'collateral_sats'] },
    values: (row) => ({
      ...{ wallet: "''", type: "''", amount: `${row}collateral_sats`, fee: '0', minute: `${row}created_at / 60000` },
    }),
  },
  {
    ...{ table: 'approvals', source: 'approval', changes: ['status'] },
    values: (row) => ({
      ...{ wallet: `coalesce(${row}wallet_id, '')`, type: `${row}operation`, amount: '0', fee: '0' },
      minute: `${row}created_at / 60000`,
    }),
  },
];

/** In minutes, as core/metrics/buckets.ts has them. */
export const LENGTHS: readonly number[] = [1, 15, 60, 1_440];
export const MINUTES_KEPT = 7 * 1_440;
/** Changes (on PostgreSQL: of an account) that gather before they are added to the buckets. */
const MOST_CHANGES = 32;
/** First key of the advisory locks under which an account's changes are added: "ASHM". */
export const LOCK_CLASS = 0x4153484d;

const KEY = 'account_id, wallet_id, source, minutes, bucket, type, status';
const SUMS = 'items, amount_sats, fee_sats';
const sum = (column: string): string => `CAST(sum(${column}) AS bigint)`;

/** Each change counts for the whole account and for its wallet, in the order of the key. */
export const addedUp = (
  changes: string,
  condition = '',
  lengths = LENGTHS,
): string => `INSERT INTO metric_sums (${KEY}, ${SUMS})
  SELECT account_id, CASE WHEN of_wallet = 1 THEN wallet_id ELSE '' END, source, minutes, minute - minute % minutes, type, status,
      ${sum('items')}, ${sum('amount_sats')}, ${sum('fee_sats')}
    FROM ${changes} CROSS JOIN (${lengths.map((length) => `SELECT ${length} AS minutes`).join(' UNION ALL ')}) AS lengths
      CROSS JOIN (SELECT 0 AS of_wallet UNION ALL SELECT 1) AS scopes
    WHERE (of_wallet = 0 OR wallet_id <> '') ${condition}
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(items) <> 0 OR sum(amount_sats) <> 0 OR sum(fee_sats) <> 0
    ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (${KEY}) DO UPDATE SET items = metric_sums.items + excluded.items,
    amount_sats = metric_sums.amount_sats + excluded.amount_sats, fee_sats = metric_sums.fee_sats + excluded.fee_sats`;

function change({ source, values }: Source, row: string, sign: '' | '-'): string {
  const { wallet, minute, type, amount, fee } = values(row);
  return `SELECT ${row}account_id, ${wallet} AS wallet_id, '${source}' AS source, ${minute} AS minute, ${type} AS type, ${row}status,
    ${sign}1 AS items, ${sign}${amount} AS amount_sats, ${sign}${fee} AS fee_sats`;
}

export const NOTE = `INSERT INTO metric_changes (account_id, wallet_id, source, minute, type, status, ${SUMS})`;

const notes = (of: Source) => ({
  insert: change(of, 'NEW.', ''),
  update: `${change(of, 'OLD.', '-')} UNION ALL ${change(of, 'NEW.', '')}`,
});
/** What a trigger on PostgreSQL calls. */
export const noting = (called: string, note: string, addUp = 'PERFORM add_up_metrics(NEW.account_id)'): string =>
  `CREATE OR REPLACE FUNCTION ${called}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${NOTE} ${note}; ${addUp}; RETURN NULL; END $$`;
export const notingAll = (addUp: string): string[] =>
  SOURCES.flatMap((of) =>
    Object.entries(notes(of)).map(([name, note]) => noting(`${of.table}_metrics_${name}`, note, addUp)),
  );

function triggers({ kind }: ColumnTypes, of: Source): string[] {
  const { table, changes } = of;
  const { insert, update } = notes(of);
  const differs = changes.map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`).join(' OR ');
  const trigger = (name: string, on: string, when: string, note: string): string[] => {
    const called = `${table}_metrics_${name}`;
    return kind === 'sqlite'
      ? [`CREATE TRIGGER ${called} AFTER ${on} ON ${table} ${when} BEGIN ${NOTE} ${note}; END`]
      : [
          noting(called, note),
          `CREATE TRIGGER ${called} AFTER ${on} ON ${table} FOR EACH ROW ${when} EXECUTE FUNCTION ${called}()`,
        ];
  };
  return [
    ...trigger('insert', 'INSERT', '', insert),
    ...trigger('update', `UPDATE OF ${changes.join(', ')}`, `WHEN (${differs})`, update),
  ];
}

/** SQLite has one writer, which adds those of all accounts; an empty table gives its ids anew. */
export const addUpOnSqlite = (
  added: typeof addedUp,
): string => `CREATE TRIGGER metric_changes_added AFTER INSERT ON metric_changes WHEN NEW.change_id >= ${MOST_CHANGES}
  BEGIN ${added('metric_changes')}; DELETE FROM metric_changes; END`;

/**
 * Noting waits for nobody. Whoever gets the lock at once adds up what has gathered; nobody else writes the account's buckets meanwhile, so jobs
 * that change several accounts in different orders never wait for each other in a circle.
 */
export const addUpOnPostgres = (
  added: typeof addedUp,
): string => `CREATE OR REPLACE FUNCTION add_up_metrics(account text) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT count(*) FROM metric_changes WHERE account_id = account) >= ${MOST_CHANGES}
      AND pg_try_advisory_xact_lock(${LOCK_CLASS}, hashtext(account)) THEN
      WITH gone AS (DELETE FROM metric_changes WHERE account_id = account RETURNING *) ${added('gone')};
    END IF;
  END $$`;

function tables({ kind, id, text, integer, table, clustered }: ColumnTypes): string[] {
  const subject = `account_id ${text} NOT NULL, wallet_id ${text} NOT NULL, source ${text} NOT NULL`;
  const sums = `type ${text} NOT NULL, status ${text} NOT NULL, items ${integer} NOT NULL, amount_sats ${integer} NOT NULL,
    fee_sats ${integer} NOT NULL`;
  return [
    `CREATE TABLE metric_sums (${subject}, minutes ${integer} NOT NULL, bucket ${integer} NOT NULL, ${sums}, PRIMARY KEY (${KEY})) ${clustered}`,
    'CREATE INDEX metric_sums_of_minutes ON metric_sums (bucket) WHERE minutes = 1',
    `CREATE TABLE metric_changes (change_id ${kind === 'sqlite' ? 'INTEGER PRIMARY KEY' : id}, ${subject},
      minute ${integer} NOT NULL, ${sums}) ${table}`,
    ...(kind === 'sqlite'
      ? [addUpOnSqlite(addedUp)]
      : ['CREATE INDEX metric_changes_by_account ON metric_changes (account_id)', addUpOnPostgres(addedUp)]),
  ];
}

/** Transactions a sixteenth at a time, so that the log shows how far it is. */
function filled({ kind }: ColumnTypes, of: Source): string[] {
  const now = kind === 'sqlite' ? 'unixepoch() / 60' : '(extract(epoch FROM now()) / 60)::bigint';
  const digits = of.table === 'transactions' ? [...'0123456789abcdef'] : [''];
  return digits.map((digit) => {
    const part = digit === '' ? '' : `WHERE txid >= '${digit}' AND txid < '${digit}g'`;
    const rows = `(${change(of, `${of.table}.`, '')} FROM ${of.table} ${part}) AS noted`;
    return addedUp(rows, `AND (minutes > 1 OR minute >= ${now} - ${MINUTES_KEPT})`);
  });
}

/** What a session that was left open changes between the fill and the triggers would be in no sum. */
const LOCKED = 'LOCK TABLE transactions, contracts, approvals, blocks IN SHARE ROW EXCLUSIVE MODE';

export const metrics: Migration = {
  version: 47,
  name: 'metrics',
  statements: (types) => [
    ...(types.kind === 'postgres' ? [LOCKED] : []),
    ...tables(types),
    ...SOURCES.flatMap((of) => filled(types, of)),
    ...SOURCES.flatMap((of) => triggers(types, of)),
  ],
};
