/** One object: what the report is, its rows, and its summary at the end. Amounts and decimals are strings. */
import { cellText, type Heading, type Row, timeWriter } from '../../../core/reports/cells.ts';
import type { Pages } from './pages.ts';

export async function* jsonOf(heading: Heading, pages: Pages): AsyncGenerator<string> {
  const { columns, timezone } = heading;
  const time = timeWriter(timezone);
  const names = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  const line = (row: Row): string => {
    let text = '{';
    for (const [at, { kind }] of columns.entries()) {
      const value = row[at] ?? null;
      const written = kind === 'integer' || value === null ? `${value}` : JSON.stringify(cellText(kind, value, time));
      text += `${at === 0 ? '' : ','}${names[at]}${written}`;
    }
    return `${text}}`;
  };
  const about = {
    ...{ type: heading.type, title: heading.title, account_id: heading.accountId, timezone },
    ...{ from: time(heading.from), to: time(heading.to), made_at: time(heading.madeAt) },
  };
  yield `${JSON.stringify(about).slice(0, -1)},"rows":[\n`;
  for (let isFirst = true; ; ) {
    const { done, value } = await pages.next();
    if (done) {
      const figures = value.figures.map((one) => [
        one.name,
        one.kind === 'integer' ? one.value : cellText(one.kind, one.value, time),
      ]);
      yield `\n],"summary":${JSON.stringify(Object.fromEntries(figures))},"notes":${JSON.stringify(value.notes)}}\n`;
      return;
    }
    if (value.length > 0) {
      yield `${isFirst ? '' : ',\n'}${value.map(line).join(',\n')}`;
      isFirst = false;
    }
  }
}
