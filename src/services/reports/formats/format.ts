import type { Heading } from '../../../core/reports/cells.ts';
import type { ReportFormat } from '../../../core/reports/report-names.ts';
import { csvOf } from './csv.ts';
import { jsonOf } from './json.ts';
import type { Pages } from './pages.ts';

interface Format {
  /** Pieces of the file. It holds no more than a page, but for a bound that does not grow with the rows. */
  readonly write: (heading: Heading, pages: Pages) => AsyncGenerator<string | Uint8Array>;
  /** What is compressed already is stored as it is. */
  readonly isCompressed: boolean;
}

export const FORMATS: Readonly<Record<ReportFormat, Format>> = {
  csv: { write: csvOf, isCompressed: false },
  json: { write: jsonOf, isCompressed: false },
};
