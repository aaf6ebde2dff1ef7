/** `npm run bench`: lists the benches; `npm run bench -- NAME…` runs those named, `-- all` every one, each in a process of its own. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Parts of benches, not benches. */
const PARTS = ['run', 'funded-app', 'cpu-profile', 'statements', 'paying', 'peers', 'signed-load'];

const benches = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))
  .filter((name) => !PARTS.includes(name));
const pathOf = (name: string): string => fileURLToPath(new URL(`${name}.ts`, import.meta.url));

const asked = process.argv.slice(2);
const chosen = asked.includes('all') ? benches : asked;
const unknown = chosen.filter((name) => !benches.includes(name));
if (chosen.length === 0 || unknown.length > 0) {
  if (unknown.length > 0) console.error(`there is no bench ${unknown.join(', ')}`);
  for (const name of benches) {
    const [, about = ''] = /^\/\*\*?\s*\**\s*([\s\S]*?)\*\//.exec(readFileSync(pathOf(name), 'utf8')) ?? [];
    console.log(`${name.padEnd(20)} ${about.replaceAll(/\s*\n \*\s*/g, ' ').split(/[:;]|\.\s/)[0]}`);
  }
  process.exit(unknown.length > 0 ? 2 : 0);
}
for (const name of chosen) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(process.execPath, [pathOf(name)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
