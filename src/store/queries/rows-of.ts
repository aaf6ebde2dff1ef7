import { expressionBuilder, type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import { byColumns } from './by-columns.ts';
import type { Column, RowOf, Table } from './columns.ts';
import { insertRows } from './insert-rows.ts';
import { type List, type Matching, newestFirst, type Row } from './newest-first.ts';
import type { Page, PageRequest } from './page-of-rows.ts';
import type { Session } from './session.ts';

type AnyColumn = Column<unknown, unknown> & { column?: string; readOnly?: true; sql?: string };
type Given<R> = { readonly [F in keyof R]?: R[F] | undefined };

/**
 * What a repository does with a table: fields of `where` are compared, null with `is null`. `tail` follows its INSERT. `byHand` reads a row
 * where that matters: the loop over the columns takes seven times as long. The fields `unread`, which may be large, are not read.
 */
export function rowsOf<
  R extends object,
  N extends keyof Schema & string,
  C,
  D,
  const U extends keyof R & string = never,
  P = [U] extends [never] ? R : Omit<R, U>,
>(
  table: Table<R, N, C, D>,
  tail = '',
  byHand?: (row: Selectable<RowOf<Table<R, N, C, D>>>) => P,
  unread: readonly U[] = [],
) {
  type Stored = Selectable<RowOf<Table<R, N, C, D>>>;
  const { name } = table;
  const fields = Object.entries(table.columns as unknown as Record<string, AnyColumn>).map(([field, column]) => ({
    field,
    column: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    ...column,
  }));
  const written = fields.filter((field) => field.readOnly === undefined && field.sql === undefined);
  const changeable = written.filter(
    ({ field }) => field !== 'accountId' && !(table.id as readonly string[]).includes(field),
  );
  const derived = Object.entries(table.derived as Record<string, (record: R) => unknown>);
  const elsewhere = fields
    .filter((field) => field.sql !== undefined)
    .map((field) => `${field.sql} as "${field.column}"`);
  const columnOf = new Map(fields.map(({ field, column }) => [field, column]));
  const ids = table.id.map((field) => columnOf.get(field) ?? field);

  const read = fields.filter(({ field }) => !unread.includes(field as never));
  /** Of the table itself. */
  const columns =
    unread.length === 0 ? ['*'] : read.filter((field) => field.sql === undefined).map(({ column }) => column);
  const looped = (row: Stored): P => {
    const made: Row = {};
    for (const { field, column, load } of read) made[field] = load((row as Row)[column]);
    return made as P;
  };
  const record = byHand ?? looped;
  /** Of the fields that are given. */
  const row = (from: Given<R>, among = fields): Row => {
    const made: Row = {};
    for (const { field, column, store } of among) {
      const value = (from as Row)[field];
      if (value !== undefined) made[column] = store(value);
    }
    return made;
  };
  /** One that is undefined is refused there. */
  const sought = (where: Partial<R>): never => {
    const given = Object.keys(where).map((field) => [columnOf.get(field), undefined]);
    return { ...Object.fromEntries(given), ...row(where) } as never;
  };
  /** What `record` takes. */
  const select = (db: Kysely<Schema>): SelectQueryBuilder<Schema, N, Stored> =>
    (db as unknown as Kysely<Record<string, Row>>)
      .selectFrom(name as string)
      .select(columns.map((column) => sql`${sql.table(name)}.${sql.raw(column)}` as never))
      .select(elsewhere.map((expression) => sql.raw(expression) as never)) as never;

  const whole = (from: R): Row => {
    const made = row(from, written);
    for (const [column, of] of derived) made[column] = of(from);
    return made;
  };
  const inColumns = [...written.map(({ column }) => column), ...derived.map(([column]) => column)];
  const inserted = insertRows(name, inColumns as never, tail);
  const queries = byColumns(name, [...columns, ...elsewhere].join(', '));
  const all = async (session: Session, where: Partial<R>, after = ''): Promise<P[]> =>
    ((await queries.select(session, sought(where), after)) as unknown as Stored[]).map((it) => record(it));
  const find = async (session: Session, where: Partial<R>, after = ''): Promise<P | null> =>
    (await all(session, where, after))[0] ?? null;
  const allForUpdate = (session: Session, where: Partial<R>, after = ''): Promise<P[]> =>
    all(session, where, session.kind === 'postgres' ? `${after} for no key update` : after);

  return {
    record,
    select,
    /** Answers how many are new. */
    insert: async (session: Session, records: readonly R[]): Promise<bigint> =>
      (await inserted(session, records.map(whole) as never)).changes,
    find,
    /** Until the job ends no other job changes it. */
    findForUpdate: async (session: Session, where: Partial<R>): Promise<P | null> =>
      (await allForUpdate(session, where))[0] ?? null,
    allForUpdate,
    all,
    count: (session: Session, where: Partial<R>): Promise<number> => queries.count(session, sought(where)),
    /** Answers how many changed. What the patch does not give stays, and whose and which it is. */
    update: (session: Session, where: Partial<R>, patch: Given<R>): Promise<bigint> =>
      queries.update(session, row(patch, changeable) as never, sought(where)),
    /** Answers how many there were. */
    delete: (session: Session, where: Partial<R>): Promise<bigint> => queries.delete(session, sought(where)),
    /** Newest first. */
    page: (session: Session, list: List<R, N>, page: PageRequest): Promise<Page<P>> => {
      // Filters may be left out; without the account the rows of all accounts would match.
      if ('accountId' in list.where && (list.where as Row).accountId === undefined) {
        throw new Error(`no account for a page of ${name}`);
      }
      let matching = select(session.db) as unknown as Matching;
      for (const [column, value] of Object.entries(row(list.where))) {
        matching = matching.where(column, value === null ? 'is' : '=', value);
      }
      for (const [field, is] of Object.entries(list.given ?? {})) {
        if (is !== undefined) matching = matching.where(columnOf.get(field) ?? '', is ? 'is not' : 'is', null);
      }
      for (const condition of list.and?.(expressionBuilder<Schema, N>()) ?? []) {
        if (condition !== undefined) matching = matching.where(condition);
      }
      return newestFirst(list, page, { db: session.db, matching, ids, toRecord: (row) => record(row as Stored) });
    },
  };
}
