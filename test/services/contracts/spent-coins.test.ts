/** An offerer whose one coin is in several offers: once it funds a contract, nothing more of ours is signed for the others. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { serializeSign } from '../../../src/core/dlc/messages/sign.ts';
import type { Json } from '../../builders/app.ts';
import { type ContractParties, openContractParties } from '../../builders/contract-parties.ts';
import { coinTossInfo, testOffer } from '../../builders/dlc-messages.ts';
import { testOracle } from '../../builders/dlc-oracle.ts';
import { asHex, externalParty, signatureOf } from '../../builders/external-party.ts';

const COLLATERAL = 2_000_000n;
let parties: ContractParties;

beforeAll(async () => {
  parties = await openContractParties();
});
afterAll(() => parties?.close());

it('a coin that is spent since the offer is found out before our accept message, and before our witnesses', async () => {
  const us = parties.offerer;
  const stranger = await externalParty(parties, 'of one coin', COLLATERAL / 2n);
  const offers = [1, 2, 3].map((temporary) =>
    testOffer({
      info: coinTossInfo(COLLATERAL),
      offerer: stranger,
      changed: { refundLocktime: 1_900_000_000, temporaryContractId: new Uint8Array(32).fill(temporary) },
    }),
  );
  const taken: Json[] = [];
  for (const offer of offers) {
    taken.push(
      await us.make('POST', '/api/v1/dlc/offers', {
        message: asHex(serializeOffer(offer, 'tagged')),
        accept_oracles: [asHex(testOracle('toss').publicKey)],
      }),
    );
  }
  const path = (at: number, step: string) => `/api/v1/dlc/contracts/${taken[at]!.contract_id}/${step}`;
  const signs: string[] = [];
  for (const at of [0, 1]) {
    const { messages } = await us.make('POST', path(at, 'accept'));
    signs.push(asHex(serializeSign(signatureOf(offers[at]!, messages.accept, stranger), 'tagged')));
  }
  await us.make('POST', path(0, 'sign'), { message: signs[0] });
  await us.until(taken[0]!.contract_id, ({ status }) => status === 'funded');

  for (const [at, step, body, stays] of [
    [1, 'sign', { message: signs[1] }, 'accepted'],
    [2, 'accept', undefined, 'offered'],
  ] as const) {
    const heldBefore = await us.locked();
    const answer = await us.ask('POST', path(at, step), body);
    expect([answer.status, answer.body.error?.details.code], answer.text).toEqual([422, 'contract_refused']);
    expect(answer.body.error.message).toMatch(/^funding_input_unspent: the offer's funding input 0: .* is spent/);
    expect(await us.contract(taken[at]!.contract_id)).toMatchObject({ status: stays, funding_txid: null });
    expect(await us.locked()).toBe(heldBefore);
  }
});
