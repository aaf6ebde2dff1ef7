/** Answers that are pages of records. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Page } from '../store/records.ts';

/** So long records are presented in one turn of the event loop, in milliseconds. */
const TURN_MS = 2;
/** Each call of `text` costs a page's frame besides: after one that took less than this, so many records go into the next. */
const SHORT_MS = 0.2;
const TOGETHER = 4;
/** Of whatever name the list has. */
const EMPTY = '":[]';

export const isPage = (result: unknown): result is Page<unknown> =>
  typeof result === 'object' && result !== null && 'nextCursor' in result && 'data' in result;

/**
 * The text of a page; where that takes longer than a turn of the event loop, in the bytes that were made in each. A record may have
 * megabytes: it is presented and serialized by itself, or with few where those before it were small. `text` gives that of a page as a whole; `goOn` is asked in every turn, and throws
 * where nobody waits any more.
 */
export async function serializePage(
  page: Page<unknown>,
  text: (page: Page<unknown>) => string,
  goOn: () => void,
): Promise<string | Buffer[]> {
  const frame = text({ ...page, data: [] });
  const at = frame.indexOf(EMPTY) + EMPTY.length - 1;
  const [head, tail] = [frame.slice(0, at), frame.slice(at)];
  const pieces: Buffer[] = [];
  let piece = head;
  let now = performance.now();
  let since = now;
  for (let at = 0, size = 1; at < page.data.length; ) {
    if (now - since >= TURN_MS) {
      await nextTurn();
      goOn();
      now = since = performance.now();
      pieces.push(Buffer.from(piece));
      piece = '';
    }
    const began = now;
    const group = text({ ...page, data: page.data.slice(at, at + size) });
    piece += `${at === 0 ? '' : ','}${group.slice(head.length, group.length - tail.length)}`;
    now = performance.now();
    at += size;
    size = now - began < SHORT_MS ? TOGETHER : 1;
  }
  piece += tail;
  return pieces.length === 0 ? piece : [...pieces, Buffer.from(piece)];
}
