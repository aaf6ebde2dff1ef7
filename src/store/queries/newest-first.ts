import type { Page, PageRequest } from '../records.ts';
import { pageOfRows } from './page-of-rows.ts';

/** Where a page begins: behind a row, or so many rows on. */
export type PageStart =
  | { readonly before: { readonly createdAt: bigint; readonly id: string } }
  | { readonly offset: bigint };

/**
 * A page of a list ordered by creation, newest first. `rows` gives up to `limit` of them from where the page begins; `list` names the
 * list in its cursors.
 */
export function newestFirst<Row extends { created_at: bigint }, T>(
  list: string,
  page: PageRequest,
  from: {
    rows(start: PageStart, limit: bigint): Promise<Row[]>;
    count(): Promise<bigint>;
    idOf(row: Row): string;
    toRecord(row: Row): T;
    readonly atOnce?: number;
  },
): Promise<Page<T>> {
  const { idOf, toRecord, atOnce } = from;
  return pageOfRows<Row, T>(list, page, {
    rows: (start, limit) =>
      from.rows('offset' in start ? start : { before: { createdAt: start.before.at, id: start.before.id } }, limit),
    count: () => from.count(),
    positionOf: (row) => ({ at: row.created_at, id: idOf(row) }),
    toRecord,
    atOnce,
  });
}
