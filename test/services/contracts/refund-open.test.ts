/** Whoever accepts when the refund may be broadcast could have the outcome or the collateral back, as it turns out: no such contract is made. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serializeAccept } from '../../../src/core/dlc/messages/accept.ts';
import { type ContractParties, openContractParties } from '../../builders/contract-parties.ts';
import { acceptanceOf, aStranger, asHex } from '../../builders/contract-stranger.ts';

const COLLATERAL = 2_000_000n;
let parties: ContractParties;

beforeAll(async () => {
  parties = await openContractParties();
});
afterAll(() => parties?.close());

it('an accept message is taken a block before the refund is open, and not with it', async () => {
  const us = parties.offerer;
  const stranger = await aStranger(parties, 'in no hurry', COLLATERAL / 2n);
  const { height } = await parties.chain.info();
  const offering = async (refund_locktime: number) => {
    const offer = await us.make('POST', '/api/v1/contracts', {
      type: 'dlc',
      oracle: 'local',
      outcomes: ['heads', 'tails'],
      collateral: '0.02000000',
      counterparty: { mode: 'remote' },
      refund_locktime,
    });
    const { accept } = acceptanceOf(offer.messages.offer, stranger);
    return { offer, message: asHex(serializeAccept(accept, 'tagged')) };
  };
  const [open, locked] = [await offering(height + 3), await offering(height + 4)];
  await parties.mine(3);
  const taking = ({ offer, message }: typeof open) =>
    us.ask('POST', `/api/v1/dlc/contracts/${offer.contract_id}/accept`, { message });

  const refused = await taking(open);
  expect([refused.status, refused.body.error?.details.code], refused.text).toEqual([422, 'contract_refused']);
  expect(refused.body.error.message).toMatch(/^locktimes: the refund's \d+ is past/);
  expect(await us.contract(open.offer.contract_id)).toMatchObject({ status: 'offered', dlc_contract_id: null });

  const taken = await taking(locked);
  expect([taken.status, taken.body.status], taken.text).toEqual([200, 'signed']);
});
