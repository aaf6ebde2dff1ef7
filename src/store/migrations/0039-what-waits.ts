import type { ColumnTypes, Migration } from './dialect.ts';

/**
 * What waits (for approvals, for signatures, for the other side) counts in WAITING_HOUR, which is in every window, and from the moment in which it
 * is committed in the hour of that: a limit bounds what leaves in its window, not what was asked for in it. Triggers move it, so that nothing that
 * changes a status can forget it. `spend_waits`: what counted so between two places of an account's history, for replays, which begin in between,
 * too; spend_changes (0030) has its ends. A migration that makes one of these tables anew on SQLite must make the triggers anew.
 */
const WAITING_HOUR = '9007199254740991';
const COUNTED = [
  {
    ...{ table: 'transactions', key: 'txid', waits: "'awaiting_approval', 'awaiting_signature'" },
    ...{ dead: "'replaced', 'conflicted', 'abandoned', 'failed'" },
  },
  {
    ...{ table: 'contracts', key: 'contract_id', waits: "'awaiting_approval', 'offered', 'accepted'" },
    dead: "'cancelled', 'failed'",
  },
] as const;
type Counted = (typeof COUNTED)[number];
type Row = 'OLD' | 'NEW';

/** No name, address or amount has these digits. */
const inWaiting = (row: string): string => `${row}.counts LIKE '%${WAITING_HOUR}%'`;
const alive = ({ dead }: Counted, row: Row): string => `${row}.status NOT IN (${dead})`;
/** What the table's row is called in spend_waits. */
const ref = ({ table }: Counted, row: string): string =>
  table === 'transactions' ? `CAST(${row}.ordinal AS text)` : `${row}.contract_id`;

function trigger(
  { kind }: ColumnTypes,
  { table }: Counted,
  { name, on, when, body }: { name: string; on: 'INSERT' | 'UPDATE OF status, counts'; when: string; body: string },
): string[] {
  const [called, head] = [`${table}_${name}`, `AFTER ${on} ON ${table}`];
  return kind === 'sqlite'
    ? [`CREATE TRIGGER ${called} ${head} WHEN ${when} BEGIN ${body} END`]
    : [
        `CREATE FUNCTION ${called}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NULL; END $$`,
        `CREATE TRIGGER ${called} ${head} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${called}()`,
      ];
}

/** `since`: the first place that sees it. */
const begins = (of: Counted, row: string, since: string): string => `INSERT INTO spend_waits
  (account_id, ref, since, until, counts, ended_at)
  SELECT account_id, ${ref(of, row)}, ${since}, ${WAITING_HOUR}, ${row}.counts, ${WAITING_HOUR}`;

const keptOf = ({ kind }: ColumnTypes): string =>
  kind === 'sqlite' ? `NEW.asked ->> 'kept'` : `NEW.asked::json ->> 'kept'`;

/** Of one that was abandoned and is seen after all: it counts in the hour of that, and no longer in that of its abandonment. */
const givesBackKept = (types: ColumnTypes, dead: string): string =>
  types.kind === 'sqlite'
    ? `INSERT INTO spend_sums (account_id, scope, subject, hour, amount_sats, count)
        SELECT NEW.account_id, value ->> 0, value ->> 1, value ->> 2, -(value ->> 3), -(value ->> 4)
        FROM json_each(${keptOf(types)}) WHERE OLD.status IN (${dead})
        ON CONFLICT (account_id, scope, subject, hour) DO UPDATE SET
          amount_sats = spend_sums.amount_sats + excluded.amount_sats, count = spend_sums.count + excluded.count;`
    : `IF OLD.status IN (${dead}) THEN PERFORM count_spends(NEW.account_id, ${keptOf(types)}, -1); END IF;`;

function triggers(types: ColumnTypes, of: Counted): string[] {
  const { table, key, waits, dead } = of;
  const on = 'UPDATE OF status, counts';
  const isPayment = table === 'transactions';
  const begun = `NEW.status IN (${waits}) AND ${inWaiting('NEW')}`;
  const begin = `${begins(of, 'NEW', isPayment ? 'NEW.ordinal' : 'transaction_count + 1')}
    FROM accounts WHERE account_id = NEW.account_id;`;
  return [
    ...trigger(types, of, { name: 'waits_insert', on: 'INSERT', when: begun, body: begin }),
    ...(isPayment
      ? []
      : trigger(types, of, { name: 'waits_begin', on, when: `${begun} AND OLD.counts IS NULL`, body: begin })),
    ...trigger(types, of, {
      ...{ name: 'waits_settle', on },
      when: `OLD.status IN (${waits}, ${dead}) AND NEW.status NOT IN (${waits}, ${dead}) AND ${inWaiting('NEW')}`,
      body: `UPDATE ${table} SET counts = replace(counts, '${WAITING_HOUR}', CAST(updated_at / 3600000 AS text))
        WHERE account_id = NEW.account_id AND ${key} = NEW.${key};
        ${isPayment ? givesBackKept(types, dead) : ''}`,
    }),
    ...trigger(types, of, {
      ...{ name: 'waits_end', on },
      when: `OLD.status IN (${waits}) AND ${inWaiting('OLD')} AND (NEW.status NOT IN (${waits}) OR NEW.counts IS NULL)`,
      body: `UPDATE spend_waits SET ended_at = NEW.updated_at,
          until = (SELECT transaction_count FROM accounts WHERE accounts.account_id = NEW.account_id)
        WHERE account_id = NEW.account_id AND ref = ${ref(of, 'NEW')} AND until = ${WAITING_HOUR};`,
    }),
  ];
}

