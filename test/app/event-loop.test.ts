import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { watchEventLoop } from '../../src/app/event-loop.ts';

it('sees that turns of the event loop are long while they are, and that they are short again', async () => {
  const loop = watchEventLoop();
  try {
    expect(loop.delayMs()).toBe(0);
    while (loop.delayMs() < 50) {
      const until = performance.now() + 150;
      while (performance.now() < until);
      await turn();
    }
    while (loop.delayMs() >= 50) await sleep(20);
  } finally {
    loop.stop();
  }
});
