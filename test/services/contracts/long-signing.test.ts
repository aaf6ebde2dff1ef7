/** However many contracts are being signed, and however long that takes, the others go on. */
import { expect, it, vi } from 'vitest';
import type { AdaptorWork } from '../../../src/services/contracts/signing/adaptor-work.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

/** However busy the machine is. */
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 5 });

/** Signs until it is told to stop. */
function endless() {
  const begun = { count: 0 };
  const wait = ({ signal }: { signal?: AbortSignal | undefined }): Promise<never> => {
    begun.count++;
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  };
  const cets: AdaptorWork = {
    sharedPoint: async () => null,
    signAllCets: wait,
    verifyAllCets: wait,
    settle: wait,
    cetDeciding: wait,
    learn: wait,
  };
  return { cets, begun };
}

it('contracts that are due are taken on while others are signed without end', async () => {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC, BTC, BTC, BTC, BTC]);
  const { height } = await c.chain.info();
  const due = await c.confirmed(wallet, { refundLocktime: height + 3 });
  const first = c.reopen({ cets: endless().cets, answerMs: 1 });
  for (let n = 0; n < 4; n++) await first.contracts.create(c.terms(wallet), c.context());
  await first.driver.stop();
  await c.mine(3);
  const { cets, begun } = endless();
  const { driver } = c.reopen({ cets });
  driver.start();
  await eventually(async () => expect((await c.get(due.contractId)).status).toBe('refunded'));
  // A few of one account at a time.
  await eventually(() => expect(begun.count).toBe(2));
  await driver.round();
  expect(begun.count).toBe(2);
});
