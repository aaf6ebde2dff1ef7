/** What goes wrong between a contract's making and its funding: a signature that is none, coins that somebody else takes. Nothing is sent then. */
import { expect, it } from 'vitest';
import { coinHoldOf } from '../../../src/core/dlc/coin-hold.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import { type AdaptorWork, createAdaptorWork } from '../../../src/services/contracts/signing/adaptor-work.ts';
import { spoiltCase } from '../../builders/external-party.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

const ELSEWHERE = 'ee'.repeat(32) as Txid;

async function making(
  faulty: (good: AdaptorWork, c: Awaited<ReturnType<typeof openContracts>>) => Partial<AdaptorWork>,
) {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC]);
  const { randomBytes } = c.ground;
  const good = createAdaptorWork({ computing: computeHere({ network: 'regtest', randomBytes }), randomBytes });
  const { contracts } = c.reopen({ cets: { ...good, ...faulty(good, c) } });
  const { contractId } = await contracts.create(c.terms(wallet), c.context());
  return { c, made: await c.get(contractId) };
}

it.each([
  ['accepter', 1],
  ['offerer', 2],
])('a contract is not funded on an adaptor signature by the %s that is none', async (_side, nth) => {
  let signed = 0;
  const { c, made } = await making((good) => ({
    async signAllCets(work) {
      const signatures = await good.signAllCets(work);
      return ++signed === nth ? spoiltCase(signatures, 1) : signatures;
    },
  }));
  expect(signed).toBeGreaterThanOrEqual(nth);
  expect(['offered', 'accepted', 'failed']).toContain(made.status);
  expect(await c.mempool()).toEqual([]);
});

it('a contract whose coin goes elsewhere before it is signed fails, and funds nothing', async () => {
  let verified = 0;
  const { c, made } = await making((good, { store, accountId }) => ({
    async verifyAllCets(work) {
      const verdict = await good.verifyAllCets(work);
      if (++verified === 2) {
        const [contract] = (await store.read.contracts.list(accountId, {}, { limit: 1, offset: 0 })).data;
        const { txid, vout } = contract!.offerSide!.inputs[0]!;
        await store.write((tx) =>
          tx.coins.claim(accountId, [{ txid, vout }], ELSEWHERE, [coinHoldOf(contract!.contractId)]),
        );
      }
      return verdict;
    },
  }));
  expect(made).toMatchObject({ status: 'failed', reason: expect.stringContaining('went elsewhere') });
  expect(await c.mempool()).toEqual([]);
});
