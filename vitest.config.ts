import { defineConfig } from 'vitest/config';
import { prepareFolders } from './test/folders.ts';

prepareFolders();

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'node_modules/**'],
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/secrets/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Far beyond what anything takes: waiting ends when what is waited for is there, also on a machine that has other things to do.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 90_000, interval: 20 } },
  },
});
