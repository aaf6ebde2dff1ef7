/** A screening list as CSV: `address`, and where wanted `reason` and `reference`. Runs in any thread (src/engines/computing). */
import { type CsvRecord, ofField, placeAt, recordsOf, wrong } from '../address-book/csv.ts';
import type { Place } from '../address-book/entry-rules.ts';
import { DomainError, MAX_ERRORS, refuseAll } from '../errors.ts';
import type { Network } from '../network.ts';
import { screeningKey } from './screening-key.ts';

const COLUMNS: readonly string[] = ['address', 'reason', 'reference'];
export const MAX_ADDRESSES = 10_000;
const MAX_TEXT = 200;
const SLICE = 200;

export interface ScreeningEntry extends Place {
  /** What payees are compared by (screening-key.ts). */
  readonly matchKey: string;
  readonly reason: string;
  readonly reference: string;
}

/**
 * A file of addresses alone needs no header. Throws what is wrong with each line, the first 20 (`invalid_value`, or as decodeAddress does), as
 * `csv[line].column`. Answers JSON arrays of so many ScreeningEntry that each is read within milliseconds.
 */
function readScreeningList({ csv }: { readonly csv: string }, { network }: { readonly network: Network }): string[] {
  return ofField('csv', () => {
    const records = recordsOf(csv, MAX_ADDRESSES);
    const named = records[0]?.record.map((cell) => cell.trim().toLowerCase()) ?? [];
    const columns = named.includes('address') ? named : ['address'];
    if (columns !== named && named.length > 1)
      throw wrong(
        1,
        null,
        `has ${named.length} columns: a file with more than addresses begins with a header, such as ${COLUMNS.join(',')}`,
      );
    refuseColumns(columns);
    const rows = columns === named ? records.slice(1) : records;
    if (rows.length === 0) throw wrong(1, null, 'at least one address is needed');
    if (rows.length > MAX_ADDRESSES)
      throw wrong(rows[MAX_ADDRESSES]!.info.lines, null, `a list has at most ${MAX_ADDRESSES} addresses: make several`);
    const entries = entriesOf(rows, columns, network);
    const slices: string[] = [];
    for (let at = 0; at < entries.length; at += SLICE) slices.push(JSON.stringify(entries.slice(at, at + SLICE)));
    return slices;
  });
}

function refuseColumns(columns: readonly string[]): void {
  const strange = columns.find((column, at) => !COLUMNS.includes(column) || columns.indexOf(column) < at);
  if (strange === undefined) return;
  throw wrong(1, null, `${JSON.stringify(strange.slice(0, 40))}: the header has ${COLUMNS.join(',')}, each once`);
}

function entriesOf(rows: readonly CsvRecord[], columns: readonly string[], network: Network): ScreeningEntry[] {
  const problems: DomainError[] = [];
  const seen = new Map<string, number>();
  const entries: ScreeningEntry[] = [];
  for (const { record, info } of rows) {
    try {
      const entry = entryOf(info.lines, record, columns, network);
      const before = seen.get(entry.scriptPubKey);
      if (before !== undefined) throw wrong(info.lines, 'address', `is in line ${before}, too`);
      seen.set(entry.scriptPubKey, info.lines);
      entries.push(entry);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      problems.push(error);
      if (problems.length === MAX_ERRORS) break;
    }
  }
  refuseAll(problems);
  return entries;
}

function entryOf(line: number, record: readonly string[], columns: readonly string[], network: Network) {
  if (record.length !== columns.length)
    throw wrong(line, null, `has ${record.length} columns, and ${columns.length} are needed: ${columns.join(',')}`);
  const cell = (column: string): string => (record[columns.indexOf(column)] ?? '').trim();
  const [reason, reference] = [cell('reason'), cell('reference')];
  for (const [column, text] of Object.entries({ reason, reference }))
    if (text.length > MAX_TEXT) throw wrong(line, column, `must have at most ${MAX_TEXT} characters`);
  const place = placeAt(line, cell('address'), network);
  return { ...place, matchKey: screeningKey(place.scriptPubKey), reason, reference };
}

export const screeningJobs = { 'screening.read': readScreeningList };
export type ScreeningJobs = typeof screeningJobs;

/** Read within a few milliseconds. */
export const isShortList = ({ csv }: { readonly csv: string }): boolean => csv.length <= 8_192;
