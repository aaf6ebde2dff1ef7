/** The queue by a model: a database that says what is due, jobs that end as the test says, and a process that comes and goes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJobQueue, type Job } from '../../src/scheduling/job-queue.ts';

const HOUR_MS = 3_600_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));
const failing = { began: () => {}, ended: () => {}, goesOn: () => false };
const log = { info: () => {}, warn: () => {} };

interface Row extends Job {
  /** Parts that are left. */
  left: number;
  withdrawn: boolean;
}

interface Begun {
  readonly row: Row;
  readonly end: (outcome: 'done' | 'more' | 'later' | Error) => void;
}

/** What is due stands in `rows`; a job that ends well takes a part from its row, as a commit would. */
function queueOf(atOnce: { all: number; ofAccount?: number; ofHost?: number }) {
  const rows: Row[] = [];
  const underWay = new Set<Begun>();
  const begun: Row[] = [];
  const wrong: string[] = [];
  let reading: Promise<void> = Promise.resolve();
  const queue = createJobQueue<Row>({
    ...{
      name: 'test',
      failed: '',
      recovered: '',
      log,
      clock: Date.now,
      failing,
      intervalMs: HOUR_MS,
      longestRetryMs: 0,
      atOnce,
    },
    async due() {
      const due = rows.filter(({ left, withdrawn }) => left > 0 && !withdrawn);
      await reading;
      return due;
    },
    async perform(row, signal) {
      if ([...underWay].some((other) => other.row.key === row.key)) wrong.push(`${row.key} runs twice`);
      if (row.left === 0) wrong.push(`${row.key} is done`);
      begun.push(row);
      if (row.withdrawn) return 'later';
      const { promise, resolve } = Promise.withResolvers<'done' | 'more' | 'later' | Error>();
      const one = { row, end: resolve };
      underWay.add(one);
      signal.addEventListener('abort', () => void settled().then(() => resolve('later')));
      const outcome = await promise;
      underWay.delete(one);
      if (outcome instanceof Error) throw outcome;
      if (outcome !== 'later') row.left -= 1;
      return row.left > 0 && outcome === 'done' ? 'more' : outcome;
    },
  });
  const add = (accountId: string, left = 1, host?: string): Row => {
    const row = { key: `${rows.length}`, accountId, left, host, withdrawn: false };
    rows.push(row);
    queue.wake();
    return row;
  };
  const holdReading = (until: Promise<void>): void => {
    reading = until;
  };
  return { queue, rows, underWay, begun, wrong, add, holdReading };
}

const most = fc.integer({ min: 1, max: 3 });
const step = fc.record({
  do: fc.constantFrom(
    ...(['add', 'add', 'add', 'done', 'done', 'later', 'fail', 'withdraw', 'stop', 'start'] as const),
  ),
  which: fc.nat(20),
  account: fc.nat(3),
  host: fc.nat(2),
});

