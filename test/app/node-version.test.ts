/** What an older Node is told, where it is not npm that chooses it. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { nodeProblem } from '../../src/app/node-version.ts';

const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

/** A Node that says it is older and has no node:sqlite. */
const OLD_NODE = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
  registerHooks({ resolve(name, context, next) {
    if (name === 'node:sqlite') throw new Error('No such built-in module: node:sqlite');
    return next(name, context);
  } });
`)}`;

it.each([['20.20.2'], ['22.21.0'], ['24.6.0']])('Node %s is too old', (version) => {
  expect(nodeProblem(version)).toBe(
    `Ashlar needs Node 24.7 or newer, and this is Node ${version}: npm start and npm run ashlar, run in the checkout, bring their own`,
  );
});

it.each([['24.7.0'], ['24.21.0'], ['26.1.0']])('Node %s is not', (version) => expect(nodeProblem(version)).toBeNull());

it.each([['src/main.ts'], ['src/cli.ts']])('%s ends with one sentence', (file) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', OLD_NODE, pathOf(file)], {
    encoding: 'utf8',
  });
  expect([status, stdout, stderr.trimEnd().split('\n').length]).toEqual([1, '', 1]);
  expect(stderr).toContain('needs Node 24.7 or newer, and this is Node 20.20.2');
});

it('bin/ashlar says where npm ci is to be run, when it was not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ashlar-bin-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'bin'));
  copyFileSync(pathOf('bin/ashlar'), join(folder, 'bin/ashlar'));
  const { status, stderr } = spawnSync(join(folder, 'bin/ashlar'), ['help'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    `ashlar: there is no Node in ${folder}/node_modules: run npm ci in ${folder}, which brings it\n`,
  ]);
});
