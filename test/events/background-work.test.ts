import { describe, expect, it } from 'vitest';
import { createBackgroundWork } from '../../src/events/background-work.ts';

/** A store whose turns come at once, and work that does what the test says. */
function workOf(work: (attempt: number, signal: AbortSignal) => Promise<void>) {
  const warned: string[] = [];
  let attempts = 0;
  let subscribed = 0;
  const background = createBackgroundWork({
    store: { exclusively: (_, signal, run) => run(signal) },
    name: 'sequencer',
    subscribe: () => {
      subscribed++;
      return () => {
        subscribed--;
      };
    },
    work: (_, signal) => work(++attempts, signal),
    log: { info: () => undefined, warn: (_: unknown, message?: string) => void warned.push(message ?? '') },
    clock: Date.now,
    failure: 'it failed; trying again',
    success: 'it goes on',
  });
  return { background, warned, attempts: () => attempts, subscribed: () => subscribed };
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('background work', () => {
  it('begins again after a failure, and says so', async () => {
    const again = Promise.withResolvers<void>();
    const { background, warned } = workOf(async (attempt, signal) => {
      if (attempt === 1) throw new Error('the database went away');
      again.resolve();
      await aborted(signal);
    });
    background.start();
    await again.promise;
    await background.stop();
    expect(warned).toEqual(['it failed; trying again']);
  });

  it('runs once however often it is started, stops listening with its end, and can be started again', async () => {
    const { background, attempts, subscribed } = workOf((_, signal) => aborted(signal));
    background.start();
    background.start();
    expect([attempts(), subscribed()]).toEqual([1, 1]);
    await background.stop();
    expect(subscribed()).toBe(0);
    background.start();
    expect(attempts()).toBe(2);
    await background.stop();
  });

  it('is not a failure where it is stopped', async () => {
    const { background, warned } = workOf(async (_, signal) => {
      await aborted(signal);
      throw new Error('stopped in the middle');
    });
    background.start();
    await background.stop();
    expect(warned).toEqual([]);
  });
});
