/** What tests start as processes: as operators do, from the build, which each run makes of the sources first (test/build.ts). */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const BUILT_IN = 'ASHLAR_TESTS_BUILD';

const file = (name: 'main' | 'cli'): string => {
  const folder = process.env[BUILT_IN];
  // A bench, which starts processes of the sources unless it is told otherwise.
  if (folder === undefined) return fileURLToPath(new URL(`../../src/${name}.ts`, import.meta.url));
  return join(folder, `${name}.js`);
};

export const MAIN = file('main');
export const CLI = file('cli');
