import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Page, PageRequest } from '../../../store/records.ts';

const AT_ONCE = 50;

/** All pages of a list, by its cursors. */
export async function* paged<Record>(list: (page: PageRequest) => Promise<Page<Record>>): AsyncGenerator<Record[]> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page<Record> = await list({ limit: AT_ONCE, offset: 0, ...(cursor !== undefined && { cursor }) });
    yield page.data;
    cursor = page.nextCursor;
    await nextTurn();
  }
}
