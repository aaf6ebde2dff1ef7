/**
 * Office Open XML (ECMA-376), streamed: a sheet of rows, another where a sheet is full, and one with the summary. Numbers of more digits than
 * a spreadsheet keeps (15) are text, so that no amount is rounded; text is never a formula.
 */
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import {
  cellText,
  type Heading,
  type ReportColumn,
  type ReportSummary,
  timeWriter,
} from '../../../core/reports/cells.ts';
import type { Pages } from './pages.ts';

/** A sheet has 1,048,576 rows. */
const ROWS_OF_SHEET = 1_000_000;
const MAX_TEXT = 32_767;
const COMPRESSION = { compressionLevel: 1 };
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML takes none of these
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string =>
  text
    .slice(0, MAX_TEXT)
    .toWellFormed()
    .replaceAll(UNWRITABLE, '\ufffd')
    .replaceAll(/[&<>"]/g, (found) => ESCAPES[found] as string);

const textCell = (text: string, style = 0): string =>
  `<c t="inlineStr"${style === 0 ? '' : ` s="${style}"`}><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;

/** Styles: 1 is of the header, 2 has eight decimals. */
function cellOf(kind: ReportColumn['kind'], text: string | null): string {
  if (text === null) return '<c/>';
  const isExact = kind !== 'text' && kind !== 'time' && text.replaceAll(/[-.]/g, '').replace(/^0+/, '').length <= 15;
  return isExact ? `<c${kind === 'btc' ? ' s="2"' : ''}><v>${text}</v></c>` : textCell(text);
}

const STYLES = `<styleSheet ${MAIN}><numFmts count="1"><numFmt numFmtId="164" formatCode="0.00000000"/></numFmts>
<fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>
<cellXfs count="3"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/><xf xfId="0" numFmtId="164" applyNumberFormat="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
const FROZEN =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';

const summarySheet = (heading: Heading, { figures, notes }: ReportSummary): string => {
  const time = timeWriter(heading.timezone);
  const about: [string, string][] = [
    [heading.title, heading.accountId],
    ['from', time(heading.from)],
    ['to', time(heading.to)],
    ['made at', time(heading.madeAt)],
  ];
  const rows = [
    ...about.map(([name, text]) => textCell(name, 1) + textCell(text)),
    ...figures.map(({ name, kind, value }) => textCell(name, 1) + cellOf(kind, cellText(kind, value, time))),
    ...notes.map((note) => textCell('note', 1) + textCell(note)),
  ];
  return `<worksheet ${MAIN}><sheetData>${rows.map((row) => `<row>${row}</row>`).join('')}</sheetData></worksheet>`;
};

/** What names the sheets to each other; the last is the summary. */
function parts(sheets: number): Record<string, string> {
  const all = Array.from({ length: sheets }, (_, at) => at + 1);
  const named = all.map((n) => (n === sheets ? 'Summary' : n === 1 ? 'Report' : `Report ${n}`));
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="${TYPES}.${type}+xml"/>`;
  return {
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets>${all
      .map((n) => `<sheet name="${named[n - 1]}" sheetId="${n}" r:id="rId${n}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${all
      .map((n) => relation(`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`))
      .join('')}${relation('styles', 'styles', 'styles.xml')}</Relationships>`,
    'xl/styles.xml': STYLES,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>${override('workbook', 'sheet.main')}${override('styles', 'styles')}${all
      .map((n) => override(`worksheets/sheet${n}`, 'worksheet'))
      .join('')}</Types>`,
  };
}

export async function* xlsxOf(heading: Heading, pages: Pages): AsyncGenerator<Uint8Array> {
  const { columns, timezone } = heading;
  const time = timeWriter(timezone);
  const zip = new ZipFile();
  const options = { mtime: new Date(heading.madeAt), ...COMPRESSION };
  const output = zip.outputStream as Readable;
  zip.on('error', (error) => output.destroy(error as Error));
  let summary: ReportSummary | undefined;

  async function* sheet(): AsyncGenerator<string> {
    yield `${HEAD}<worksheet ${MAIN}>${FROZEN}<sheetData><row>${columns.map(({ name }) => textCell(name, 1)).join('')}</row>`;
    for (let rows = 0; rows < ROWS_OF_SHEET; ) {
      const { done, value } = await pages.next();
      if (done) {
        summary = value;
        break;
      }
      rows += value.length;
      let text = '';
      for (const row of value) {
        text += '<row>';
        for (const [at, { kind }] of columns.entries()) text += cellOf(kind, cellText(kind, row[at] ?? null, time));
        text += '</row>';
      }
      yield text;
    }
    yield '</sheetData></worksheet>';
  }

  async function write(): Promise<void> {
    let sheets = 0;
    while (summary === undefined) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const stream = Readable.from(sheet(), { objectMode: false }).once('close', resolve).once('error', reject);
      zip.addReadStream(stream, `xl/worksheets/sheet${++sheets}.xml`, options);
      await promise;
    }
    const add = (text: string, path: string) => zip.addBuffer(Buffer.from(HEAD + text), path, options);
    add(summarySheet(heading, summary), `xl/worksheets/sheet${++sheets}.xml`);
    for (const [path, text] of Object.entries(parts(sheets))) add(text, path);
    zip.end();
  }

  const written = write().catch((error: Error) => void output.destroy(error));
  try {
    yield* output;
    await written;
  } finally {
    output.destroy();
  }
}
