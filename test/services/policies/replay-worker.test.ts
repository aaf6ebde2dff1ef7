/** Replays that are too long for a request, after a restart too, accounts by turns; what they keep, and for how long. */
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import type { AccountId, WalletId } from '../../../src/core/ids.ts';
import { HOUR_MS } from '../../../src/core/policies/windows.ts';
import { createTally, NO_FIGURES } from '../../../src/services/policies/replay/replay-figures.ts';
import { runningReplays } from '../../../src/services/policies/replay/replay-series.ts';
import { createReplays, type ShownReplay } from '../../../src/services/policies/replay/replay-service.ts';
import { createReplayWorker } from '../../../src/services/policies/replay/replay-worker.ts';
import type { Store } from '../../../src/store/store.ts';
import { requestContext } from '../../builders/request-context.ts';
import { accountRecord, transactionRecord, txidOf, walletRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../../builders/stores.ts';
import { THIRD_DENIED, writeHistory } from './replay-history.ts';
import { rule, rulesOf } from './rules-of.ts';

const DAY = 24 * HOUR_MS;
/** What the other histories have fits. */
const MOST_SUMS = 10_000;
const entriesOf = async () => new Map();

async function open(histories: Record<AccountId, number>, rules = [THIRD_DENIED]) {
  const { store, path, close } = await openTemporarySqlite();
  onTestFinished(close);
  for (const [accountId, payments] of Object.entries(histories) as [AccountId, number][]) {
    const walletId = `wal_${accountId}` as const;
    await store.write(async (tx) => {
      await tx.accounts.insert(accountRecord(accountId));
      await tx.wallets.insert(walletRecord(walletId, { accountId }));
    });
    await writeHistory(store, accountId, walletId, payments);
  }
  const rulesInForce = rulesOf(rules);
  let later = 0;
  const deps = {
    ...{ store, entriesOf, clock: () => Date.now() + later, historyMs: 400 * DAY },
    randomBytes: (size: number) => crypto.getRandomValues(new Uint8Array(size)),
  };
  const replays = createReplays({ ...deps, mostSums: MOST_SUMS, rulesOf: async () => rulesInForce, onQueued() {} });
  return {
    store,
    path,
    replays,
    wait: (ms: number) => {
      later += ms;
    },
    start: (accountId: AccountId) =>
      replays.create(
        { policies: undefined, defaultAction: undefined, fromAt: 0, toAt: undefined },
        requestContext({ accountId }),
      ),
  };
}

/** A worker of another start of the process: nothing in memory. */
function startWorker(store: Store, log: Parameters<typeof createReplayWorker>[0]['log'] = silent) {
  const worker = createReplayWorker({ ...{ store, entriesOf, mostSums: MOST_SUMS, log }, clock: Date.now });
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
  for (const accountId of ['acc_one', 'acc_two', 'acc_three'] as const) made.push(await start(accountId));
  const statuses = () =>
    Promise.all(
      made.map(async ({ replayId, accountId }) => (await replays.get(replayId, requestContext({ accountId }))).status),
    );
  startWorker(store);
  await until(async () => (await statuses())[2], 'done');
  expect(await statuses()).toEqual(['running', 'running', 'done']);
  await until(statuses, ['done', 'done', 'done']);
});

it('names replays that cannot be read, counts them, and goes on with the others', { timeout: 120_000 }, async () => {
  const damaged: AccountId[] = ['acc_1', 'acc_2', 'acc_3', 'acc_4', 'acc_5'];
  const histories = Object.fromEntries([...damaged, 'acc_sound'].map((accountId) => [accountId, 600]));
  const { store, path, replays, start } = await open(histories);
  const made: ShownReplay[] = [];
  for (const accountId of [...damaged, 'acc_sound'] as const) made.push(await start(accountId));
  const sound = made.pop()!;
  const database = new DatabaseSync(path);
  database.exec("update replays set policies = '{' where account_id <> 'acc_sound'");
  database.close();
  const oldestAt = Math.min(...made.map(({ progressedAt }) => progressedAt));
  expect(await runningReplays(store.read)).toEqual({ count: 6, oldestAt });
  const named: { replayId?: string; reason?: string }[] = [];
  const worker = startWorker(store, { ...silent, warn: (facts: object) => void named.push(facts) } as typeof silent);
  await until(
    async () => (await replays.get(sound.replayId, requestContext({ accountId: 'acc_sound' }))).status,
    'done',
  );
  await until(
    async () => named.flatMap(({ replayId = [] }) => replayId).toSorted(),
    made.map(({ replayId }) => replayId).toSorted(),
  );
  // Each again, after a pause, and not named again.
  await until(async () => worker.counts().failures >= 15, true);
  expect(named.flatMap(({ replayId = [] }) => replayId)).toHaveLength(5);
  expect(await runningReplays(store.read)).toMatchObject({ count: 5, oldestAt });
  // Its account can end it, and start others.
  await replays.delete(made[0]!.replayId, requestContext({ accountId: 'acc_1' }));
  await start('acc_2');
  expect(await runningReplays(store.read)).toMatchObject({ count: 5 });
});

