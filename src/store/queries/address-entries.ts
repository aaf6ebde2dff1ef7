/** Lists of an address by block, newest first, with cursors; unconfirmed ones come first. */
import { type Page, type PageRequest, pageOfRows } from './page-of-rows.ts';

/** Above every height: where what is unconfirmed stands. */
export const UNCONFIRMED = 2_147_483_648n;

export interface Placed {
  /** UNCONFIRMED while in no block. */
  readonly place: bigint;
  /** What tells those of one block apart, in a fixed order. */
  readonly id: string;
}

/** `rows` gives up to `limit` of them, from behind `after` or so many rows on, by place and id, both descending. */
export function byBlock<Row extends Placed, T>(
  list: string,
  page: PageRequest,
  from: {
    rows(start: { after: Placed } | { offset: bigint }, limit: bigint): Promise<Row[]>;
    count(): Promise<bigint>;
    toRecord(row: Row): T;
  },
): Promise<Page<T>> {
  const { toRecord } = from;
  return pageOfRows<Row, T>(list, page, {
    rows: (start, limit) =>
      from.rows('offset' in start ? start : { after: { place: start.before.at, id: start.before.id } }, limit),
    count: () => from.count(),
    positionOf: ({ place, id }) => ({ at: place, id }),
    toRecord,
  });
}
