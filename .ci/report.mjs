/**
 * Reads vitest's JSON reports.
 * `report.mjs failed REPORT` lists the files with failures, a line each.
 * `report.mjs count REPORT...` prints `N passed, N failed, N skipped`; what a later report says of a file counts in place of the earlier.
 */
import { readFileSync } from 'node:fs';

const read = (file) => JSON.parse(readFileSync(file, 'utf8')).testResults;
const [command, ...files] = process.argv.slice(2);

if (command === 'failed') {
  for (const { name, status } of read(files[0])) if (status === 'failed') process.stdout.write(`${name}\n`);
} else {
  const byFile = new Map();
  for (const results of files.map(read)) {
    if (results.length === 0) throw new Error('a report has no tests');
    for (const result of results) byFile.set(result.name, result);
  }
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const { status: ofFile, assertionResults } of byFile.values()) {
    const before = totals.failed;
    for (const { status } of assertionResults) totals[status in totals ? status : 'skipped']++;
    // A file that could not be loaded, or whose hooks failed, has no test that did.
    if (ofFile === 'failed' && totals.failed === before) totals.failed++;
  }
  if (totals.failed > 0) process.exitCode = 1;
  process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
}
