import { expect, it } from 'vitest';
import { serializePage } from '../../src/hooks/serialize-page.ts';

const pageOf = (data: readonly unknown[]) => ({
  ...{ data: [...data], total: data.length, limit: 100, offset: 0, hasMore: false, nextCursor: null },
});
const joined = (text: string | Buffer[]) => (typeof text === 'string' ? text : Buffer.concat(text).toString());

it.each([0, 1, 2, 5, 99, 100])('a page of %i records is the text of all, each once and in order', async (count) => {
  const page = pageOf(Array.from({ length: count }, (_, at) => ({ at, name: `"data":[] ${at}` })));
  expect(joined(await serializePage(page, JSON.stringify, () => {}))).toBe(JSON.stringify(page));
});

it('few go together where those before them were small, and one by one where they are not', async () => {
  const sizes: number[] = [];
  const page = pageOf(Array.from({ length: 20 }, (_, at) => ({ at, isLarge: at >= 9 })));
  const text = (part: { data: unknown[] }) => {
    sizes.push(part.data.length);
    const ends = part.data.some((one) => (one as { isLarge: boolean }).isLarge) ? performance.now() + 1 : 0;
    while (performance.now() < ends);
    return JSON.stringify(part);
  };
  let turns = 0;
  expect(joined(await serializePage(page, text as never, () => turns++))).toBe(JSON.stringify(page));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
  expect(sizes.slice(-5)).toEqual([1, 1, 1, 1, 1]);
  expect(turns).toBeGreaterThan(2);
});
