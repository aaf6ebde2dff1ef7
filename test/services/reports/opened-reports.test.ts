/** Small reports, opened by the programs that people open them with: a spreadsheet's cells and a PDF's words are what was meant. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Row } from '../../../src/core/reports/cells.ts';
import type { ReportType } from '../../../src/services/reports/report-type.ts';
import { openReports } from './reports-setup.ts';

/** With Debian's python3-openpyxl. */
const python = ['python3', '/usr/bin/python3'].find((one) => spawnSync(one, ['-c', 'import openpyxl']).status === 0);
/** Of poppler-utils. */
const hasNoReader = spawnSync('pdftotext', ['-v']).error !== undefined;

const AT = Date.parse('2026-03-29T00:30:00Z');
const ROWS: readonly Row[] = [
  [AT, '=1+2', 7, 123_456_789n, '0.25'],
  [AT + 3_600_000, '<b>&"\u0007 ü €', -1, -1n, '1e3'],
  [null, null, null, null, null],
  [0, '', 9_007_199_254_740_991, 2_099_999_997_690_000n, '-0.000001'],
];
const kinds: ReportType = {
  ...{ kind: 'analytics', name: 'numbers', title: 'Kinds', ofWallets: false },
  needs: { role: 'viewer', scopes: ['transactions:read'] },
  columns: (['time', 'text', 'integer', 'btc', 'decimal'] as const).map((kind) => ({ name: kind, kind })),
  count: async () => ROWS.length,
  async *pages() {
    yield { rows: ROWS, passed: ROWS.length };
    return {
      figures: [{ name: 'total', kind: 'btc', value: 5n }],
      notes: ['=2+3 is meant'],
      chart: { title: 'Days', unit: 'BTC', points: [{ label: 'Monday', value: 3 }] },
    };
  },
};

/** The path of the file. */
async function made(format: 'xlsx' | 'pdf'): Promise<string> {
  const { close, start, contextOf, asked } = await openReports();
  onTestFinished(close);
  const { reports, worker } = await start([kinds]);
  onTestFinished(() => worker.stop());
  worker.start();
  const { reportId } = await reports.create({ ...asked(0, format), timezone: 'Europe/Berlin' }, contextOf());
  const status = async () => (await reports.get('analytics', reportId, contextOf())).status;
  await expect.poll(status, { timeout: 60_000, interval: 5 }).toBe('done');
  const pieces: Buffer[] = [];
  for await (const piece of (await reports.open('analytics', reportId, contextOf())).pieces) pieces.push(piece);
  const folder = mkdtempSync(join(tmpdir(), 'ashlar-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, `report.${format}`);
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

it.skipIf(python === undefined)('xlsx: numbers are numbers, text is text and no formula', async () => {
  const read = execFileSync(python!, ['-W', 'error', '-c', READ_CELLS, await made('xlsx')], { encoding: 'utf8' });
  const { sheets, rows, formats, summary } = JSON.parse(read);
  expect(sheets).toEqual(['Report', 'Summary']);
  expect(rows).toEqual([
    ['time', 'text', 'integer', 'btc', 'decimal'].map((name) => ['s', name]),
    [
      ['s', '2026-03-29T01:30:00.000+01:00'],
      ['s', '=1+2'],
      ['n', 7],
      ['n', 1.23456789],
      ['n', 0.25],
    ],
    [
      ['s', '2026-03-29T03:30:00.000+02:00'],
      ['s', '<b>&"\ufffd ü €'],
      ['n', -1],
      ['n', -1e-8],
      ['n', 1_000],
    ],
    Array(5).fill(['n', null]),
    // More than the 15 digits that a spreadsheet keeps.
    [
      ['s', '1970-01-01T01:00:00.000+01:00'],
      ['s', ''],
      ['s', '9007199254740991'],
      ['s', '20999999.97690000'],
      ['n', -0.000001],
    ],
  ]);
  expect(formats).toEqual(['0.00000000', '0.00000000']);
  expect(summary).toEqual(
    expect.arrayContaining([
      ['Kinds', 'acc_one'],
      ['total', 5e-8],
      ['note', '=2+3 is meant'],
    ]),
  );
});

it.skipIf(hasNoReader)('pdf: rows, summary and the words of its chart', async () => {
  const text = execFileSync('pdftotext', ['-layout', await made('pdf'), '-'], { encoding: 'utf8' });
  for (const said of [
    'Kinds',
    'acc_one',
    '=1+2',
    '1.23456789',
    '20999999.97690000',
    '0.00000005',
    '=2+3 is meant',
    'Days',
    'Monday',
    '€',
  ])
    expect(text).toContain(said);
  expect(text).toMatch(/2026-03-29T03:30:00\+02:00/);
});

const READ_CELLS = `
import json, sys, openpyxl
book = openpyxl.load_workbook(sys.argv[1])
report, summary = book['Report'], book['Summary']
print(json.dumps({
    'sheets': book.sheetnames,
    'rows': [[[cell.data_type, cell.value] for cell in row] for row in report.iter_rows()],
    'formats': [report.cell(row, 4).number_format for row in (2, 3)],
    'summary': [[cell.value for cell in row] for row in summary.iter_rows()],
}))
`;
