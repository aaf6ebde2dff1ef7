/** The making of one report, a page of rows at a time. It lives in memory: after a restart it begins anew. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Heading } from '../../core/reports/cells.ts';
import type { ReportRecord } from '../../store/repositories/reports.ts';
import type { ReportContent } from './content.ts';
import { type Formats, isCompressed } from './formats/format.ts';
import type { Pages } from './formats/pages.ts';
import type { ReportSource, ReportType } from './report-type.ts';

/** Of the content, before it is compressed. */
const PIECE_BYTES = 262_144;

export interface Piece {
  readonly place: number;
  readonly content: Buffer;
}

/** `report`: as it was begun this time. */
export async function createMaking(deps: {
  report: Pick<ReportRecord, 'reportId' | 'accountId' | 'format'>;
  type: ReportType;
  source: ReportSource;
  content: ReportContent;
  formats: Formats;
  madeAt: number;
}) {
  const { report, type, source, content } = deps;
  const toPass = await type.count(source);
  const done = { passed: 0, rowCount: 0, size: 0, stored: 0 };
  const hash = createHash('sha256');
  let gathered: Buffer[] = [];
  let [waiting, place] = [0, 0];

  async function* counted(): Pages {
    const pages = type.pages(source);
    for (;;) {
      source.signal.throwIfAborted();
      const { done: isLast, value } = await pages.next();
      if (isLast) return value;
      done.passed += value.passed;
      done.rowCount += value.rows.length;
      yield value.rows;
      // What a page costs is a millisecond or two; others have their turn after it.
      await nextTurn();
    }
  }

  const { columns, title, name } = type;
  const { accountId, from, to, timezone } = source;
  const heading: Heading = { columns, title, type: name, accountId, from, to, timezone, madeAt: deps.madeAt };
  const file = (type.file?.write ?? deps.formats[report.format])(heading, counted());

  async function cut(): Promise<Piece> {
    const plain = Buffer.concat(gathered);
    [gathered, waiting] = [[], 0];
    hash.update(plain);
    const sealed = await content.seal(report, place, plain, isCompressed(report.format));
    done.size += plain.length;
    done.stored += sealed.length;
    return { place: place++, content: sealed };
  }

  return {
    /** Writes the next page. A piece, where one is full, or the last one at the end; null after that. */
    async next(): Promise<{ piece: Piece | null; isLast: boolean }> {
      const { done: isLast, value } = await file.next();
      if (isLast) return { piece: waiting > 0 ? await cut() : null, isLast: true };
      const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(value);
      gathered.push(bytes);
      waiting += bytes.length;
      return { piece: waiting >= PIECE_BYTES ? await cut() : null, isLast: false };
    },
    /** Of one that nobody goes on with. */
    stop: () => void file.return(undefined).catch(() => {}),
    progress: () => ({ ...done, toPass }),
    /** Of all pieces: asked for once, after the last. */
    sha256: () => hash.digest('hex'),
  };
}
export type Making = Awaited<ReturnType<typeof createMaking>>;
