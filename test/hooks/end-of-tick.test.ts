import { describe, expect, it } from 'vitest';
import { createEndOfTick } from '../../src/hooks/end-of-tick.ts';

describe('the end of a turn', () => {
  it('is one for all who wait in it, and another for those who come later', async () => {
    const endOfTick = createEndOfTick();
    const [one, other] = [endOfTick(), endOfTick()];
    expect(one).toBe(other);
    let ended = false;
    void one.then(() => {
      ended = true;
    });
    await Promise.resolve();
    expect(ended).toBe(false);
    await one;
    expect(endOfTick()).not.toBe(one);
  });
});
