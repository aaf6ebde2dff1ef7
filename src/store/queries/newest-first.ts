import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Schema } from '../schema.ts';
import { type Page, type PageRequest, pageOfRows } from './page-of-rows.ts';
import { countRows, countUpTo, passRows, type Walk } from './row-walk.ts';

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
  /** How many match, where that is kept: they are not counted. */
  readonly total?: number | undefined;
}

/** A page of what matches, ordered by creation, newest first, those of one time by their `ids`. */
export function newestFirst<T>(
  { name, atOnce, total }: Pick<List<never, keyof Schema>, 'name' | 'atOnce' | 'total'>,
  page: PageRequest,
  {
    db,
    matching,
    ids,
    toRecord,
  }: { db: Kysely<Schema>; matching: Matching; ids: readonly string[]; toRecord(row: Row): T },
): Promise<Page<T>> {
  const order = ['created_at', ...ids];
  /** All of them where there is no position. */
  const behind = (position: readonly unknown[] | null, select = matching) => {
    const columns = sql.join(order.map((column) => sql.ref(column)));
    const rows = position === null ? select : select.where(sql<SqlBool>`(${columns}) < (${sql.join(position)})`);
    return order.reduce((sorted, column) => sorted.orderBy(column, 'desc'), rows);
  };
  const placed = (position: readonly unknown[] | null) => behind(position, matching.clearSelect().select(order));
  const walk: Walk<readonly unknown[]> = {
    at: async (after, skipped) => {
      const row = await placed(after).limit(1n).offset(skipped).executeTakeFirst();
      return row && order.map((column) => row[column]);
    },
    count: (after, most) => countUpTo(db, placed(after), most),
  };
  return pageOfRows<Row, T>(name, page, {
    rows: async (start, limit) => {
      if ('before' in start) {
        return behind([start.before.at, ...parts(start.before.id, ids.length)])
          .limit(limit)
          .execute();
      }
      const passed = await passRows(walk, start.offset);
      return passed === undefined ? [] : behind(passed).limit(limit).execute();
    },
    count: async () => (total === undefined ? countRows(walk) : BigInt(total)),
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
