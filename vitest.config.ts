import { defineConfig } from 'vitest/config';
import { prepareFolders } from './test/folders.ts';
import { LONG } from './test/long.ts';
import { LongestFirst } from './test/order.ts';

prepareFolders();

const PURE = 'test/core/**/*.test.ts';

/** Of both projects. */
const common = {
  setupFiles: ['test/watchdog.ts', 'test/setup.ts'],
  pool: 'forks' as const,
  // Far beyond what anything takes: waiting ends when what is waited for is there, also on a machine that has other things to do.
  testTimeout: 180_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 90_000, interval: 20 } },
};

export default defineConfig({
  test: {
    globalSetup: ['test/secrets/global-setup.ts'],
    // One more than the cores of CI: some tests wait for timers and other processes.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'service',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [PURE, ...LONG, 'test/bench/**', 'node_modules/**'],
        },
      },
      { test: { ...common, name: 'long', include: LONG, globalSetup: ['test/build.ts'] } },
      // Pure computations share nothing that a test could change: one process for many files, which halves what they take.
      { test: { ...common, name: 'core', include: [PURE], exclude: LONG, isolate: false } },
    ],
  },
});
