/** Replays that are too long for a request: go on by pieces, after a restart too, accounts by turns. */
import { expect, it, onTestFinished } from 'vitest';
import { createReplays, type ShownReplay } from '../../../src/services/policies/replay/replay-service.ts';
import { createReplayWorker } from '../../../src/services/policies/replay/replay-worker.ts';
import type { Store } from '../../../src/store/store.ts';
import { requestContext } from '../../builders/request-context.ts';
import { accountRecord, walletRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';
import { THIRD_DENIED, writeHistory } from './replay-history.ts';
import { rulesOf } from './rules-of.ts';

const entriesOf = async () => new Map();

async function open(histories: Record<string, number>) {
  const { store, close } = await openTemporarySqlite();
  onTestFinished(close);
  for (const [accountId, payments] of Object.entries(histories)) {
    const walletId = `wal_${accountId}` as const;
    await store.write(async (tx) => {
      await tx.accounts.insert(accountRecord(accountId));
      await tx.wallets.insert(walletRecord(walletId, { accountId }));
    });
    await writeHistory(store, accountId, walletId, payments);
  }
  const rulesInForce = rulesOf([THIRD_DENIED]);
  const deps = {
    store,
    entriesOf,
    clock: Date.now,
    randomBytes: (size: number) => crypto.getRandomValues(new Uint8Array(size)),
  };
  const replays = createReplays({ ...deps, rulesOf: async () => rulesInForce, onQueued() {} });
  return {
    store,
    replays,
    start: (accountId: string) =>
      replays.create(
        { policies: undefined, defaultAction: undefined, fromAt: 0, toAt: undefined },
        requestContext({ accountId }),
      ),
  };
}

/** A worker of another start of the process: nothing in memory. */
function startWorker(store: Store) {
  const worker = createReplayWorker({ store, entriesOf, clock: Date.now, log: silent });
  onTestFinished(() => worker.stop());
  worker.start();
  return worker;
}

const until = (value: () => Promise<unknown>, wanted: unknown) =>
  expect.poll(value, { timeout: 60_000, interval: 5 }).toEqual(wanted);

it('goes on after a restart where it was, with the windows as they were', { timeout: 120_000 }, async () => {
  const { store, replays, start } = await open({ acc_one: 5_000 });
  const context = requestContext({ accountId: 'acc_one' });
  const { replayId, status } = await start('acc_one');
  expect(status).toBe('running');
  const now = () => replays.get(replayId, context);
  const first = startWorker(store);
  await until(async () => (await now()).place > 0, true);
  await first.stop();
  const halfway = await now();
  expect(halfway).toMatchObject({ status: 'running', figures: { payments: halfway.place } });
  expect(halfway.place).toBeLessThan(5_000);
  startWorker(store);
  await until(async () => (await now()).status, 'done');
  expect((await now()).figures).toEqual({
    ...{ payments: 5_000, differing: 4_998, unjudged: 0 },
    before: { allow: 5_000, approve: 0, deny: 0 },
    after: { allow: 2, approve: 0, deny: 4_998 },
  });
});

it('an account with a short history is done while those with long ones still run', { timeout: 120_000 }, async () => {
  const { store, replays, start } = await open({ acc_one: 6_000, acc_two: 6_000, acc_three: 600 });
  const made: ShownReplay[] = [];
  for (const accountId of ['acc_one', 'acc_two', 'acc_three']) made.push(await start(accountId));
  const statuses = () =>
    Promise.all(
      made.map(async ({ replayId, accountId }) => (await replays.get(replayId, requestContext({ accountId }))).status),
    );
  startWorker(store);
  await until(async () => (await statuses())[2], 'done');
  expect(await statuses()).toEqual(['running', 'running', 'done']);
  await until(statuses, ['done', 'done', 'done']);
});
