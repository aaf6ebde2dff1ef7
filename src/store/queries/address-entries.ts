/** Lists of an address by block, newest first, with cursors; unconfirmed ones come first. */
import type { Page, PageRequest } from '../records.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

/** Above every height: where what is unconfirmed stands. */
export const UNCONFIRMED = 2_147_483_648n;

export interface Placed {
  /** UNCONFIRMED while in no block. */
  readonly place: bigint;
  /** What tells those of one block apart, in a fixed order. */
  readonly id: string;
}

/** `rows` gives up to `limit` of them, from behind `after` or so many rows on, by place and id, both descending. */
export async function byBlock<Row extends Placed, T>(
  list: string,
  page: PageRequest,
  from: {
    rows(start: { after: Placed } | { offset: bigint }, limit: bigint): Promise<Row[]>;
    count(): Promise<bigint>;
    toRecord(row: Row): T;
  },
): Promise<Page<T>> {
  let { offset } = page;
  let start: { after: Placed } | { offset: bigint } = { offset: BigInt(offset) };
  if (page.cursor !== undefined) {
    const [position, place, id] = decodeCursor(list, ['count', 'count', 'text'], page.cursor);
    offset = position;
    start = { after: { place: BigInt(place), id } };
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
    nextCursor: hasMore && last ? encodeCursor(list, [offset + shown.length, Number(last.place), last.id]) : null,
  };
}
