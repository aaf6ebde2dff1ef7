/** Whatever happens to a worker, its job is answered once and clearly, and the next one is done. */
import { afterEach, describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import {
  createWorkerPool,
  type WorkerPool,
  type WorkerPoolOptions,
} from '../../../src/engines/computing/worker-pool.ts';

const pools: WorkerPool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close(0))));

function open(options: Partial<WorkerPoolOptions> = {}): WorkerPool {
  const pool = createWorkerPool({
    entry: new URL('./odd-worker.ts', import.meta.url),
    size: 1,
    maxWaiting: 10,
    maxWaitMs: 60_000,
    maxRunMs: 60_000,
    maxHeapMb: 64,
    patienceMs: 60_000,
    ...options,
  });
  pools.push(pool);
  return pool;
}

const run = (pool: WorkerPool, name: string, given: unknown = null) =>
  pool.run({ name, given }, { accountId: 'acc_a' });
const refusal = async (asked: Promise<unknown>): Promise<DomainError> => {
  const error = await asked.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DomainError);
  return error as DomainError;
};

describe('a job', () => {
  it('is given and answers plain data', async () => {
    const given = { sats: 5n, bytes: Uint8Array.of(1, 2), none: undefined };
    expect(await run(open(), 'echo', given)).toEqual(given);
  });

  it('is counted while it waits or is computed', async () => {
    const pool = open();
    const jobs = [run(pool, 'echo', 1), run(pool, 'echo', 2), run(pool, 'refuse').catch(() => null)];
    const { running, waiting } = pool.load();
    expect([running <= 1, running + waiting]).toEqual([true, 3]);
    await Promise.all(jobs);
    expect(pool.load()).toEqual({ running: 0, waiting: 0 });
  });

  // Ended within the native addon, it would take the whole process along.
  it('that is in native code when its time is over is refused like any other', async () => {
    for (let time = 0; time < 60; time += 10) {
      const pool = open({ entry: new URL('./native-worker.ts', import.meta.url), maxRunMs: 20 + time });
      expect((await refusal(run(pool, 'sign'))).code).toBe('too_large');
    }
  });

  it('that leaves much behind is answered, and the next has a worker of its own', async () => {
    const pool = open({ maxHeapMb: 600 });
    const [first, next, last] = [await run(pool, 'keep'), await run(pool, 'thread'), await run(pool, 'thread')];
    expect(next).not.toBe(first);
    expect(last).toBe(next);
  });

  it('is refused with code, sentence and details', async () => {
    const pool = open();
    expect(await refusal(run(pool, 'refuse'))).toMatchObject({
      code: 'fee_too_high',
      message: 'it pays too much',
      details: { field: 'psbt', retryAfterSeconds: 3 },
    });
    expect(await refusal(run(pool, 'no psbt'))).toMatchObject({
      code: 'invalid_psbt',
      message: 'the bytes end (input 3)',
      details: { field: 'psbt' },
    });
  });

  it('that fails says where, and nothing of what it was given', async () => {
    const error = (await run(open(), 'defect', 'S3CRET').catch((thrown: unknown) => thrown)) as Error;
    expect(error).not.toBeInstanceOf(DomainError);
    expect(error.message).toBe('a computation failed: TypeError');
    expect(error.stack).toMatch(/odd-worker/);
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain('S3CRET');
  });

  it('that answers what cannot cross fails, and the next is done', async () => {
    const pool = open();
    await expect(run(pool, 'answer a function')).rejects.toThrow(/computation failed/);
    await expect(run(pool, 'echo', () => 1)).rejects.toThrow(/could not be cloned/);
    expect(await run(pool, 'echo', 1)).toBe(1);
  });

  it('hands over the memory it names', async () => {
    const key = Uint8Array.of(1, 2, 3);
    expect(await open().run({ name: 'echo', given: key }, { accountId: 'acc_a', transfer: [key] })).toEqual(
      Uint8Array.of(1, 2, 3),
    );
    expect(key.length).toBe(0);
  });

  it('sees nothing of the environment', async () => {
    expect(await run(open(), 'environment')).toEqual({});
  });
});

describe('a worker', () => {
  it('that dies refuses its job alone, and another does the next', async () => {
    const pool = open();
    const [died, next] = [refusal(run(pool, 'die')), run(pool, 'echo', 'next')];
    expect(await died).toMatchObject({ code: 'unavailable', details: { retryAfterSeconds: 1 } });
    expect(await next).toBe('next');
  });

  it('that takes too long is ended', async () => {
    const pool = open({ maxRunMs: 2_000 });
    const [hung, next] = [refusal(run(pool, 'hang')), run(pool, 'echo', 'next')];
    expect(await hung).toMatchObject({ code: 'too_large', message: expect.stringMatching(/longer .* 2 seconds/) });
    expect(await next).toBe('next');
  });

  it('that takes too much memory is ended', async () => {
    const pool = open();
    expect(await refusal(run(pool, 'grow'))).toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/memory/),
    });
    expect(await run(pool, 'echo', 'next')).toBe('next');
  });
});

