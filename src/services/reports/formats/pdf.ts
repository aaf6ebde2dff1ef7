/** The summary, its chart, and the first rows; made in a worker thread when all rows have been gone through. */
import { cellText, type Heading, timeWriter } from '../../../core/reports/cells.ts';
import type { PrintedReport } from '../../../engines/printing/print-report.ts';
import type { Pages } from './pages.ts';

const MOST_SHOWN = 5_000;
/** Of a cell; the other formats have all of it. */
const MAX_CELL = 26;

export type Print = (report: PrintedReport, heading: Heading) => Promise<Uint8Array>;

const shortened = (text: string): string =>
  text.length <= MAX_CELL ? text : `${text.slice(0, MAX_CELL - 9)}…${text.slice(-8)}`;
const toTheSecond = (time: string): string => time.replace(/\.\d{3}/, '');

export const pdfOf = (print: Print) =>
  async function* (heading: Heading, pages: Pages): AsyncGenerator<Uint8Array> {
    const { columns, title, accountId, timezone } = heading;
    const time = timeWriter(timezone);
    /** As JSON, so that it crosses between threads as bytes. */
    const shown: string[] = [];
    let [rows, kept] = [0, 0];
    for (;;) {
      const { done, value } = await pages.next();
      if (done) {
        const figures = value.figures.map(({ name, kind, value: it }) => ({
          name,
          text: cellText(kind, it, time) ?? '',
        }));
        const range = `${time(heading.from)} to ${time(heading.to)} (${timezone}), made at ${time(heading.madeAt)}`;
        const notes = [
          ...value.notes,
          ...(rows > MOST_SHOWN
            ? [`The first ${MOST_SHOWN} of ${rows} rows are shown; the other formats have all.`]
            : []),
        ];
        yield await print(
          {
            title,
            accountId,
            range,
            figures,
            notes,
            chart: value.chart,
            columns,
            rows: new TextEncoder().encode(`[${shown.join(',')}]`),
          },
          heading,
        );
        return;
      }
      rows += value.length;
      for (const row of value.slice(0, MOST_SHOWN - kept))
        shown.push(
          JSON.stringify(
            columns.map(({ kind }, at) => {
              const text = cellText(kind, row[at] ?? null, time) ?? '';
              return kind === 'time' ? toTheSecond(text) : shortened(text);
            }),
          ),
        );
      kept = Math.min(rows, MOST_SHOWN);
    }
  };
