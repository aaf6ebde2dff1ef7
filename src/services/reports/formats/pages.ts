import type { ReportSummary, Row } from '../../../core/reports/cells.ts';

/** Rows page by page, and at the end what they come to. */
export type Pages = AsyncGenerator<readonly Row[], ReportSummary>;
