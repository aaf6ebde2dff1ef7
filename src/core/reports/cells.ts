/** The cells of a report, and how they are written. Amounts are exact everywhere: no number of JavaScript ever holds one. */
import { formatBtc } from '../amount.ts';

/**
 * `btc`: satoshis, written as BTC with 8 decimals. `decimal`: a decimal string, written as a number. `time`: epoch milliseconds, written as
 * ISO 8601 with the offset of the report's time zone.
 */
type CellKind = 'text' | 'integer' | 'btc' | 'decimal' | 'time';

export interface ReportColumn {
  /** In snake_case: of the JSON, and in the header of CSV and XLSX. */
  readonly name: string;
  readonly kind: CellKind;
}

export type Cell = string | number | bigint | null;
export type Row = readonly Cell[];

/** As the summary of a report names a figure. */
export interface Figure {
  readonly name: string;
  readonly kind: CellKind;
  readonly value: Cell;
}

/** Bars over labels, in the PDF. */
export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly points: readonly { readonly label: string; readonly value: number }[];
}

export interface ReportSummary {
  readonly figures: readonly Figure[];
  /** What a reader has to know to read it right: what is missing, or was assumed. */
  readonly notes: readonly string[];
  readonly chart: Chart | null;
}

/** What every format writes at its head. */
export interface Heading {
  readonly title: string;
  readonly type: string;
  readonly accountId: string;
  readonly from: number;
  readonly to: number;
  readonly timezone: string;
  readonly madeAt: number;
  readonly columns: readonly ReportColumn[];
}

/** Writes times of one time zone; its offset is asked for once for a quarter of an hour. */
export function timeWriter(timezone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  const QUARTER_MS = 900_000;
  let [quarter, offsetMs, suffix] = [Number.NaN, 0, 'Z'];
  return (at) => {
    const now = Math.floor(at / QUARTER_MS);
    if (now !== quarter) {
      const [, sign, hours = '', minutes = ''] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(at)) ?? [];
      suffix = sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
      offsetMs = sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
      quarter = now;
    }
    return new Date(at + offsetMs).toISOString().slice(0, -1) + suffix;
  };
}

/** A cell as text; null: empty. */
export function cellText(kind: CellKind, value: Cell, time: (at: number) => string): string | null {
  if (value === null) return null;
  if (kind === 'time') return time(value as number);
  return kind === 'btc' ? formatBtc(value as bigint) : `${value}`;
}

/** Where a spreadsheet may see a formula (OWASP, CSV injection): also after what some locales take for the end of a cell. */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?="*[=+\-@＝＋－＠])/g;
/** An apostrophe keeps a spreadsheet from running it. */
export const harmless = (value: string): string => value.replaceAll(FORMULA, "'");
