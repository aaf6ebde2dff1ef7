import { describe, expect, it } from 'vitest';
import { createEndOfTick } from '../../src/hooks/end-of-tick.ts';

describe('the end of a turn', () => {
  it('is one for all who wait in it, and another for those who come later', async () => {
    const endOfTurn = createEndOfTick();
    const [one, other] = [endOfTurn(), endOfTurn()];
    expect(one).toBe(other);
    let ended = false;
    void one.then(() => {
      ended = true;
    });
    await Promise.resolve();
    expect(ended).toBe(false);
    await one;
    expect(endOfTurn()).not.toBe(one);
  });
});
