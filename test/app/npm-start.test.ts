/** `npm start` as a process manager uses it: what ends npm ends the service. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Says its pid, then tells how it ends; by itself after a minute, so that a test that fails leaves nothing running. */
const SERVICE = `
process.on('SIGTERM', () => { console.log('ended by SIGTERM'); process.exit(0); });
setTimeout(() => process.exit(1), 60_000);
console.log('pid ' + process.pid);
`;

it('hands SIGTERM on to the service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ashlar-npm-'));
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/main.js'), SERVICE);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start: PACKAGE.scripts.start } }));
  const npm = spawn('npm', ['start'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  npm.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const ended = new Promise((resolve) => npm.on('close', resolve));
  await expect.poll(() => output).toMatch(/pid \d+/);
  npm.kill('SIGTERM');
  await ended;
  expect(output).toContain('ended by SIGTERM');
  rmSync(folder, { recursive: true });
});
