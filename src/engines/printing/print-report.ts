/** A report as a PDF, for a worker thread: A4, lying, in the standard fonts, its chart as vectors. */
import type { Chart, ReportColumn } from '../../core/reports/cells.ts';

export interface PrintedReport {
  readonly title: string;
  readonly accountId: string;
  readonly range: string;
  readonly figures: readonly { readonly name: string; readonly text: string }[];
  readonly notes: readonly string[];
  readonly chart: Chart | null;
  readonly columns: readonly ReportColumn[];
  /** JSON of rows of texts, UTF-8. */
  readonly rows: Uint8Array<ArrayBuffer>;
}

const MARGIN = 36;
const WIDTH = 841.89 - 2 * MARGIN;
const BOTTOM = 595.28 - MARGIN;
const CHART_HEIGHT = 140;
/** Of Courier, in its size. */
const CHARACTER = 0.6;
const SIZES = { least: 4, most: 8 };
/** The standard fonts have the characters of Windows-1252 alone. */
const UNKNOWN = /[^\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/gu;
const known = (text: string): string => text.replaceAll(UNKNOWN, '?');

type Doc = PDFKit.PDFDocument;

function drawChart(doc: Doc, { title, unit, points }: Chart): void {
  const most = Math.max(...points.map(({ value }) => value), 0);
  doc
    .font('Helvetica-Bold')
    .fontSize(9)
    .text(known(`${title} (${unit})`), MARGIN, doc.y);
  const top = doc.y + 4;
  const step = WIDTH / points.length;
  for (const [at, { value }] of points.entries()) {
    const height = most > 0 ? (Math.max(0, value) / most) * CHART_HEIGHT : 0;
    doc.rect(MARGIN + at * step, top + CHART_HEIGHT - height, step * 0.8, height).fill('#2f5d8a');
  }
  doc
    .moveTo(MARGIN, top + CHART_HEIGHT)
    .lineTo(MARGIN + WIDTH, top + CHART_HEIGHT)
    .stroke('#808080');
  doc.fill('#000000').font('Helvetica').fontSize(7);
  const labels = top + CHART_HEIGHT + 3;
  doc.text(known(points[0]?.label ?? ''), MARGIN, labels, { lineBreak: false });
  doc.text(known(points.at(-1)?.label ?? ''), MARGIN, labels, { width: WIDTH, align: 'right' });
  doc.text(`0 to ${most}`, MARGIN, labels, { width: WIDTH, align: 'center' });
  doc.moveDown();
}

function drawRows(doc: Doc, columns: readonly ReportColumn[], rows: readonly (readonly string[])[]): void {
  const widths = columns.map(({ name }, at) =>
    rows.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), name.length),
  );
  const characters = widths.reduce((sum, width) => sum + width + 1, 0);
  const size = Math.min(SIZES.most, Math.max(SIZES.least, WIDTH / (characters * CHARACTER)));
  const line = (texts: readonly string[]): string =>
    columns
      .map(({ kind }, at) => {
        const text = known(texts[at] ?? '');
        return kind === 'text' || kind === 'time'
          ? text.padEnd(widths[at] as number)
          : text.padStart(widths[at] as number);
      })
      .join(' ');
  const header = line(columns.map(({ name }) => name));
  let y = BOTTOM;
  for (const row of rows) {
    if (y + size * 1.2 > BOTTOM) {
      doc.addPage();
      doc.font('Courier-Bold').fontSize(size).text(header, MARGIN, MARGIN, { lineBreak: false });
      doc.font('Courier');
      y = MARGIN + size * 1.5;
    }
    doc.text(line(row), MARGIN, y, { lineBreak: false });
    y += size * 1.2;
  }
}

async function print(report: PrintedReport): Promise<{ answer: Uint8Array<ArrayBuffer> }> {
  const { title, accountId, range, figures, notes, chart, columns } = report;
  // Where there is something to print: it takes its part of the thread's memory.
  const { default: PDFDocument } = await import('pdfkit');
  const doc = new PDFDocument({ size: 'A4', layout: 'landscape', margin: MARGIN, info: { Title: title } });
  const pieces: Buffer[] = [];
  doc.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = new Promise((resolve) => doc.on('end', resolve));
  doc.font('Helvetica-Bold').fontSize(16).text(known(title));
  doc
    .font('Helvetica')
    .fontSize(9)
    .text(known(`${accountId}, ${range}`))
    .moveDown();
  for (const { name, text } of figures) doc.fontSize(9).text(known(`${name.replaceAll('_', ' ')}: ${text}`));
  doc.moveDown().fontSize(8);
  for (const note of notes) doc.text(known(note));
  doc.moveDown();
  if (chart !== null && chart.points.length > 0) drawChart(doc, chart);
  drawRows(doc, columns, JSON.parse(new TextDecoder().decode(report.rows)));
  doc.end();
  await ended;
  return { answer: new Uint8Array(Buffer.concat(pieces)) };
}

export const printJobs = { 'report.print': print };
