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
    ...options,
  });
  pools.push(pool);
  return pool;
}

const run = (pool: WorkerPool, name: string, given: unknown = null) => pool.run({ name, given }, []);
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
    expect(await open().run({ name: 'echo', given: key }, [key.buffer])).toEqual(Uint8Array.of(1, 2, 3));
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
    const pool = open({ maxRunMs: 5_000 });
    const [hung, next] = [refusal(run(pool, 'hang')), run(pool, 'echo', 'next')];
    expect(await hung).toMatchObject({ code: 'too_large', message: expect.stringMatching(/longer .* 5 seconds/) });
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

  it('waits for a time', async () => {
    const pool = open({ maxWaitMs: 10 });
    const hung = run(pool, 'hang').catch((error: unknown) => error);
    expect(await refusal(run(pool, 'echo'))).toMatchObject({ code: 'unavailable', details: { retryAfterSeconds: 5 } });
    await pool.close(0);
    await hung;
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