describe('more than the workers can do', () => {
  it('is refused from a number on', async () => {
    const pool = open({ maxWaiting: 2 });
    const accepted = ['hang', 'echo', 'echo'].map((name) => run(pool, name).catch((error: unknown) => error));
    expect(await refusal(run(pool, 'echo'))).toMatchObject({ code: 'unavailable', details: { retryAfterSeconds: 5 } });
    await pool.close(0);
    for (const error of await Promise.all(accepted))
      expect(error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/closing/) });
  });

  it('keeps no other account waiting for more than one job', async () => {
    const pool = open({ maxWaiting: 40 });
    const done: string[] = [];
    const flood = Array.from({ length: 40 }, (_, at) => run(pool, 'echo', at).then(() => done.push('flood')));
    const other = pool.run({ name: 'echo', given: null }, { accountId: 'acc_b' }).then(() => done.push('other'));
    await Promise.all([...flood, other]);
    expect(done.indexOf('other')).toBeLessThanOrEqual(1);
  });

  it('and is given up leaves, and what is under way for nobody is ended', async () => {
    const pool = open();
    const given = new AbortController();
    const whose = { accountId: 'acc_a', signal: given.signal };
    const hung = pool.run({ name: 'hang', given: null }, whose).catch((error: unknown) => error);
    const waits = pool.run({ name: 'echo', given: null }, whose).catch((error: unknown) => error);
    const next = run(pool, 'echo', 'next');
    given.abort('not wanted');
    expect(await Promise.all([hung, waits])).toEqual(['not wanted', 'not wanted']);
    expect(await next).toBe('next');
  });

  it('waits for a time', async () => {
    const pool = open({ maxWaitMs: 10 });
    const hung = run(pool, 'hang').catch((error: unknown) => error);
    expect(await refusal(run(pool, 'echo'))).toMatchObject({ code: 'unavailable', details: { retryAfterSeconds: 5 } });
    await pool.close(0);
    await hung;
  });
});

describe('a part of long work', () => {
  const part = (pool: WorkerPool, name: string, given: unknown = null, signal?: AbortSignal) =>
    pool.runPart({ name, given }, { accountId: 'acc_a', signal });

  /** The first part has the worker while the others come; names in the order in which they were done. */
  async function orderOf(patienceMs: number): Promise<string[]> {
    const pool = open({ patienceMs });
    const done: string[] = [];
    const note = (name: string) => () => done.push(name);
    await Promise.all([
      ...['part 0', 'part 1', 'part 2'].map((name) => part(pool, 'echo', name).then(note(name))),
      ...['request 0', 'request 1'].map((name) => run(pool, 'echo', name).then(note(name))),
    ]);
    return done;
  }

  it('says how long it took', async () => {
    const { made, tookMs } = await part(open(), 'echo', 5);
    expect(made).toBe(5);
    expect(tookMs).toBeGreaterThanOrEqual(0);
  });

  it('goes behind what requests wait for', async () => {
    expect(await orderOf(60_000)).toEqual(['part 0', 'request 0', 'request 1', 'part 1', 'part 2']);
  });

  it('takes every other turn once it has waited for long', async () => {
    expect(await orderOf(-1)).toEqual(['part 0', 'request 0', 'part 1', 'request 1', 'part 2']);
  });

  it('is not refused for the number of those that wait, nor for their time, and takes no place from requests', async () => {
    const pool = open({ maxWaiting: 1, maxWaitMs: 1 });
    const parts = Array.from({ length: 40 }, (_, at) => part(pool, 'echo', at));
    const all = await Promise.all(parts);
    expect(all.map(({ made }) => made)).toEqual(Array.from({ length: 40 }, (_, at) => at));
    const hung = part(pool, 'hang').catch((error: unknown) => error);
    const waits = part(pool, 'echo').catch((error: unknown) => error);
    // The one place of a request is free: it is refused for its time, which is over, not for the parts.
    expect(await refusal(run(pool, 'echo'))).toMatchObject({ code: 'unavailable' });
    await pool.close(0);
    for (const error of await Promise.all([hung, waits])) expect(error).toMatchObject({ message: /closing/ });
  });

  it('leaves when its signal says so, waiting or under way', async () => {
    const pool = open();
    const [first, second] = [new AbortController(), new AbortController()];
    const under = part(pool, 'echo', 'under way', first.signal).catch((error: unknown) => error);
    const waits = part(pool, 'echo', 'waits', second.signal).catch((error: unknown) => error);
    const next = part(pool, 'echo', 'next');
    second.abort('not wanted');
    first.abort('no longer');
    expect(await Promise.all([under, waits])).toEqual(['no longer', 'not wanted']);
    expect((await next).made).toBe('next');
    await expect(part(pool, 'echo', 0, AbortSignal.abort('never'))).rejects.toBe('never');
  });

  it('is refused as others are', async () => {
    const pool = open();
    await refusal(part(pool, 'refuse'));
    expect(await refusal(part(pool, 'die'))).toMatchObject({ code: 'unavailable' });
    expect((await part(pool, 'echo', 'next')).made).toBe('next');
    await pool.close(0);
    expect(await refusal(part(pool, 'echo'))).toMatchObject({ code: 'unavailable' });
  });
});

describe('closing', () => {
  it('lets end what is under way, and refuses the rest', async () => {
    const pool = open();
    const [under, waits] = [run(pool, 'echo', 'under way'), refusal(run(pool, 'echo'))];
    const closing = pool.close(60_000);
    expect(await waits).toMatchObject({ code: 'unavailable' });
    expect(await under).toBe('under way');
    await closing;
    expect(await refusal(run(pool, 'echo'))).toMatchObject({ code: 'unavailable' });
  });
});

describe('a worker that takes long to load', () => {
  it('is waited for: its job has all of its time', async () => {
    const pool = open({ entry: new URL('./slow-worker.ts', import.meta.url), maxRunMs: 300 });
    expect(await pool.run({ name: 'echo', given: 1 }, { accountId: 'one' })).toBe(1);
  });
});
