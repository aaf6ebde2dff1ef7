import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import { type Page, type PageRequest, pageOfRows } from './page-of-rows.ts';

export type Row = Record<string, unknown>;
/** Kysely without the tables' types: those of one table are checked by its declaration (columns.ts). */
export type Matching = SelectQueryBuilder<Record<string, Row>, string, Row>;

export interface List<R, N extends keyof Schema> {
  /** In its cursors. */
  readonly name: string;
  /** Fields that have these values; one that is undefined is not asked for, but for the account. */
  readonly where: { readonly [F in keyof R]?: F extends 'accountId' ? R[F] : R[F] | undefined };
  /** Fields that have a value, or have none. */
  readonly given?: { readonly [F in keyof R]?: boolean | undefined };
  readonly and?: (eb: ExpressionBuilder<Schema, N>) => readonly (Expression<SqlBool> | undefined)[];
  /** Where rows may be large: how many are read in one statement. */
  readonly atOnce?: number;
}

/** A page of what matches, ordered by creation, newest first, those of one time by their `ids`. */
export function newestFirst<T>(
  { name, atOnce }: { readonly name: string; readonly atOnce?: number },
  page: PageRequest,
  { matching, ids, toRecord }: { matching: Matching; ids: readonly string[]; toRecord(row: Row): T },
): Promise<Page<T>> {
  const order = ['created_at', ...ids];
  return pageOfRows<Row, T>(name, page, {
    rows: (start, limit) => {
      let rows = matching.limit(limit);
      for (const column of order) rows = rows.orderBy(column, 'desc');
      if ('offset' in start) return rows.offset(start.offset).execute();
      const position = [start.before.at, ...parts(start.before.id, ids.length)];
      return rows
        .where(sql<SqlBool>`(${sql.join(order.map((column) => sql.ref(column)))}) < (${sql.join(position)})`)
        .execute();
    },
    count: async () => {
      const counted = matching.clearSelect().select((eb) => eb.fn.countAll<bigint>().as('count'));
      return (await counted.executeTakeFirstOrThrow()).count as bigint;
    },
    positionOf: (row) => ({ at: row.created_at as bigint, id: ids.map((column) => row[column]).join(' ') }),
    toRecord,
    atOnce,
  });
}

/** Of an id of several columns, joined by spaces: only the last may have some itself. */
function parts(id: string, count: number): string[] {
  const all = id.split(' ');
  return [...all.slice(0, count - 1), all.slice(count - 1).join(' ')];
}
