import type { Page, PageRequest } from '../records.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

interface Position {
  readonly createdAt: bigint;
  readonly id: string;
}

/** Where a page begins: behind a row, or so many rows on. */
export type PageStart = { readonly before: Position } | { readonly offset: bigint };

/**
 * A page of a list ordered by creation, newest first. `rows` gives up to `limit` of them from where the page begins; `list` names the
 * list in its cursors.
 */
export async function newestFirst<Row extends { created_at: bigint }, T>(
  list: string,
  page: PageRequest,
  from: {
    rows(start: PageStart, limit: bigint): Promise<Row[]>;
    count(): Promise<bigint>;
    idOf(row: Row): string;
    toRecord(row: Row): T;
  },
): Promise<Page<T>> {
  let { offset } = page;
  let start: PageStart = { offset: BigInt(offset) };
  if (page.cursor !== undefined) {
    const [position, createdAt, id] = decodeCursor(list, ['count', 'count', 'text'], page.cursor);
    offset = position;
    start = { before: { createdAt: BigInt(createdAt), id } };
  }
  const found = await from.rows(start, BigInt(page.limit + 1));
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  const hasMore = found.length > page.limit;
  return {
    data: shown.map(from.toRecord),
    total: Number(await from.count()),
    limit: page.limit,
    offset,
    hasMore,
    nextCursor:
      hasMore && last ? encodeCursor(list, [offset + shown.length, Number(last.created_at), from.idOf(last)]) : null,
  };
}
