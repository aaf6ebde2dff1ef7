/** Beside the middle between two steps of the rounding, the other side signs CETs that pay it a step more. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signCets } from '../../../src/core/dlc/contract/sign-cets.ts';
import { serializeAccept } from '../../../src/core/dlc/messages/accept.ts';
import type { Json } from '../../builders/app.ts';
import { type ContractParties, openContractParties } from '../../builders/contract-parties.ts';
import type { TestParty } from '../../builders/dlc-messages.ts';
import { fixedBytes } from '../../builders/dlc-oracle.ts';
import { acceptanceOf, asHex, externalParty } from '../../builders/external-party.ts';

let parties: ContractParties;
let stranger: TestParty;

beforeAll(async () => {
  parties = await openContractParties();
  stranger = await externalParty(parties, 'who rounds for itself', 1_000_000n);
});
afterAll(() => parties?.close());

it('an accepter who rounds every outcome its way is refused; the honest one is taken', async () => {
  const { offerer: us } = parties;
  // In steps of 10,000 satoshis; each outcome is a satoshi above the middle between two, and rounded up.
  const points = ['0.00505001', '0.00705001', '0.00905001', '0.01105001'];
  const offer: Json = await us.make('POST', '/api/v1/contracts', {
    type: 'dlc',
    oracle: 'local',
    collateral: '0.02000000',
    counterparty: { mode: 'remote' },
    descriptor: {
      digits: 2,
      unit: 'USD',
      precision: 0,
      payout_points: points.map((payout, outcome) => ({ outcome: String(outcome), payout })),
      rounding: [{ begin_interval: '0', rounding_mod: '0.0001' }],
    },
  });
  const { accept, contract } = acceptanceOf(offer.messages.offer, stranger);
  expect(contract.neighbourPayoutsOf(0)).toEqual([contract.caseAt(0).offerPayoutSats - 10_000n]);
  const skimming = {
    ...contract,
    cetHashOf: (at: number) => contract.cetHashPaying(contract.caseAt(at).offerPayoutSats - 10_000n),
  };
  const all = { from: 0, to: contract.caseCount };
  const skimmed = signCets(skimming, stranger.fundingPrivateKey, all, { randomBytes: fixedBytes });
  const taking = (cetAdaptorSignatures: Uint8Array) =>
    us.ask('POST', `/api/v1/dlc/contracts/${offer.contract_id}/accept`, {
      message: asHex(serializeAccept({ ...accept, cetAdaptorSignatures }, 'tagged')),
    });
  const refused = await taking(skimmed);
  expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringMatching(/^cet_adaptor_signature:/)]);
  const payouts = await us.make('GET', `/api/v1/dlc/contracts/${offer.contract_id}/payouts`);
  expect(payouts.events[0].rows[0]).toMatchObject({
    offer_payout: '0.00510000',
    least_offer_payout: '0.00509999',
    least_accept_payout: '0.01489999',
  });
  expect((await taking(accept.cetAdaptorSignatures)).status).toBe(200);
});
