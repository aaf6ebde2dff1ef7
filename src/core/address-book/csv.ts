/** An address book as CSV (RFC 4180): out, and in again. */
import { CsvError, parse } from 'csv-parse/sync';
import { DomainError, refuseAll } from '../errors.ts';
import type { Network } from '../network.ts';
import { MAX_EXTERNAL_ID, MAX_NAME, MAX_TAGS, type Place, placeOf, tagProblem } from './entry-rules.ts';

/** What is taken in; what an export has besides is passed over. */
const TAKEN = ['name', 'address', 'tags', 'external_id'] as const;
const SHOWN = ['address_book_id', 'verified', 'effective_at'] as const;
const COLUMNS: readonly string[] = ['address_book_id', ...TAKEN, 'verified', 'effective_at'];
export const MAX_ROWS = 10_000;
/** Characters; a name, an address, tags and an external id have less. */
const MAX_RECORD = 10_000;

/** What a spreadsheet takes for a formula, and what marks such a text. */
const FORMULA = /^[=+\-@\t\r']/;

export interface CsvEntry extends Place {
  /** In the file, from 1. */
  readonly line: number;
  readonly name: string;
  readonly tags: readonly string[];
  readonly externalId: string | null;
}

/** An apostrophe keeps a spreadsheet from running it, and is taken away again by `unmarked`. */
function cell(value: string): string {
  const marked = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(marked) ? `"${marked.replaceAll('"', '""')}"` : marked;
}
const unmarked = (value: string): string =>
  value.startsWith("'") && FORMULA.test(value.slice(1)) ? value.slice(1) : value;

const line = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;
export const CSV_HEADER = line(COLUMNS);

export interface CsvRow {
  readonly entryId: string;
  readonly name: string;
  readonly address: string;
  readonly tags: readonly string[];
  readonly externalId: string | null;
  readonly proof: object | null;
  /** Epoch milliseconds. */
  readonly effectiveAt: number;
}

export const csvLine = ({ entryId, name, address, tags, externalId, proof, effectiveAt }: CsvRow): string =>
  line([
    entryId,
    name,
    address,
    tags.join(';'),
    externalId ?? '',
    proof === null ? 'false' : 'true',
    new Date(effectiveAt).toISOString(),
  ]);

/** Throws what is wrong with each line (`invalid_value`, or as decodeAddress does), naming line and column. */
export function parseAddressBook(text: string, network: Network): CsvEntry[] {
  const [header, ...rows] = recordsOf(text, MAX_ROWS);
  if (header === undefined) throw wrong(1, null, 'a header is needed: name,address,tags,external_id');
  const columns = header.record.map((name) => name.trim().toLowerCase());
  refuseHeader(columns);
  if (rows.length > MAX_ROWS)
    throw wrong(rows[MAX_ROWS]!.info.lines, null, `at most ${MAX_ROWS} entries are taken at once`);
  const problems: DomainError[] = [];
  const seen = new Map<string, number>();
  const entries = rows.flatMap(({ record, info }) => {
    try {
      if (record.length !== columns.length)
        throw wrong(info.lines, null, `has ${record.length} columns, and the header ${columns.length}`);
      const cells = new Map(columns.map((column, at) => [column, unmarked(record[at]!)]));
      const entry = entryOf(info.lines, cells, network);
      const before = seen.get(entry.scriptPubKey);
      if (before !== undefined) throw wrong(info.lines, 'address', `is in line ${before}, too`);
      seen.set(entry.scriptPubKey, info.lines);
      return [entry];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      problems.push(error);
      return [];
    }
  });
  refuseAll(problems);
  return entries;
}

/** `field`: body[line].column, lines from 1 as editors count them. */
export function wrong(
  line: number,
  column: string | null,
  problem: string,
  code: DomainError['code'] = 'invalid_value',
) {
  const place = column === null ? '' : `, column ${column}`;
  const field = column === null ? `body[${line}]` : `body[${line}].${column}`;
  return new DomainError(code, `line ${line}${place}: ${problem}`, { field });
}

/** What `read` finds wrong, said of another field than `body`. */
export function ofField<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const renamed = (before = 'body'): string => before.replace(/^body/, field);
    const errors = error.details.errors?.map((one) => ({ ...one, field: renamed(one.field) }));
    throw new DomainError(error.code, error.message, {
      ...error.details,
      ...{ field: renamed(error.details.field) },
      ...(errors && { errors }),
    });
  }
}

export interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Of at most so many rows, a header and one row beyond. Throws `invalid_value` where the quotation marks are wrong. */
export function recordsOf(text: string, maxRows: number): CsvRecord[] {
  if (text.includes('\0')) throw new DomainError('invalid_value', 'the file holds NUL characters', { field: 'body' });
  const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true } as const;
  try {
    // One beyond what is taken, and the header, tell that there are more.
    return parse(text, { ...options, to: maxRows + 2, max_record_size: MAX_RECORD }) as unknown as CsvRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const at = Number((error as { lines?: number }).lines ?? 1);
    const problem =
      error.code === 'CSV_MAX_RECORD_SIZE'
        ? `has more than ${MAX_RECORD} characters: is a quotation mark missing?`
        : 'its quotation marks are wrong: a cell that holds one is put in quotation marks, and each within it is doubled';
    throw wrong(at, null, problem);
  }
}

function refuseHeader(columns: readonly string[]): void {
  const known: readonly string[] = [...TAKEN, ...SHOWN];
  const strange = columns.find((column) => !known.includes(column));
  if (strange !== undefined)
    throw wrong(
      1,
      null,
      `there is no column ${JSON.stringify(strange.slice(0, 40))}: the header has some of ${TAKEN.join(',')}`,
    );
  const twice = columns.find((column, at) => columns.indexOf(column) < at);
  if (twice !== undefined) throw wrong(1, twice, 'is there twice');
  for (const needed of ['name', 'address']) if (!columns.includes(needed)) throw wrong(1, needed, 'is missing');
}

function entryOf(at: number, cells: ReadonlyMap<string, string>, network: Network): CsvEntry {
  const name = (cells.get('name') ?? '').trim();
  if (name === '' || name.length > MAX_NAME) throw wrong(at, 'name', `must have 1 to ${MAX_NAME} characters`);
  const externalId = cells.get('external_id') || null;
  if (externalId !== null && externalId.length > MAX_EXTERNAL_ID)
    throw wrong(at, 'external_id', `must have at most ${MAX_EXTERNAL_ID} characters`);
  const tags = [...new Set((cells.get('tags') ?? '').split(';').map((tag) => tag.trim()))].filter((tag) => tag !== '');
  if (tags.length > MAX_TAGS) throw wrong(at, 'tags', `must have at most ${MAX_TAGS} tags`);
  for (const tag of tags) {
    const problem = tagProblem(tag);
    if (problem !== null) throw wrong(at, 'tags', problem);
  }
  return { line: at, name, tags, externalId, ...placeAt(at, (cells.get('address') ?? '').trim(), network) };
}

export function placeAt(at: number, address: string, network: Network): Place {
  try {
    return placeOf(address, network);
  } catch (error) {
    throw error instanceof DomainError ? wrong(at, 'address', error.message, error.code) : error;
  }
}
