import { existsSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { logDestination } from '../../src/app/log-destination.ts';

it('goes on where nothing can be written', async (test) => {
  // Linux: every write finds the disk full.
  if (!existsSync('/dev/full')) return test.skip('there is no /dev/full');
  const log = logDestination(openSync('/dev/full', 'w'));
  const faults: unknown[] = [];
  const note = (error: unknown) => faults.push(error);
  process.on('uncaughtException', note);
  try {
    for (let lines = 0; lines < 10; lines++) {
      log.write(`${'x'.repeat(20_000)}\n`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } finally {
    process.off('uncaughtException', note);
  }
  expect(faults).toEqual([]);
});
