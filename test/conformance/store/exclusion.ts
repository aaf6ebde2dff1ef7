import { expect, test } from 'vitest';
import type { StoreContext } from '../store.ts';

const never = new AbortController().signal;

function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

export function exclusionTests(context: StoreContext): void {
  test('work of one name runs one after another; another name does not wait', async () => {
    const { store } = context;
    const order: string[] = [];
    const [started, finish] = [gate(), gate()];
    const first = store.exclusively('follower', never, async () => {
      order.push('first begins');
      started.open();
      await finish.opened;
      order.push('first ends');
      return 1;
    });
    await started.opened;
    const second = store.exclusively('follower', never, async () => {
      order.push('second');
      return 2;
    });
    await store.exclusively('sequencer', never, async () => {
      order.push('sequencer');
    });
    finish.open();
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    expect(order).toEqual(['first begins', 'sequencer', 'first ends', 'second']);
  });

  test('work that fails frees its turn', async () => {
    const { store } = context;
    const failing = store.exclusively('follower', never, async () => {
      throw new Error('stopped');
    });
    await expect(failing).rejects.toThrow('stopped');
    expect(await store.exclusively('follower', never, async () => 'next')).toBe('next');
  });

  test('waiting ends when the signal aborts, and the next in line still gets its turn', async () => {
    const { store } = context;
    const [started, finish] = [gate(), gate()];
    const order: string[] = [];
    const holder = store.exclusively('follower', never, async () => {
      started.open();
      await finish.opened;
      order.push('holder ends');
    });
    await started.opened;
    const impatient = new AbortController();
    const waiting = store.exclusively('follower', impatient.signal, async () => expect.unreachable());
    const patient = store.exclusively('follower', never, async () => order.push('patient'));
    impatient.abort(new Error('shutting down'));
    await expect(waiting).rejects.toThrow('shutting down');
    // Other work gets through meanwhile; whoever waits for the holder does not.
    await store.exclusively('sequencer', never, async () => {});
    finish.open();
    await Promise.all([holder, patient]);
    expect(order).toEqual(['holder ends', 'patient']);
  });

  test('the work hears of the abort', async () => {
    const stop = new AbortController();
    const work = context.store.exclusively('follower', stop.signal, async (signal) => {
      queueMicrotask(() => stop.abort(new Error('stop')));
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return (signal.reason as Error).message;
    });
    expect(await work).toBe('stop');
  });
}