it('ends where windows add up more than fits in memory', {
  timeout: 60_000,
}, async () => {
  const perDestination = rule({ window: { hours: 2, per: 'destination', amountOverSats: 1n } });
  const { store, replays, start } = await open({ acc_one: 0, acc_many: 450 }, [perDestination]);
  const hour = Math.floor(Date.now() / HOUR_MS);
  const pay = (n: number, accountId: AccountId, payees: number) =>
    store.write((tx) => {
      const paid = { scope: 'destination', hour, amountSats: 1n, count: 1 };
      const counts = Array.from({ length: payees }, (_, to) => ({ ...paid, subject: `payee ${n} ${to}` }));
      const asked = { operation: 'payment', user: null, credential: 'key_a', role: 'admin', fee: '100' } as const;
      const walletId: WalletId = `wal_${accountId}`;
      const patch = { accountId, walletId, createdAt: Date.now(), counts, asked };
      return tx.transactions.insert(transactionRecord(`${accountId} many ${n}`, patch), [], []);
    });
  for (let n = 0; n < 50; n++) for (const accountId of ['acc_one', 'acc_many'] as const) await pay(n, accountId, 210);
  const failed = { status: 'failed', reason: expect.stringContaining('more than 10000 hourly sums') };
  startWorker(store);
  // Few payments are a long replay, too, where they have so many payees.
  for (const accountId of ['acc_one', 'acc_many'] as const) {
    const { replayId, status } = await start(accountId);
    expect(status).toBe('running');
    const now = () => replays.get(replayId, requestContext({ accountId }));
    await until(async () => (await now()).status, 'failed');
    expect(await now()).toMatchObject({ ...failed, closedAt: expect.any(Number) });
  }
});

it('keeps 5,000 differences and counts the others', () => {
  const { counts: _, ...payment } = transactionRecord('one', { createdAt: 5 });
  const verdict = { action: 'deny', policies: [], requirements: [], message: null, listed: [] } as const;
  const tally = createTally({
    ...{ accountId: 'acc_one', replayId: 'rpl_one' },
    figures: { ...NO_FIGURES, payments: 4_999, differing: 4_999 },
  });
  for (const place of [5_000, 5_001, 5_002])
    tally.add({ payment: { ...payment, place, policy: null, counts: [], asked: null }, amountSats: 1n, verdict });
  expect(tally.found().map(({ place }) => place)).toEqual([5_000]);
  expect(tally.figures()).toMatchObject({ payments: 5_002, differing: 5_002, after: { deny: 3 } });
});

it('deletes replays a week after their end and old changes of the sums, and says from when on windows are complete', async () => {
  const { store, replays, start, wait } = await open({ acc_one: 3, acc_long: 1_000 });
  const context = requestContext({ accountId: 'acc_one' });
  const done = await start('acc_one');
  expect(done).toMatchObject({ status: 'done', figures: { differing: 1 } });
  // Windows of two hours look at the three before, and clocks differ.
  expect(Math.abs(done.completeFrom! - (done.createdAt - 400 * DAY + 4 * HOUR_MS))).toBeLessThan(1_000);
  const recent = { policies: undefined, defaultAction: undefined, toAt: undefined, fromAt: Date.now() - 399 * DAY };
  expect((await replays.create(recent, context)).completeFrom).toBeNull();
  const running = await start('acc_long');
  expect(await runningReplays(store.read)).toEqual({ count: 1, oldestAt: running.progressedAt });
  const fail = (name: string, updatedAt: number) =>
    store.write((tx) => tx.transactions.update('acc_one', txidOf(name), { status: 'failed', updatedAt }));
  await fail('acc_one 0', Date.now() - 406 * DAY);
  await fail('acc_one 1', Date.now() - 408 * DAY);
  const changes = () => store.read.spendHistory.changes('acc_one', { behind: 0, changeId: 0n }, 9, 9);
  expect(await replays.sweep()).toBe(1);
  expect(await changes()).toHaveLength(1);
  wait(7 * DAY + 60_000);
  expect(await replays.sweep()).toBe(3);
  expect(await changes()).toEqual([]);
  await expect(replays.get(done.replayId, context)).rejects.toMatchObject({ code: 'not_found' });
  const first = { limit: 9, offset: 0 };
  expect((await store.read.replays.differences('acc_one', done.replayId, first)).data).toEqual([]);
  expect(await replays.get(running.replayId, requestContext({ accountId: 'acc_long' }))).toMatchObject({
    status: 'running',
  });
});