/**
 * As of contracts (0030): counts of payments that waited change, too. `kept`: of one that was abandoned, and others can complete. One that did not
 * wait is in a replay with what was kept from its place on.
 */
function noted(types: ColumnTypes): string[] {
  const [transactions] = COUNTED;
  const note = (row: Row, sign: 1 | -1, counts: string, when: string): string => `INSERT INTO spend_changes
    (account_id, behind, sign, counts, created_at)
    SELECT account_id, transaction_count, ${sign}, ${counts}, NEW.updated_at FROM accounts
      WHERE account_id = ${row}.account_id AND ${counts} IS NOT NULL AND ${when};`;
  const kept = keptOf(types);
  const [before, after] = [alive(transactions, 'OLD'), alive(transactions, 'NEW')];
  return [
    types.kind === 'sqlite'
      ? 'DROP TRIGGER transactions_noted_update'
      : 'DROP TRIGGER transactions_noted_update ON transactions',
    ...(types.kind === 'sqlite' ? [] : ['DROP FUNCTION transactions_noted_update()']),
    ...trigger(types, transactions, {
      ...{ name: 'noted_update', on: 'UPDATE OF status, counts' },
      when: `OLD.counts IS NOT NULL AND ((${before}) <> (${after}) OR OLD.counts IS DISTINCT FROM NEW.counts)`,
      body: [
        note('OLD', -1, 'OLD.counts', `${before} AND (NEW.counts IS NOT NULL OR ${inWaiting('OLD')})`),
        note('NEW', 1, 'NEW.counts', after),
        note('NEW', 1, kept, `${before} AND NOT (${after}) AND ${inWaiting('OLD')}`),
        note('NEW', -1, kept, `NOT (${before}) AND ${after} AND ${inWaiting('NEW')}`),
      ].join(' '),
    }),
  ];
}

/** What waits already: from now on it counts as what begins to wait. What payments inherited keeps its hours. */
function taken({ kind }: ColumnTypes, of: Counted): string[] {
  const { table, waits } = of;
  const some = `counts IS NOT NULL AND status IN (${waits})`;
  const inherits = table === 'transactions';
  const [each, place, list] =
    kind === 'sqlite'
      ? ['json_each(counts)', 'key', 'json_array']
      : ['json_array_elements(counts::json) WITH ORDINALITY AS each (value, place)', 'place - 1', 'json_build_array'];
  const before = inherits
    ? kind === 'sqlite'
      ? `coalesce(asked ->> 'inherited', 0)`
      : `coalesce((asked::json ->> 'inherited')::bigint, 0)`
    : '0';
  const arrow = kind === 'sqlite' ? '->>' : '->';
  const sum = `${list}(value ${arrow} 0, value ${arrow} 1, ${WAITING_HOUR}, value ${arrow} 3, value ${arrow} 4)`;
  const changed = (sign: 1 | -1): string => `INSERT INTO spend_changes (account_id, behind, sign, counts, created_at)
    SELECT account_id, (SELECT transaction_count FROM accounts WHERE accounts.account_id = ${table}.account_id), ${sign}, counts, updated_at
      FROM ${table} WHERE ${some}`;
  // Its place in a replay is that of its record, with what it counted for then.
  const past = `INSERT INTO spend_waits (account_id, ref, since, until, counts, ended_at)
    SELECT account_id, ${ref(of, table)}, ordinal, (SELECT transaction_count FROM accounts WHERE accounts.account_id = ${table}.account_id), counts, updated_at
      FROM ${table} WHERE ${some}`;
  const rewritten =
    kind === 'sqlite'
      ? `(SELECT json_group_array(json(CASE WHEN ${place} < ${before} THEN value ELSE ${sum} END)) FROM ${each})`
      : `(SELECT json_agg(CASE WHEN ${place} < ${before} THEN value ELSE ${sum} END ORDER BY place)::text FROM ${each})`;
  return [
    ...(inherits ? [past, changed(-1)] : []),
    `UPDATE ${table} SET counts = ${rewritten} WHERE ${some}`,
    ...(inherits ? [changed(1)] : []),
    `${begins(of, table, `(SELECT transaction_count + 1 FROM accounts WHERE accounts.account_id = ${table}.account_id)`)} FROM ${table} WHERE ${some}`,
  ];
}

export const whatWaits: Migration = {
  version: 39,
  name: 'what waits counts in every window',
  statements: (types) => [
    `CREATE TABLE spend_waits (
      wait_id ${types.id},
      account_id ${types.text} NOT NULL,
      ref ${types.text} NOT NULL,
      since ${types.integer} NOT NULL,
      until ${types.integer} NOT NULL,
      counts ${types.text} NOT NULL,
      ended_at ${types.integer} NOT NULL
    ) ${types.table}`,
    'CREATE INDEX spend_waits_by_ref ON spend_waits (account_id, ref)',
    'CREATE INDEX spend_waits_by_place ON spend_waits (account_id, until, wait_id)',
    'CREATE INDEX spend_waits_by_time ON spend_waits (ended_at)',
    ...COUNTED.flatMap((of) => taken(types, of)),
    ...noted(types),
    ...COUNTED.flatMap((of) => triggers(types, of)),
  ],
};
