/** .gitignore keeps what the commands of README and docs write, where they write keys, out of commits. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter((page) =>
  page.endsWith('.md'),
);
const commands = pages.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/```bash\n([\s\S]*?)\n```/g)].map(([, block = '']) => block),
);
/** Options and redirections of the commands that answer secrets, and files that they are named by. */
const WRITTEN =
  /(?:keys|accounts) .*--out ([\w./-]+)|(?:signing-keys|backup) .*> ([\w./-]+)|openssl rand -out ([\w./-]+)|"(data\/[\w-]+\.json)"/g;
const written = commands.flatMap((block) => [...block.matchAll(WRITTEN)].map((found) => found.slice(1).find(Boolean)!));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ashlar-ignored-'));
  execFileSync('git', ['init', '-q', folder]);
  copyFileSync(join(ROOT, '.gitignore'), join(folder, '.gitignore'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('every one of them', () => {
  const names = [...new Set([...written, 'data/master.key', 'master.key.local-1', 'admin-credentials.json'])];
  expect(names).toEqual(expect.arrayContaining(['key.pem', 'pair.json', 'backend.json', 'secrets/master-2.key']));
  const ignored = execFileSync('git', ['-C', folder, 'check-ignore', ...names], { encoding: 'utf8' });
  expect(ignored.trim().split('\n').toSorted()).toEqual(names.toSorted());
});
