/** Whoever passes an offer on may change it and keep its temporary id: the copy does not keep the honest one out. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { serializeSign } from '../../../src/core/dlc/messages/sign.ts';
import type { Json } from '../../builders/app.ts';
import { type ContractParties, openContractParties } from '../../builders/contract-parties.ts';
import { coinTossInfo, type TestParty, testOffer } from '../../builders/dlc-messages.ts';
import { testOracle } from '../../builders/dlc-oracle.ts';
import { asHex, externalParty, signatureOf } from '../../builders/external-party.ts';

const COLLATERAL = 2_000_000n;
let parties: ContractParties;
let stranger: TestParty;

beforeAll(async () => {
  parties = await openContractParties();
  stranger = await externalParty(parties, 'who is impersonated', COLLATERAL / 2n);
});
afterAll(() => parties?.close());

it('a changed copy that is taken first leaves the honest offer to be taken and funded', async () => {
  const { offerer: us } = parties;
  const honest = testOffer({
    info: coinTossInfo(COLLATERAL),
    offerer: stranger,
    changed: { refundLocktime: 1_900_000_000 },
  });
  const send = (offer: typeof honest): Promise<Json> =>
    us.make('POST', '/api/v1/dlc/offers', {
      message: asHex(serializeOffer(offer, 'tagged')),
      accept_oracles: [asHex(testOracle('toss').publicKey)],
    });
  const changed = await send({ ...honest, feeRateSatVb: 3n });
  const taken = await send(honest);
  expect(taken).toMatchObject({ status: 'offered', temporary_contract_id: changed.temporary_contract_id });
  expect(taken.contract_id).not.toBe(changed.contract_id);
  expect((await send(honest)).contract_id).toBe(taken.contract_id);

  const at = (step: string) => `/api/v1/dlc/contracts/${taken.contract_id}/${step}`;
  const { messages } = await us.make('POST', at('accept'));
  const sign = serializeSign(signatureOf(honest, messages.accept, stranger), 'tagged');
  expect(await us.make('POST', at('sign'), { message: asHex(sign) })).toMatchObject({ status: 'funded' });
});
