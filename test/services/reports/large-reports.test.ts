/** A million rows in every format: memory has a bound, and other programs read the file. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openReports } from './reports-setup.ts';

const ROWS = 1_000_000;
/** Of JSON the rows have 250 bytes each: whole, they would be more. */
const MOST_GROWTH_MB = 200;

/** Of poppler-utils. */
const hasNoReader = spawnSync('pdftotext', ['-v']).error !== undefined;

async function large(format: 'csv' | 'json' | 'xlsx' | 'pdf', rows = ROWS) {
  const { close, start, contextOf, asked } = await openReports();
  onTestFinished(close);
  const { reports, worker } = await start();
  onTestFinished(() => worker.stop());
  worker.start();
  const make = async (many: number) => {
    const { reportId } = await reports.create(asked(many, format), contextOf());
    const of = () => reports.get('analytics', reportId, contextOf());
    await expect.poll(async () => (await of()).status, { timeout: 600_000, interval: 50 }).toBe('done');
    return reportId;
  };
  await make(20_000);
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  const report = await reports.open('analytics', await make(rows), contextOf());
  const folder = mkdtempSync(join(tmpdir(), 'ashlar-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, `report.${format}`);
  const hash = createHash('sha256');
  await pipeline(
    Readable.from(report.pieces),
    async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    },
    createWriteStream(path),
  );
  clearInterval(timer);
  expect(hash.digest('hex')).toBe(report.sha256);
  return { path, report, grownMb: (most - before) / 1e6 };
}

it.each(['csv', 'json'] as const)('%s', { timeout: 600_000 }, async (format) => {
  const { path, report, grownMb } = await large(format);
  expect(grownMb).toBeLessThan(MOST_GROWTH_MB);
  expect(report.size).toBeGreaterThan(2e8);
  let lines = 0;
  for await (const line of createInterface(createReadStream(path))) if (line.includes('quick brown fox')) lines++;
  expect(lines).toBe(ROWS);
});

it('xlsx: more rows than a sheet takes, read by another program', { timeout: 600_000 }, async () => {
  const { path, grownMb } = await large('xlsx', ROWS + 1_000);
  expect(grownMb).toBeLessThan(MOST_GROWTH_MB);
  const listed = execFileSync('python3', ['-c', READ_SHEETS, path], { encoding: 'utf8' });
  expect(JSON.parse(listed)).toEqual([
    ['Report', ROWS + 1, '0.00000001'],
    ['Report 2', 1_001, '0.01000000'],
    ['Summary', 5, null],
  ]);
});

it.skipIf(hasNoReader)('pdf: the first 5,000 rows, and the number of all', { timeout: 600_000 }, async () => {
  const { path, grownMb } = await large('pdf', 100_000);
  expect(grownMb).toBeLessThan(MOST_GROWTH_MB);
  const text = execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8', maxBuffer: 1e8 });
  expect(text).toContain('The first 5000 of 100000 rows are shown');
  expect(text.match(/the quick brown/g)).toHaveLength(5_000);
  // After their cell comes a space: in the heading it is something else.
  expect(text.match(/^\s*\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d /gm)).toHaveLength(5_000);
});

/** Sheets by name, their rows, and the third cell of the second row or so, with the standard library of Python alone. */
const READ_SHEETS = `
import json, re, sys, zipfile
from xml.etree.ElementTree import iterparse
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
names = re.findall(r'<sheet name="([^"]+)"', z.read('xl/workbook.xml').decode())
out = []
for n, name in enumerate(names, 1):
    rows, cell = 0, None
    for _, e in iterparse(z.open(f'xl/worksheets/sheet{n}.xml')):
        if e.tag.endswith('}row'):
            rows += 1
            cells = [c for c in e]
            if rows == 3 - (n > 1) and len(cells) == 3: cell = ''.join(cells[2].itertext())
            e.clear()
    out.append([name, rows, cell])
print(json.dumps(out))
`;
