import type { Page, PageRequest } from '../records.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

/** Where a row stands in its list: by a number, and those of one number by their id. */
export interface Position {
  readonly at: bigint;
  readonly id: string;
}

/** Where a page begins: behind a row, or so many rows on. */
export type PageStart = { readonly before: Position } | { readonly offset: bigint };

/** A page of a list that is ordered by position, descending. `rows` gives up to `limit` of them; `list` names the list in its cursors. */
export async function pageOfRows<Row, T>(
  list: string,
  page: PageRequest,
  from: {
    rows(start: PageStart, limit: bigint): Promise<Row[]>;
    count(): Promise<bigint>;
    positionOf(row: Row): Position;
    toRecord(row: Row): T;
  },
): Promise<Page<T>> {
  let { offset } = page;
  let start: PageStart = { offset: BigInt(offset) };
  if (page.cursor !== undefined) {
    const [passed, at, id] = decodeCursor(list, ['count', 'count', 'text'], page.cursor);
    offset = passed;
    start = { before: { at: BigInt(at), id } };
  }
  const found = await from.rows(start, BigInt(page.limit + 1));
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  const hasMore = found.length > page.limit;
  const behind = hasMore && last !== undefined ? from.positionOf(last) : null;
  return {
    data: shown.map(from.toRecord),
    total: Number(await from.count()),
    limit: page.limit,
    offset,
    hasMore,
    nextCursor: behind && encodeCursor(list, [offset + shown.length, Number(behind.at), behind.id]),
  };
}
