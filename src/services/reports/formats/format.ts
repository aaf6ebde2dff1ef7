import type { Heading } from '../../../core/reports/cells.ts';
import type { ReportFormat } from '../../../core/reports/report-names.ts';
import { csvOf } from './csv.ts';
import { jsonOf } from './json.ts';
import type { Pages } from './pages.ts';
import { type Print, pdfOf } from './pdf.ts';
import { xlsxOf } from './xlsx.ts';

/** Pieces of the file. It holds no more than a page, but for a bound that does not grow with the rows. */
export type Write = (heading: Heading, pages: Pages) => AsyncGenerator<string | Uint8Array>;
export type Formats = Readonly<Record<ReportFormat, Write>>;

export const createFormats = (print: Print): Formats => ({ csv: csvOf, json: jsonOf, xlsx: xlsxOf, pdf: pdfOf(print) });

/** What is compressed already is stored as it is. */
export const isCompressed = (format: ReportFormat): boolean => format === 'xlsx' || format === 'pdf';
