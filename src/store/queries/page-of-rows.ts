import { decodeCursor, encodeCursor } from './cursor.ts';
import { rowsInParts } from './rows-in-parts.ts';

export interface PageRequest {
  limit: number;
  offset: number;
  /** Opaque: what a previous page gave as nextCursor. Goes before offset. */
  cursor?: string;
}

export interface Page<T> {
  data: T[];
  total: number;
  limit: number;
  offset: number;
  hasMore: boolean;
  nextCursor: string | null;
}

/** Where a row stands in its list: by a number, and those of one number by their id. */
export interface Position {
  readonly at: bigint;
  readonly id: string;
}

/** Where a page begins: behind a row, or so many rows on. */
export type PageStart = { readonly before: Position } | { readonly offset: bigint };

/**
 * A page of a list that is ordered by position, descending. `rows` gives up to `limit` of them; `list` names the list in its cursors.
 * Where rows may be large, `atOnce` of them are read in one statement.
 */
export async function pageOfRows<Row, T>(
  list: string,
  page: PageRequest,
  from: {
    rows(start: PageStart, limit: bigint): Promise<Row[]>;
    count(): Promise<bigint>;
    positionOf(row: Row): Position;
    toRecord(row: Row): T;
    readonly atOnce?: number | undefined;
  },
): Promise<Page<T>> {
  let { offset } = page;
  let start: PageStart = { offset: BigInt(offset) };
  if (page.cursor !== undefined) {
    const [passed, at, id] = decodeCursor(list, ['count', 'count', 'text'], page.cursor);
    offset = passed;
    start = { before: { at: BigInt(at), id } };
  }
  const most = page.limit + 1;
  const found = rowsInParts<Row>({ most, atOnce: from.atOnce ?? most }, ({ last }, limit) =>
    from.rows(last === null ? start : { before: from.positionOf(last) }, limit),
  );
  const data: T[] = [];
  let last: Position | null = null;
  let hasMore = false;
  for await (const row of found) {
    hasMore = data.length === page.limit;
    if (hasMore) break;
    data.push(from.toRecord(row));
    last = from.positionOf(row);
  }
  const behind = hasMore ? last : null;
  return {
    data,
    total: Number(await from.count()),
    limit: page.limit,
    offset,
    hasMore,
    nextCursor: behind && encodeCursor(list, [offset + data.length, Number(behind.at), behind.id]),
  };
}
