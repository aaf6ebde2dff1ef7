/** An address book as CSV: what goes out comes in again, no spreadsheet runs it, and what is wrong is named by line and column. */
import { address as codec } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CSV_HEADER, csvLine, parseAddressBook } from '../../../src/core/address-book/csv.ts';
import { placeOf, tagProblem } from '../../../src/core/address-book/entry-rules.ts';
import { DomainError } from '../../../src/core/errors.ts';

const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const SCRIPT = '0014751e76e8199196d454941c45d1b3a323f1433bd6';
const read = (text: string) => parseAddressBook(text, 'regtest');
function refusal(text: string): DomainError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

const addressOf = (at: number) => codec.toBech32(Buffer.alloc(20, at), 0, 'bcrt');
const text = (maxLength: number) =>
  fc
    .string({
      unit: fc.oneof(
        fc.constantFrom(...'=+-@\t\r\n\'",; a'),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      ),
      minLength: 1,
      maxLength,
    })
    .filter((value) => value.length <= maxLength && !value.includes('\0') && value.isWellFormed());
const entry = fc.record({
  name: text(100)
    .map((name) => name.trim())
    .filter((name) => name !== ''),
  tags: fc.uniqueArray(
    text(50).filter((tag) => tagProblem(tag) === null),
    { maxLength: 20 },
  ),
  externalId: fc.option(text(128)),
});
const shown = { entryId: 'abe_1', proof: null, effectiveAt: 0 };

describe('out and in again', () => {
  it('gives the same entries', () =>
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
        const book = entries.map((one, at) => ({ ...one, address: addressOf(at) }));
        const file = CSV_HEADER + book.map((one) => csvLine({ ...shown, ...one })).join('');
        const found = read(file).map(({ name, address, tags, externalId }) => ({ name, address, tags, externalId }));
        expect(found).toEqual(book.map(({ name, tags, externalId, address }) => ({ name, tags, externalId, address })));
      }),
    ));

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', "'=1"])('keeps %j from being a formula', (externalId) => {
    const line = csvLine({ ...shown, name: 'a', address: ADDRESS, tags: [], externalId });
    expect(line).toContain(`,'${externalId}`);
    expect(read(CSV_HEADER + line)[0]?.externalId).toBe(externalId);
  });
});

describe('in', () => {
  it('takes what spreadsheets write: a mark of UTF-8, either end of line, quoted cells, empty lines', () => {
    expect(read(`\uFEFFAddress,NAME,tags\n\n${ADDRESS.toUpperCase()},"a ""b"",\r\nc",x; y;x\n`)).toEqual([
      { line: 5, name: 'a "b",\r\nc', address: ADDRESS, scriptPubKey: SCRIPT, tags: ['x', 'y'], externalId: null },
    ]);
    expect(read('name,address\r\n')).toEqual([]);
  });

  it.each([
    ['', 'body[1]', /header/],
    ['name,colour\r\n', 'body[1]', /"colour"/],
    ['name,address,name\r\n', 'body[1].name', /twice/],
    ['name\r\n', 'body[1].address', /missing/],
    [`name,address\r\na,${ADDRESS},b\r\n`, 'body[2]', /3 columns/],
    [`name,address\r\n,${ADDRESS}\r\n`, 'body[2].name', /1 to 100/],
    ['name,address\r\na,b\r\n', 'body[2].address', /line 2, column address: .*not a Bitcoin address/],
    [`name,address,tags\r\na,${ADDRESS},"a,b"\r\n`, 'body[2].tags', /comma/],
    [`name,address\r\na,${ADDRESS}\r\nb,${ADDRESS.toUpperCase()}\r\n`, 'body[3].address', /line 2/],
    [`name,address\r\n"a,${ADDRESS}\r\n`, 'body[3]', /quotation marks/],
    [`name,address\r\na"b,${ADDRESS}\r\n`, 'body[2]', /quotation marks/],
    [`name,address\r\n${'a'.repeat(20_000)},${ADDRESS}\r\n`, 'body[2]', /10000 characters/],
    [`name,address\r\n${'a,b\r\n'.repeat(10_001)}`, 'body[10002]', /at most 10000/],
    ['name,address\r\na\0,b\r\n', 'body', /NUL/],
  ])('names what is wrong, %#', (file, field, reason) => {
    const error = refusal(file);
    expect(error.details.field).toBe(field);
    expect(error.message).toMatch(reason);
  });

  it('lists what is wrong with each line', () => {
    const { code, details } = refusal(`name,address\r\na,b\r\n,${ADDRESS}\r\n`);
    expect(code).toBe('invalid_address');
    expect(details.errors?.map(({ field }) => field)).toEqual(['body[2].address', 'body[3].name']);
  });
});

it('knows an address by its script, however it is written', () => {
  expect(placeOf(ADDRESS.toUpperCase(), 'regtest')).toEqual({ address: ADDRESS, scriptPubKey: SCRIPT });
  const base58 = 'mrCDrCybB6J1vRfbwM5hemdJz73FwDBC8r';
  expect(placeOf(base58, 'regtest').address).toBe(base58);
});
