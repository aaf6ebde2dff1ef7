/** A real Chromium without a window. Where none is installed, tests say so and are skipped. */
import { spawnSync } from 'node:child_process';
import { type Browser, chromium } from 'playwright-core';

const path = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim();

/** Why tests that need a browser are skipped, or null where they can run. */
export const noChromium: string | null =
  path === '' ? 'there is no chromium on the PATH (Debian: apt-get install --no-install-recommends chromium)' : null;

/** Without a sandbox: root has none, and the pages are ours. */
export const startChromium = (): Promise<Browser> => chromium.launch({ executablePath: path, chromiumSandbox: false });
