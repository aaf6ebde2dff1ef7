import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// What the workers, services and commands of the tests load is compiled once on this machine, not in each of their hundreds of processes.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'ashlar-compile-cache');

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
