import type { ColumnTypes, Migration } from './dialect.ts';

/**
 * A replay reads an account's payments by `ordinal`, and its windows must be at each payment what they were then. Payments hold their own
 * `counts`; triggers note all else that changed the sums (spend_changes): payments that were given back or came again, and contracts.
 * `behind`: after which ordinal. A migration that makes one of these tables anew on SQLite must make the triggers anew, too.
 */
const COUNTED = [
  { table: 'transactions', dead: "'replaced', 'conflicted', 'abandoned', 'failed'" },
  { table: 'contracts', dead: "'cancelled', 'failed'" },
] as const;
type Counted = (typeof COUNTED)[number];

const alive = ({ dead }: Counted, row: string): string => `${row}status NOT IN (${dead})`;
/** The counts of a payment never change; if they are removed, they are in the sums for good (retire-transaction.ts). */
const changed = (of: Counted): string =>
  of.table === 'transactions'
    ? `OLD.counts IS NOT NULL AND NEW.counts IS NOT NULL AND (${alive(of, 'OLD.')}) <> (${alive(of, 'NEW.')})`
    : `(OLD.counts IS NOT NULL OR NEW.counts IS NOT NULL)
  AND ((${alive(of, 'OLD.')}) <> (${alive(of, 'NEW.')}) OR OLD.counts IS DISTINCT FROM NEW.counts)`;

const note = (
  of: Counted,
  row: 'OLD' | 'NEW',
  sign: 1 | -1,
): string => `INSERT INTO spend_changes (account_id, behind, sign, counts, created_at)
  SELECT account_id, transaction_count, ${sign}, ${row}.counts, NEW.updated_at FROM accounts
    WHERE account_id = ${row}.account_id AND ${row}.counts IS NOT NULL AND ${alive(of, `${row}.`)};`;

function triggers({ kind }: ColumnTypes, of: Counted): string[] {
  const trigger = (event: 'insert' | 'update', when: string, body: string): string[] => {
    const name = `${of.table}_noted_${event}`;
    const head = `AFTER ${event === 'insert' ? 'INSERT' : 'UPDATE OF status, counts'} ON ${of.table}`;
    return kind === 'sqlite'
      ? [`CREATE TRIGGER ${name} ${head} WHEN ${when} BEGIN ${body} END`]
      : [
          `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NULL; END $$`,
          `CREATE TRIGGER ${name} ${head} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}()`,
        ];
  };
  return [
    // Payments have an ordinal of their own.
    ...(of.table === 'transactions' ? [] : trigger('insert', 'NEW.counts IS NOT NULL', note(of, 'NEW', 1))),
    ...trigger('update', changed(of), `${note(of, 'OLD', -1)} ${note(of, 'NEW', 1)}`),
  ];
}

export const replays: Migration = {
  version: 30,
  name: 'replays',
  statements: (types) => [
    `ALTER TABLE transactions ADD COLUMN asked ${types.text}`,
    // Of former versions: they count, but cannot be evaluated.
    `UPDATE transactions SET asked = '{}' WHERE counts IS NOT NULL`,
    'CREATE INDEX transactions_asked ON transactions (account_id, ordinal) WHERE asked IS NOT NULL',
    `CREATE TABLE spend_changes (
      change_id ${types.id},
      account_id ${types.text} NOT NULL,
      behind ${types.integer} NOT NULL,
      sign ${types.integer} NOT NULL CHECK (sign IN (1, -1)),
      counts ${types.text} NOT NULL,
      created_at ${types.integer} NOT NULL
    ) ${types.table}`,
    'CREATE INDEX spend_changes_by_time ON spend_changes (created_at)',
    'CREATE INDEX spend_changes_by_account ON spend_changes (account_id, behind, change_id)',
    `INSERT INTO spend_changes (account_id, behind, sign, counts, created_at)
      SELECT account_id, ordinal, -1, counts, updated_at FROM transactions
        WHERE counts IS NOT NULL AND NOT (${alive(COUNTED[0], '')})`,
    `INSERT INTO spend_changes (account_id, behind, sign, counts, created_at)
      SELECT account_id, (SELECT transaction_count FROM accounts WHERE accounts.account_id = contracts.account_id), 1, counts, updated_at
        FROM contracts WHERE counts IS NOT NULL AND ${alive(COUNTED[1], '')}`,
    ...COUNTED.flatMap((of) => triggers(types, of)),
    `CREATE TABLE replays (
      replay_id ${types.text} NOT NULL PRIMARY KEY,
      account_id ${types.text} NOT NULL REFERENCES accounts (account_id),
      policies ${types.text} NOT NULL,
      default_action ${types.text} NOT NULL CHECK (default_action IN ('allow', 'deny')),
      from_at ${types.integer} NOT NULL,
      to_at ${types.integer} NOT NULL,
      first_place ${types.integer} NOT NULL,
      last_place ${types.integer} NOT NULL,
      complete_from ${types.integer},
      place ${types.integer} NOT NULL,
      figures ${types.text} NOT NULL,
      status ${types.text} NOT NULL CHECK (status IN ('running', 'done', 'failed')),
      reason ${types.text},
      created_at ${types.integer} NOT NULL,
      progressed_at ${types.integer} NOT NULL,
      closed_at ${types.integer},
      CHECK ((status = 'running') = (closed_at IS NULL)),
      UNIQUE (replay_id, account_id)
    ) ${types.table}`,
    'CREATE INDEX replays_by_account ON replays (account_id, created_at, replay_id)',
    `CREATE INDEX replays_running ON replays (account_id, created_at, replay_id) WHERE status = 'running'`,
    'CREATE INDEX replays_closed ON replays (closed_at) WHERE closed_at IS NOT NULL',
    `CREATE TABLE replay_differences (
      replay_id ${types.text} NOT NULL,
      account_id ${types.text} NOT NULL,
      place ${types.integer} NOT NULL,
      txid ${types.text} NOT NULL,
      wallet_id ${types.text} NOT NULL,
      amount_sats ${types.integer} NOT NULL,
      said_before ${types.text},
      said_after ${types.text} NOT NULL,
      created_at ${types.integer} NOT NULL,
      PRIMARY KEY (replay_id, place),
      FOREIGN KEY (replay_id, account_id) REFERENCES replays (replay_id, account_id)
    ) ${types.clustered}`,
    'CREATE INDEX replay_differences_by_time ON replay_differences (account_id, replay_id, created_at, txid)',
  ],
};
