import { createYielder } from '../../scheduling/yielder.ts';

/** Of rows that may have a megabyte each, so many are read in one statement. */
export const LARGE_AT_ONCE = 4;

/**
 * Up to `most` rows, of which `rows` gives up to `limit` behind the last (null: from the start on), `passed` before them. They are read
 * `atOnce` in a statement, and others get their turn between any two.
 */
export async function* rowsInParts<Row>(
  { most, atOnce }: { most: number; atOnce: number },
  rows: (behind: { last: Row | null; passed: number }, limit: bigint) => Promise<Row[]>,
): AsyncGenerator<Row> {
  const pause = createYielder();
  let last: Row | null = null;
  for (let passed = 0; passed < most; ) {
    const limit = Math.min(atOnce, most - passed);
    const found: Row[] = await rows({ last, passed }, BigInt(limit));
    for (const row of found) {
      await pause();
      yield row;
    }
    if (found.length < limit) return;
    last = found.at(-1) ?? null;
    passed += limit;
  }
}
