/** An announcement with more outcomes than can be answered at once is refused by their number. */
import { expect, it } from 'vitest';
import { serializeAnnouncement } from '../../../src/core/dlc/messages/announcement.ts';
import { enumEvent, testOracle } from '../../builders/dlc-oracle.ts';
import { openContracts } from '../contracts/contracts-setup.ts';

it('of 5,000 outcomes it is taken, of 5,001 not', async () => {
  const c = await openContracts();
  const keys = testOracle('prolix');
  await c.oracles.register({ name: 'prolix', publicKey: Buffer.from(keys.publicKey).toString('hex') }, c.context());
  const add = (count: number) => {
    const outcomes = Array.from({ length: count }, (_, at) => `${at}`);
    const announcement = keys.announce(enumEvent(...outcomes), `of ${count}`);
    return c.oracles.addAnnouncement(serializeAnnouncement(announcement), c.context());
  };
  expect((await add(5_000)).eventId).toBe('of 5000');
  await expect(add(5_001)).rejects.toMatchObject({
    code: 'invalid_message',
    message: 'it has 5001 outcomes, and 5000 are taken at most',
    details: { field: 'announcement' },
  });
});
