/**
 * Properties run on one seed, so that a run can be repeated; FC_SEED names another, or `random`. One that fails says its seed, its path and
 * the command that runs it again.
 */
import { relative } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';

const asked = process.env.FC_SEED ?? '20261120';

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  ...(asked !== 'random' && { seed: Number(asked) }),
  reporter(run) {
    if (!run.failed) return;
    const { testPath = '' } = expect.getState();
    const command = `FC_SEED=${run.seed} npx vitest run ${relative(process.cwd(), testPath)}`;
    throw new Error(`${fc.defaultReportMessage(run)}\n\nTo run it again: ${command}`, { cause: run.errorInstance });
  },
});
