import type { ColumnTypes, Migration } from './dialect.ts';

/**
 * What windows of spending rules add up: by scope, subject and hour. Transactions and contracts hold what they count for, in which hour, and
 * triggers count it and give it back: nothing that changes a status can forget it. What was given back and comes again counts in its old hour.
 */
const COUNTED = [
  { table: 'transactions', dead: "'replaced', 'conflicted', 'abandoned', 'failed'" },
  { table: 'contracts', dead: "'cancelled', 'failed'" },
] as const;
type Counted = (typeof COUNTED)[number];

const alive = ({ dead }: Counted, row: string): string => `${row}status NOT IN (${dead})`;

const COLUMNS = '(account_id, scope, subject, hour, amount_sats, count)';
const ADD_UP = `ON CONFLICT (account_id, scope, subject, hour) DO UPDATE SET
  amount_sats = spend_sums.amount_sats + excluded.amount_sats, count = spend_sums.count + excluded.count`;

const table = ({ text, integer, clustered }: ColumnTypes): string[] => [
  `ALTER TABLE transactions ADD COLUMN policy ${text}`,
  ...COUNTED.map((counted) => `ALTER TABLE ${counted.table} ADD COLUMN counts ${text}`),
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
];

const changed = (of: Counted): string => `(OLD.counts IS NOT NULL OR NEW.counts IS NOT NULL)
  AND ((${alive(of, 'OLD.')}) <> (${alive(of, 'NEW.')}) OR OLD.counts IS DISTINCT FROM NEW.counts)`;

function sqliteTriggers(of: Counted): string[] {
  const add = (row: string, sign: string): string => `INSERT INTO spend_sums ${COLUMNS}
    SELECT ${row}account_id, value ->> 0, value ->> 1, value ->> 2, ${sign}(value ->> 3), ${sign}(value ->> 4)
      FROM json_each(${row}counts) WHERE ${alive(of, row)} ${ADD_UP};`;
  return [
    `CREATE TRIGGER ${of.table}_counted_insert AFTER INSERT ON ${of.table} WHEN NEW.counts IS NOT NULL
      BEGIN ${add('NEW.', '')} END`,
    `CREATE TRIGGER ${of.table}_counted_update AFTER UPDATE OF status, counts ON ${of.table} WHEN ${changed(of)}
      BEGIN ${add('OLD.', '-')} ${add('NEW.', '')} END`,
  ];
}

/** In the order of the key: jobs that change several sums never wait for each other in a circle. */
const COUNT_SPENDS = `CREATE FUNCTION count_spends(account text, counts text, sign bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO spend_sums ${COLUMNS}
    SELECT account, value ->> 0, value ->> 1, (value ->> 2)::bigint,
        (sign * sum((value ->> 3)::bigint))::bigint, (sign * sum((value ->> 4)::bigint))::bigint
      FROM json_array_elements(counts::json) GROUP BY 1, 2, 3, 4 ORDER BY 2, 3, 4 ${ADD_UP} $$`;

/** For whoever makes such a table anew on SQLite. */
export const triggersOf = (table: Counted['table']): string[] =>
  COUNTED.filter((of) => of.table === table).flatMap(sqliteTriggers);

function postgresTriggers(of: Counted): string[] {
  const count = (row: string, sign: string): string => `IF ${row}counts IS NOT NULL AND ${alive(of, row)} THEN
    PERFORM count_spends(${row}account_id, ${row}counts, ${sign}1); END IF;`;
  const trigger = (event: string, when: string, body: string): string[] => [
    `CREATE FUNCTION count_${of.table}_${event}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NULL; END $$`,
    `CREATE TRIGGER ${of.table}_counted_${event} AFTER ${event === 'insert' ? 'INSERT' : 'UPDATE OF status, counts'} ON ${of.table}
      FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION count_${of.table}_${event}()`,
  ];
  return [
    ...trigger('insert', 'NEW.counts IS NOT NULL', count('NEW.', '')),
    ...trigger('update', changed(of), `${count('OLD.', '-')} ${count('NEW.', '')}`),
  ];
}

export const whatIsSpent: Migration = {
  version: 21,
  name: 'what is spent',
  statements: (types) => [
    ...table(types),
    ...(types.kind === 'sqlite' ? [] : [COUNT_SPENDS]),
    ...COUNTED.flatMap(types.kind === 'sqlite' ? sqliteTriggers : postgresTriggers),
  ],
};
