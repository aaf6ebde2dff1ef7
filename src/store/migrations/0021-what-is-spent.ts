import type { ColumnTypes, Migration } from './dialect.ts';

/**
 * What windows of spending rules add up: by scope, subject and hour. A transaction holds what it counts for, in which hour, and triggers
 * count it and give it back: nothing that changes a status can forget it. What was given back and comes again counts in its old hour.
 */
const alive = (row: string): string => `${row}status NOT IN ('replaced', 'conflicted', 'abandoned', 'failed')`;

const COLUMNS = '(account_id, scope, subject, hour, amount_sats, count)';
const ADD_UP = `ON CONFLICT (account_id, scope, subject, hour) DO UPDATE SET
  amount_sats = spend_sums.amount_sats + excluded.amount_sats, count = spend_sums.count + excluded.count`;

const tables = ({ kind, text, integer, clustered }: ColumnTypes): string[] => [
  `ALTER TABLE transactions ADD COLUMN policy ${text}`,
  `ALTER TABLE transactions ADD COLUMN counts ${text}`,
  `CREATE TABLE spend_sums (
    account_id ${text} NOT NULL,
    scope ${text} NOT NULL,
    subject ${text} NOT NULL,
    hour ${integer} NOT NULL,
    amount_sats ${integer} NOT NULL,
    count ${integer} NOT NULL,
    PRIMARY KEY (account_id, scope, subject, hour)
  ) ${clustered}`,
  'CREATE INDEX spend_sums_by_hour ON spend_sums (hour)',
  ...(kind === 'sqlite' ? SQLITE_TRIGGERS : POSTGRES_TRIGGERS),
];

const CHANGED = `(OLD.counts IS NOT NULL OR NEW.counts IS NOT NULL)
  AND ((${alive('OLD.')}) <> (${alive('NEW.')}) OR OLD.counts IS DISTINCT FROM NEW.counts)`;

const add = (row: string, sign: string): string => `INSERT INTO spend_sums ${COLUMNS}
  SELECT ${row}account_id, value ->> 0, value ->> 1, value ->> 2, ${sign}(value ->> 3), ${sign}(value ->> 4)
    FROM json_each(${row}counts) WHERE ${alive(row)} ${ADD_UP};`;

const SQLITE_TRIGGERS = [
  `CREATE TRIGGER transactions_counted_insert AFTER INSERT ON transactions WHEN NEW.counts IS NOT NULL
    BEGIN ${add('NEW.', '')} END`,
  `CREATE TRIGGER transactions_counted_update AFTER UPDATE OF status, counts ON transactions WHEN ${CHANGED}
    BEGIN ${add('OLD.', '-')} ${add('NEW.', '')} END`,
];

/** In the order of the key: jobs that change several sums never wait for each other in a circle. */
const COUNT_SPENDS = `CREATE FUNCTION count_spends(account text, counts text, sign bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO spend_sums ${COLUMNS}
    SELECT account, value ->> 0, value ->> 1, (value ->> 2)::bigint,
        (sign * sum((value ->> 3)::bigint))::bigint, (sign * sum((value ->> 4)::bigint))::bigint
      FROM json_array_elements(counts::json) GROUP BY 1, 2, 3, 4 ORDER BY 2, 3, 4 ${ADD_UP} $$`;

const POSTGRES_TRIGGERS = [
  COUNT_SPENDS,
  `CREATE FUNCTION count_new_transaction() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM count_spends(NEW.account_id, NEW.counts, 1);
    RETURN NULL;
  END $$`,
  `CREATE FUNCTION count_changed_transaction() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF OLD.counts IS NOT NULL AND ${alive('OLD.')} THEN PERFORM count_spends(OLD.account_id, OLD.counts, -1); END IF;
    IF NEW.counts IS NOT NULL AND ${alive('NEW.')} THEN PERFORM count_spends(NEW.account_id, NEW.counts, 1); END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER transactions_counted_insert AFTER INSERT ON transactions FOR EACH ROW
    WHEN (NEW.counts IS NOT NULL AND ${alive('NEW.')}) EXECUTE FUNCTION count_new_transaction()`,
  `CREATE TRIGGER transactions_counted_update AFTER UPDATE OF status, counts ON transactions FOR EACH ROW
    WHEN (${CHANGED}) EXECUTE FUNCTION count_changed_transaction()`,
];

export const whatIsSpent: Migration = { version: 21, name: 'what is spent', statements: tables };
