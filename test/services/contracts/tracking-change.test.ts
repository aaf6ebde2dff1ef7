/** The funding transaction's change is the wallet's own: to spend it settles no contract. */
import { expect, it } from 'vitest';
import { stranger } from '../ledger/world.ts';
import { BTC, trackedContract } from './tracked-contract.ts';

it('a contract stays as it is when the change of its funding transaction is spent', async () => {
  const one = await trackedContract();
  await one.commitFunding();
  await one.mineOnly(one.funding);
  // All of it but the 2-of-2 output of 201,000 satoshis and a fee of 500.
  const change = { txid: one.funding.txid, vout: 1, amountSats: BTC - 201_500n, change: true, index: 0 };
  const spend = one.keys.spend([change], [{ script: stranger.script, amountSats: BTC - 300_000n }]);
  await one.send(spend);
  expect(await one.contract()).toMatchObject({ status: 'confirmed', closingTxid: null });
  await one.mine();
  expect(await one.contract()).toMatchObject({ status: 'confirmed', closingTxid: null });
  expect(await one.story()).toEqual(['confirmed']);
});
