import { expect, it } from 'vitest';
import { leastHeld, measured } from '../../builders/worst/thread-cpu.ts';
import { openPayments } from './payments-setup.ts';

it('a payment of hundreds of inputs holds the serving thread for 20 ms at the most', async () => {
  const p = await openPayments();
  const wallet = await p.newWallet();
  await p.fund(
    wallet,
    Array.from({ length: 300 }, () => 100_000n),
  );
  const draft = () => p.transactions.create(p.pay(wallet, 'max'), { dryRun: true }, p.context());
  const { made, ratio, said } = await leastHeld(() => measured(draft));
  expect(made.inputCount).toBe(300);
  expect(ratio, said).toBeLessThanOrEqual(1);
});
