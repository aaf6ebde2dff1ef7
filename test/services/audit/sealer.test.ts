import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSealer } from '../../../src/services/audit/sealer.ts';
import { silent } from '../../builders/stores.ts';

it('moves the place to look from only after a look that left nothing over: what lies behind it is never looked at again', async () => {
  const marks: (bigint | null)[] = [];
  let beat = (): void => {};
  const record = { sequence: 1n, recordId: 'aud_one', logId: 'acc_one', entry: '{}' };
  const store = {
    exclusively: (_: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<unknown>) => work(signal),
    onAudit: (listener: () => void) => {
      beat = listener;
      return () => {};
    },
    // As many as were asked for, the first two times: there may be more.
    read: {
      audit: {
        async unsealed(mark: bigint | null, limit: number) {
          marks.push(mark);
          const records = marks.length <= 2 ? Array.from({ length: limit }, () => record) : [];
          return { records, mark: BigInt(marks.length) };
        },
      },
    },
    write: async () => {},
  } as unknown as Parameters<typeof createSealer>[0]['store'];
  const sealer = createSealer({ store, signHeads: async () => {}, clock: Date.now, log: silent, gatherMs: 1 });
  sealer.start();
  while (marks.length < 4) {
    beat();
    await sleep(1);
  }
  await sealer.stop();
  expect(marks.slice(0, 4)).toEqual([null, null, null, 3n]);
});
