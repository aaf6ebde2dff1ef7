import { expect, it } from 'vitest';
import { calibrated, measured } from '../../builders/worst/thread-cpu.ts';
import { openPayments } from './payments-setup.ts';

const TRIES = 5;

it('a payment of hundreds of inputs holds the serving thread for 20 ms at the most', async () => {
  const p = await openPayments();
  const wallet = await p.newWallet();
  await p.fund(
    wallet,
    Array.from({ length: 300 }, () => 100_000n),
  );
  let best = Number.POSITIVE_INFINITY;
  for (let times = 0; times < TRIES && best > 1; times++) {
    const { made, longestMs } = await measured(() =>
      p.transactions.create(p.pay(wallet, 'max'), { dryRun: true }, p.context()),
    );
    expect(made.inputCount).toBe(300);
    best = Math.min(best, longestMs / calibrated());
  }
  expect(best).toBeLessThanOrEqual(1);
});
