/** Rounds of a worker, by a model: whatever wakes it whenever, no wake is lost, none is served beside another, and stopping ends it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyedMutex } from '../../src/scheduling/keyed-mutex.ts';
import { untilAborted } from '../../src/scheduling/on-abort.ts';
import { createWorker, retryPause, type Worker, type WorkerOptions } from '../../src/scheduling/worker.ts';
import { eventually } from '../builders/service-process.ts';

const HOUR_MS = 3_600_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

function collected() {
  const lines: string[] = [];
  const tell = (_: unknown, line: string): void => void lines.push(line);
  return { lines, log: { info: tell, warn: tell } };
}

const workerOf = (options: Partial<WorkerOptions>): Worker =>
  createWorker({
    ...{ name: 'test', failed: 'it failed; trying again', recovered: 'it goes on', log: collected().log },
    ...{ clock: Date.now, intervalMs: HOUR_MS, round: settled, ...options },
  });

/** As Store.exclusively has it, with a lock that can be lost. */
function createLock() {
  const locked = createKeyedMutex();
  let taken = new AbortController();
  const alone: WorkerOptions['alone'] = (signal, rounds) =>
    locked(
      'sequencer',
      () => {
        taken = new AbortController();
        return rounds(AbortSignal.any([signal, taken.signal]));
      },
      signal,
    );
  return { alone, lose: () => taken.abort() };
}

interface Replica {
  readonly worker: Worker;
  /** Ends the round under way, if there is one. */
  end: ((failure: Error | null) => void) | null;
  /** Wakes that no round has begun after. */
  owed: boolean;
}

const ACTIONS = ['wake', 'wake', 'wake', 'succeed', 'succeed', 'fail', 'stop', 'start', 'lose'] as const;
const step = fc.record({ do: fc.constantFrom(...ACTIONS), which: fc.nat(2) });

