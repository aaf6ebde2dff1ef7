import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Page, PageRequest } from '../records.ts';
import type { Schema } from '../schema.ts';
import { type Column, columnOf, type RowOf, type Table } from '../tables/columns.ts';
import { insertRows } from './insert-rows.ts';
import { pageOfRows } from './page-of-rows.ts';
import { patchRow } from './patch-row.ts';
import { prepared } from './prepared.ts';
import type { Session } from './session.ts';

type Row = Record<string, unknown>;
/** Kysely without the tables' types: those of one table are checked by `Table`. */
type Loose = Record<string, Row>;
type Matching = SelectQueryBuilder<Loose, string, Row>;
type AnyColumn = Column<unknown, unknown>;

export interface List<R, N extends keyof Schema> {
  /** In its cursors. */
  readonly name: string;
  /** Fields that have these values; one that is undefined is not asked for. */
  readonly where: Partial<R>;
  readonly and?: (eb: ExpressionBuilder<Schema, N>) => readonly (Expression<SqlBool> | undefined)[];
  /** Where rows may be large: how many are read in one statement. */
  readonly atOnce?: number;
}

/** What a repository does with a table. `tail` follows its INSERT (`on conflict do nothing`); `also` are columns of no field. */
export function rowsOf<R extends object, N extends keyof Schema & string, C>(
  { name, key, columns }: Table<R, N, C>,
  { tail = '', also = [] }: { tail?: string; also?: readonly string[] } = {},
) {
  type Key = Readonly<Record<string, string>>;
  const fields = Object.entries(columns as unknown as Record<string, AnyColumn>).map(([field, column]) => ({
    field,
    column: columnOf(field),
    ...column,
  }));
  const keyColumns = key.map(columnOf);
  /** Newest first, and those of one time by their id. */
  const ids = keyColumns.filter((column) => column !== 'account_id');
  const order = ['created_at', ...ids];

  const record = (row: RowOf<Table<R, N, C>>): R => {
    const made: Record<string, unknown> = {};
    for (const { field, column, load } of fields) made[field] = load((row as unknown as Row)[column]);
    return made as R;
  };
  /** Of a patch: of what it gives. */
  const row = (from: Partial<R>): RowOf<Table<R, N, C>> => {
    const made: Record<string, unknown> = {};
    for (const { field, column, store } of fields) {
      const value = (from as Record<string, unknown>)[field];
      if (value !== undefined) made[column] = store(value);
    }
    return made as RowOf<Table<R, N, C>>;
  };

  const inserted = insertRows(name, [...fields.map(({ column }) => column), ...also] as never, tail);
  const patched = patchRow(name, keyColumns as never);
  const select = (db: Kysely<Schema>): Matching =>
    (db as unknown as Kysely<Loose>).selectFrom(name as string) as Matching;
  const byKey = (db: Kysely<Schema>, p: Key): Matching =>
    key.reduce((query, field) => query.where(columnOf(field), '=', p[field]), select(db).selectAll() as Matching);
  const found = prepared(byKey);
  const held = prepared((db, p: Key, kind) => (kind === 'postgres' ? byKey(db, p).forNoKeyUpdate() : byKey(db, p)));
  const first = (from: Row | null): R | null => from && record(from as never);

  return {
    record,
    row,
    /** Answers how many are new. */
    insert: async (session: Session, records: readonly R[]): Promise<bigint> =>
      (await inserted(session, records.map(row) as never)).changes,
    find: async (session: Session, of: Key): Promise<R | null> => first(await found.first(session, of)),
    /** Until the job ends no other job changes it. */
    hold: async (session: Session, of: Key): Promise<R | null> => first(await held.first(session, of)),
    /** Answers how many changed; what the patch does not give stays. */
    update: (session: Session, of: Key, patch: Partial<R>): Promise<bigint> =>
      patched(session, row(patch) as never, Object.fromEntries(key.map((field) => [columnOf(field), of[field] ?? '']))),
    /** Newest first. `from`: a query that selects more than the table's columns, for `toRecord`. */
    page: (session: Session, list: List<R, N>, page: PageRequest, from = { select, record }): Promise<Page<R>> => {
      let matching = from.select(session.db);
      for (const [column, value] of Object.entries(row(list.where))) matching = matching.where(column, '=', value);
      for (const condition of list.and?.(expressionBuilder<Schema, N>()) ?? []) {
        if (condition !== undefined) matching = matching.where(condition);
      }
      return pageOfRows<Row, R>(list.name, page, {
        rows: (start, limit) => {
          let rows = matching.selectAll(name).limit(limit) as Matching;
          for (const column of order) rows = rows.orderBy(column, 'desc');
          if ('offset' in start) return rows.offset(start.offset).execute();
          const { at, id } = start.before;
          const position = [at, ...parts(id, ids.length)];
          return rows
            .where(sql<SqlBool>`(${sql.join(order.map((name) => sql.ref(name)))}) < (${sql.join(position)})`)
            .execute();
        },
        count: async () => {
          const counted = matching.clearSelect().select((eb) => eb.fn.countAll<bigint>().as('count'));
          return (await counted.executeTakeFirstOrThrow()).count as bigint;
        },
        positionOf: (row) => ({ at: row.created_at as bigint, id: ids.map((column) => row[column]).join(' ') }),
        toRecord: (row) => from.record(row as never),
        atOnce: list.atOnce,
      });
    },
  };
}

/** Of an id of several columns, joined by spaces: only the last may have some itself. */
function parts(id: string, count: number): string[] {
  const all = id.split(' ');
  return [...all.slice(0, count - 1), all.slice(count - 1).join(' ')];
}
