import { expect, it } from 'vitest';
import { createSharedYielder } from '../../src/scheduling/yielder.ts';

it('those that take turns go on one after another: of long steps one in a turn of the event loop, of short ones many', async () => {
  const steps = async (count: number, ms: number): Promise<number[]> => {
    const turn = createSharedYielder(5);
    const inTurns: number[] = [0];
    const look = (): void => void (inTurns.push(0) < 1_000 && setImmediate(look));
    setImmediate(look);
    const step = async () => {
      await turn();
      // What is read in the same turn is there after some microtasks.
      for (let at = 0; at < 20; at++) await null;
      for (const until = performance.now() + ms; performance.now() < until; );
      inTurns[inTurns.length - 1]!++;
    };
    await Promise.all(Array.from({ length: count }, step));
    return inTurns.filter((made) => made > 0);
  };
  expect(await steps(8, 6)).toEqual(Array(8).fill(1));
  expect((await steps(50, 0)).length).toBeLessThan(25);
});