describe('a queue of jobs', () => {
  it('keeps its bounds, has one of a key at a time, begins nothing that is over, and does all that is due over restarts', async () => {
    await fc.assert(
      fc.asyncProperty(most, most, most, fc.array(step, { maxLength: 40 }), async (all, ofAccount, ofHost, steps) => {
        const { queue, rows, underWay, wrong, add } = queueOf({ all, ofAccount, ofHost });
        const count = (of: (row: Row) => unknown) => [...Map.groupBy(underWay, ({ row }) => of(row)).entries()];
        queue.start();
        for (const { do: action, which, account, host } of steps) {
          const one = [...underWay][which % Math.max(1, underWay.size)];
          if (action === 'add') add(`account ${account}`, 1 + (which % 3), host === 0 ? undefined : `host ${host}`);
          else if (action === 'withdraw') {
            const row = rows[which];
            if (row) row.withdrawn = true;
          } else if (action === 'stop') {
            await queue.stop();
            expect(underWay.size).toBe(0);
          } else if (action === 'start') queue.start();
          else one?.end(action === 'fail' ? new Error('as the test wants it') : action);
          for (let n = 0; n < 4; n++) await settled();
          expect(underWay.size).toBeLessThanOrEqual(all);
          for (const [, under] of count(({ accountId }) => accountId)) {
            expect(under.length).toBeLessThanOrEqual(ofAccount);
          }
          for (const [host, under] of count((row) => row.host)) {
            if (host !== undefined) expect(under.length).toBeLessThanOrEqual(ofHost);
          }
        }
        queue.start();
        queue.wake();
        for (let n = 0; rows.some(({ left, withdrawn }) => left > 0 && !withdrawn); n++) {
          expect(n).toBeLessThan(2_000);
          for (const one of underWay) one.end('done');
          await settled();
        }
        await queue.stop();
        expect(wrong).toEqual([]);
      }),
    );
  });

  it('gives an account its turn before any other has had two, however much those have and however long it takes', async () => {
    await fc.assert(
      fc.asyncProperty(most, fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 }), async (all, others) => {
        const { queue, underWay, begun, add } = queueOf({ all });
        queue.start();
        for (const [account, left] of others.entries()) for (let at = 0; at < 4; at++) add(`other ${account}`, left);
        await settled();
        add('mine', 3);
        for (let n = 0; n < 4; n++) await settled();
        const turns: number[] = [];
        for (let n = 0; begun.filter(({ accountId }) => accountId === 'mine').length < 3; n++) {
          expect(n).toBeLessThan(2_000);
          [...underWay][0]?.end('done');
          for (let m = 0; m < 4; m++) await settled();
        }
        for (const [at, { accountId }] of begun.entries()) if (accountId === 'mine') turns.push(at);
        // Between two turns of its own: what begins beside it and as it ends, and then one of each other account.
        for (const at of [1, 2]) expect(turns[at]! - turns[at - 1]! - 1).toBeLessThanOrEqual(all + others.length);
        await queue.stop();
      }),
    );
  });

  it('does not do again what ended while it was read, and forgets what is not due any more', async () => {
    const { queue, underWay, begun, wrong, add, holdReading } = queueOf({ all: 1 });
    const [first, second] = [add('a'), add('a')];
    queue.start();
    while (underWay.size === 0) await settled();
    second.withdrawn = true;
    queue.wake();
    for (let n = 0; n < 4; n++) await settled();
    const read = Promise.withResolvers<void>();
    holdReading(read.promise);
    queue.wake();
    await settled();
    for (const one of underWay) one.end('done');
    await settled();
    read.resolve();
    for (let n = 0; n < 4; n++) await settled();
    expect([begun, wrong]).toEqual([[first], []]);
    await queue.stop();
  });

  /** One row for each key, by hand. */
  const byHand = (rows: Set<string>, perform: (key: string) => Promise<'done' | 'more'>) =>
    createJobQueue({
      ...{
        name: 'test',
        failed: '',
        recovered: '',
        log,
        clock: Date.now,
        failing,
        intervalMs: HOUR_MS,
        atOnce: { all: 2 },
      },
      due: async () => [...rows].map((key) => ({ key, accountId: key })),
      perform: ({ key }) => perform(key),
    });

  it('does what was added under a key while that was under way, as soon as it has ended', async () => {
    const rows = new Set(['a']);
    const first = Promise.withResolvers<void>();
    let runs = 0;
    const queue = byHand(rows, async () => {
      rows.delete('a');
      runs++;
      if (runs === 1) await first.promise;
      return 'done';
    });
    queue.start();
    while (runs === 0) await settled();
    rows.add('a');
    queue.wake();
    for (let n = 0; n < 4; n++) await settled();
    first.resolve();
    await expect.poll(() => runs).toBe(2);
    await queue.stop();
  });

  it('rests a job that fails, however often others wake the queue, tries it again, and counts it', async () => {
    const runs = { a: 0, b: 0 };
    const rows = new Set(['a', 'b']);
    const queue = byHand(rows, async (key) => {
      runs[key as 'a' | 'b']++;
      if (key === 'a') throw new Error('as the test wants it');
      await settled();
      return 'more';
    });
    queue.start();
    await expect.poll(() => runs.b).toBeGreaterThan(200);
    expect(runs.a).toBeLessThan(runs.b / 10);
    rows.delete('b');
    await expect.poll(() => runs.a).toBeGreaterThan(2);
    await queue.stop();
    expect(queue.counts().failures).toBe(runs.a);
  });

  it('names what fails: each once in ten minutes, 20 of all in a minute', async () => {
    let now = 0;
    const keys = Array.from({ length: 50 }, (_, n) => `${n}`);
    const told: { key: string; attempts: number }[] = [];
    const queue = createJobQueue<Job>({
      ...{ name: 'test', failed: '', recovered: '', log, failing, longestRetryMs: 0, intervalMs: HOUR_MS },
      ...{ clock: () => now, atOnce: { all: 50 } },
      due: async () => keys.map((key) => ({ key, accountId: key })),
      async perform() {
        throw new Error('as the test wants it');
      },
      named: ({ key }, { attempts }) => told.push({ key, attempts }),
    });
    const triedAgain = async () => {
      const { failures } = queue.counts();
      await expect.poll(() => queue.counts().failures).toBeGreaterThan(failures + 2 * keys.length);
    };
    queue.start();
    await triedAgain();
    expect(told).toEqual(keys.slice(0, 20).map((key) => ({ key, attempts: 1 })));
    for (const minute of [1, 2, 3]) {
      now = minute * 60_000;
      await triedAgain();
    }
    expect(new Set(told.map(({ key }) => key))).toEqual(new Set(keys));
    expect(told).toHaveLength(50);
    now = 600_000;
    await triedAgain();
    expect(told.slice(50).map(({ key }) => key)).toHaveLength(20);
    await queue.stop();
  });
});
