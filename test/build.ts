/** Before the tests that start processes, which are hundreds: from its sources each would spend most of its start on 2,000 modules. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../bundle.ts';
import { BUILT_IN } from './builders/built.ts';

/** Below the project, where the build finds package.json and the libraries that it does not hold itself. */
const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url));

export default async function build(): Promise<() => void> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'tests-'));
  await bundle(folder);
  process.env[BUILT_IN] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
