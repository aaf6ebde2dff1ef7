/** The same on PostgreSQL: rows are held across accounts, and one job waits for another. */
import { expect, it, onTestFinished } from 'vitest';
import { withPostgres } from '../../builders/stores.ts';
import { trackedContract } from './tracked-contract.ts';

it('a contract on PostgreSQL is funded, settled, reorganized and closed, while somebody else moves it, too', async () => {
  const postgres = await withPostgres();
  onTestFinished(() => postgres.stop());
  const store = await postgres.openStore();
  try {
    const one = await trackedContract({ store });
    await one.commitFunding({ raw: null });
    await one.mineOnly(one.funding);
    await one.commitClosing(one.cets.yes, 'cet', { closingKind: 'cet', outcome: 'yes' });
    // Whoever holds the contract writes what the chain does not say; the ledger waits, and neither loses what the other wrote.
    const { promise: holding, resolve: isHeld } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const held = store.write(async (tx) => {
      const contract = await tx.contracts.findForUpdate(one.accountId, 'ctr_tracked');
      isHeld();
      await released;
      await tx.contracts.update(one.accountId, 'ctr_tracked', { externalId: `was ${contract!.status}` });
    });
    await holding;
    const sent = one.send(one.cets.yes);
    await expect.poll(() => postgres.waiting()).toBeGreaterThan(0);
    release();
    await Promise.all([held, sent]);
    expect(await one.contract()).toMatchObject({ status: 'executed', outcome: 'yes', externalId: 'was confirmed' });
    await one.mine();
    await one.world.chain.reorganize(1, { include: [one.refund.raw] });
    await one.world.settle();
    expect(await one.contract()).toMatchObject({ status: 'closed', closingKind: 'refund', outcome: null });
    expect(await one.story()).toEqual(['confirmed', 'executed yes', 'closed yes', '-executed yes', '-closed']);
    await one.world.stop();
  } finally {
    await store.close();
  }
});
