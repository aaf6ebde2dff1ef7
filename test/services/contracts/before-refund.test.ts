/** Before the collateral goes back the oracles are asked once more: what one has decided settles the contract all the same. */
import { expect, it } from 'vitest';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

it('an outcome that the oracle had committed, and nobody was told of, goes before the refund', async () => {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC]);
  const { height } = await c.chain.info();
  const made = await c.confirmed(wallet, { refundLocktime: height + 3 });
  const [oracleId, eventId] = [made.oracleIds[0]!, made.eventIds[0]!];
  // As where the process ended between committing and signing.
  await c.store.write((tx) =>
    tx.oracleEvents.commitOutcome({ accountId: c.accountId, oracleId, eventId }, '["no"]', Date.now()),
  );
  expect(await c.oracles.attestationsOf(c.accountId, oracleId, eventId)).toEqual([]);
  await c.mine(5);
  await c.driver.round();
  const settled = await c.get(made.contractId);
  expect(settled).toMatchObject({ status: 'executed', closingKind: 'cet', outcome: 'no' });
  expect(await c.mempool()).toEqual([settled.closingTxid]);
});
