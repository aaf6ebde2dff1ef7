import { type Kysely, sql } from 'kysely';
import { createYielder } from '../../scheduling/yielder.ts';
import type { Schema } from '../schema.ts';
import { rowsInParts } from './rows-in-parts.ts';

/** Rows that one statement passes: each takes SQLite up to a microsecond, in the serving thread. */
const STEP = 5_000n;

/** Rows in their order. `P` is where one stands. */
export interface Walk<P> {
  /**
   * The row so many behind another (null: the first is 0 behind the start), or nothing where there are not so many. `backwards`: in the
   * opposite order, from the last one on.
   */
  at(after: P | null, behind: bigint, backwards?: boolean): Promise<P | undefined>;
  /** How many there are behind it, at most `most` of them looked at. */
  count(after: P | null, most: bigint): Promise<bigint>;
}

/** How many rows there are, at most `most` of them looked at. */
export async function countUpTo(
  db: Kysely<Schema>,
  rows: { limit(most: bigint): { as(name: 'counted'): unknown } },
  most: bigint,
): Promise<bigint> {
  const counted = sql<{ count: bigint }>`select count(*) as count from ${rows.limit(most).as('counted')}`;
  return (await counted.execute(db)).rows[0]?.count ?? 0n;
}

/** How many rows there are: others get their turn between any two statements. */
export async function countRows<P>(walk: Walk<P>): Promise<bigint> {
  const few = await walk.count(null, STEP);
  if (few < STEP) return few;
  const pause = createYielder();
  let [passed, last] = [0n, null as P | null];
  for (;;) {
    const next = await walk.at(last, STEP - 1n);
    if (next === undefined) return passed + (await walk.count(last, STEP));
    passed += STEP;
    last = next;
    await pause();
  }
}

/**
 * Where the last of the first `offset` rows stands: null for 0 of them, undefined if there are fewer. Given `total`, how many there are, it walks
 * from the nearer end.
 */
export async function passRows<P>(
  walk: Pick<Walk<P>, 'at'>,
  offset: bigint,
  total?: bigint,
): Promise<P | null | undefined> {
  if (total !== undefined && offset > total) return undefined;
  const backwards = total !== undefined && offset * 2n > total;
  const pause = createYielder();
  let last: P | null | undefined = null;
  for (let left = backwards ? total - offset + 1n : offset; left > 0n && last !== undefined; left -= STEP) {
    last = await walk.at(last, (left < STEP ? left : STEP) - 1n, backwards);
    await pause();
  }
  return last;
}

/** Places of rows in their list, a part of which match. */
export interface PlaceRange {
  readonly above: bigint;
  readonly upTo: bigint;
}
export interface CountedRange extends PlaceRange {
  readonly count: bigint;
}

/** Ranges of `width` places each, from `top` down to 1, and how many rows match in each: others get their turn between any two. */
export async function countInRanges(
  top: bigint,
  width: bigint,
  count: (range: PlaceRange) => Promise<bigint>,
): Promise<CountedRange[]> {
  const pause = createYielder();
  const ranges: CountedRange[] = [];
  for (let upTo = top; upTo > 0n; upTo -= width) {
    const range = { above: upTo > width ? upTo - width : 0n, upTo };
    ranges.push({ ...range, count: await count(range) });
    await pause();
  }
  return ranges;
}

/** Up to `most` of the rows that match, the first `skip` of them left out. */
export async function* rowsInRanges<Row>(
  ranges: readonly CountedRange[],
  { skip, most, atOnce }: { skip: bigint; most: number; atOnce: number },
  rows: (range: PlaceRange, limit: bigint, offset: bigint) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let [passed, left] = [skip, most];
  for (const range of ranges) {
    if (left === 0) return;
    if (range.count <= passed) {
      passed -= range.count;
      continue;
    }
    const from = passed;
    const found = rowsInParts<Row>({ most: left, atOnce }, (behind, limit) =>
      rows(range, limit, from + BigInt(behind.passed)),
    );
    for await (const row of found) {
      left--;
      yield row;
    }
    passed = 0n;
  }
}