describe('a worker', () => {
  it('ends its outage with the lock: another process may do the work', async () => {
    const { lines, log } = collected();
    const { alone, lose } = createLock();
    let rounds = 0;
    const worker = workerOf({
      ...{ alone, staysAlone: true, log },
      async round(signal) {
        rounds++;
        if (rounds === 2) lose();
        if (rounds < 3) throw new Error('as the test wants it');
        await untilAborted(new Promise<never>(() => {}), signal);
      },
    });
    worker.start();
    await eventually('the lock is lost and taken again', async () => rounds > 2);
    await worker.stop();
    expect(lines).toEqual(['it failed; trying again', 'it goes on']);
  });

  it('loses no wake, has one round at a time over all replicas, and ends when it is stopped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 30 }), async (staysAlone, steps) => {
        const { alone, lose } = createLock();
        let underWay = 0;
        let leader: Replica | null = null;
        const replicas: Replica[] = Array.from({ length: 3 }, () => {
          const replica: Replica = {
            end: null,
            owed: false,
            worker: workerOf({
              ...{ alone, staysAlone, longestRetryMs: 1 },
              async round() {
                expect(++underWay).toBe(1);
                replica.owed = false;
                leader = replica;
                const { promise, resolve } = Promise.withResolvers<Error | null>();
                replica.end = resolve;
                const failure = await promise;
                replica.end = null;
                underWay--;
                if (failure) throw failure;
              },
            }),
          };
          return replica;
        });
        for (const { worker } of replicas) worker.start();
        const finish = (one: Replica): void => one.end?.(null);
        const stop = async (one: Replica): Promise<void> => {
          const stopped = one.worker.stop();
          await settled();
          finish(one);
          await stopped;
          expect(one.end).toBe(null);
        };
        for (const one of steps) {
          const replica = replicas[one.which]!;
          if (one.do === 'lose') {
            lose();
            // Whoever had the lock ends what is under way.
            for (const each of replicas) finish(each);
          } else if (one.do === 'wake') {
            replica.worker.wake();
            replica.owed = true;
          } else if (one.do === 'start') replica.worker.start();
          else if (one.do === 'stop') await stop(replica);
          else replica.end?.(one.do === 'fail' ? new Error('as the test wants it') : null);
          await settled();
        }
        // Whoever has the lock makes good for its wakes, and leaves it to the next.
        for (const { worker } of replicas) worker.start();
        const until = performance.now() + 90_000;
        for (let left = replicas; left.length > 0; ) {
          await settled();
          expect(performance.now()).toBeLessThan(until);
          for (const one of left) finish(one);
          const done = left.find((one) => one === leader && one.end === null && !one.owed);
          if (done) await stop(done);
          left = left.filter((one) => one !== done);
        }
        expect(underWay).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('pauses twice as long after each failure in a row, up to the longest', () => {
    expect([0, 1, 2, 3, 4, 5, 99].map((n) => retryPause(n))).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    expect(retryPause(3, 30)).toBe(30);
  });

  it('begins again after a failure with backoff that a wake does not shorten, and says so once', async () => {
    const { lines, log } = collected();
    const began: number[] = [];
    const worker = workerOf({
      log,
      longestRetryMs: 30,
      async round() {
        began.push(performance.now());
        worker.wake();
        if (began.length <= 4) throw new Error('the database went away');
      },
    });
    worker.start();
    await eventually('it goes on', async () => worker.counts().rounds > 0);
    await worker.stop();
    expect(lines).toEqual(['it failed; trying again', 'it goes on']);
    for (const at of [1, 2, 3, 4]) expect(began[at]! - began[at - 1]!).toBeGreaterThan(28);
    expect(worker.counts().failures).toBe(4);
    expect(worker.problem()).toBe(null);
  });

  it('lets another process have its place after a failure, unless it stays', async () => {
    const rounds: string[] = [];
    const { alone } = createLock();
    for (const staysAlone of [false, true]) {
      rounds.length = 0;
      const replica = (name: string): Worker =>
        workerOf({
          ...{ alone, staysAlone, longestRetryMs: 1 },
          async round() {
            rounds.push(name);
            await settled();
            throw new Error('as the test wants it');
          },
        });
      const both = [replica('a'), replica('b')];
      for (const one of both) one.start();
      await eventually('some rounds', async () => rounds.length > 8);
      await Promise.all(both.map((one) => one.stop()));
      expect(new Set(rounds.slice(0, 8)).size).toBe(staysAlone ? 1 : 2);
    }
  });

  it('takes what comes within a moment together, starts once however often it is told, and listens while it runs', async () => {
    let listeners = 0;
    let call = (): void => {};
    const worker = workerOf({
      gatherMs: 50,
      wokenBy(wake) {
        listeners++;
        call = wake;
        return () => void listeners--;
      },
    });
    worker.start();
    worker.start();
    await eventually('the first round', async () => worker.counts().rounds === 1);
    expect(listeners).toBe(1);
    const before = performance.now();
    for (let at = 0; at < 10; at++) call();
    await eventually('the second round', async () => worker.counts().rounds === 2);
    expect(performance.now() - before).toBeGreaterThan(45);
    worker.wake(HOUR_MS);
    worker.wake(1);
    await eventually('the third round', async () => worker.counts().rounds === 3);
    await worker.stop();
    expect([listeners, worker.counts().rounds]).toEqual([0, 3]);
    worker.start();
    await eventually('it can be started again', async () => worker.counts().rounds === 4);
    await worker.stop();
  });

  it('that is stopped in the middle of a round has not failed', async () => {
    const { lines, log } = collected();
    const begun = Promise.withResolvers<void>();
    const worker = workerOf({
      log,
      async round(signal) {
        begun.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw new Error('stopped in the middle');
      },
    });
    worker.start();
    await begun.promise;
    await worker.stop();
    expect([lines, worker.counts().failures]).toEqual([[], 0]);
  });
});
