/** RFC 4180. Text that a spreadsheet would run is marked by an apostrophe; numbers stay numbers. */
import { cellText, type Heading, harmless, type Row, timeWriter } from '../../../core/reports/cells.ts';
import type { Pages } from './pages.ts';

const quoted = (value: string): string => (/[",;\t\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

export async function* csvOf({ columns, timezone }: Heading, pages: Pages): AsyncGenerator<string> {
  const time = timeWriter(timezone);
  const line = (row: Row): string => {
    let text = '';
    for (const [at, { kind }] of columns.entries()) {
      const value = cellText(kind, row[at] ?? null, time) ?? '';
      text += `${at === 0 ? '' : ','}${quoted(kind === 'text' ? harmless(value) : value)}`;
    }
    return `${text}\r\n`;
  };
  yield `${columns.map(({ name }) => name).join(',')}\r\n`;
  for (;;) {
    const { done, value } = await pages.next();
    if (done) return;
    yield value.map(line).join('');
  }
}
