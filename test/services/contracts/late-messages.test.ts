/** Whoever answers only when the outcome is known bets on what has happened: nothing of ours is signed then. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serializeAccept } from '../../../src/core/dlc/messages/accept.ts';
import { serializeAttestation } from '../../../src/core/dlc/messages/attestation.ts';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { serializeSign } from '../../../src/core/dlc/messages/sign.ts';
import type { TestAnswer } from '../../builders/app.ts';
import { type ContractParties, type ContractParty, openContractParties } from '../../builders/contract-parties.ts';
import { acceptanceOf, aStranger, asHex, signatureOf } from '../../builders/contract-stranger.ts';
import { enumeratedInfo, oracleInfo, testOffer } from '../../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../../builders/dlc-oracle.ts';

const COLLATERAL = 2_000_000n;
const oracle = testOracle('late');
const key = asHex(oracle.publicKey);
let parties: ContractParties;
let us: ContractParty;

beforeAll(async () => {
  parties = await openContractParties();
  us = parties.offerer;
});
afterAll(() => parties?.close());

function expectLate(answer: TestAnswer): void {
  expect([answer.status, answer.body.error?.details.code], answer.text).toEqual([422, 'contract_refused']);
  expect(answer.body.error.message).toMatch(/^attested: /);
}

describe('a message that comes when the oracle has attested', () => {
  it('is taken no more: neither our accept message is made nor their sign message taken', async () => {
    const stranger = await aStranger(parties, 'a late offerer', COLLATERAL / 2n);
    const announcement = oracle.announce(enumEvent('heads', 'tails'), 'their event');
    const payouts = { heads: COLLATERAL, tails: 0n };
    const offerOf = (temporary: number) =>
      testOffer({
        info: enumeratedInfo(COLLATERAL, payouts, oracleInfo([announcement])),
        offerer: stranger,
        changed: { refundLocktime: 1_900_000_000, temporaryContractId: new Uint8Array(32).fill(temporary) },
      });
    const offering = (temporary: number) =>
      us.make('POST', '/api/v1/dlc/offers', {
        message: asHex(serializeOffer(offerOf(temporary), 'tagged')),
        accept_oracles: [key],
      });
    const [early, late] = [await offering(1), await offering(2)];
    const { messages } = await us.make('POST', `/api/v1/dlc/contracts/${early.contract_id}/accept`);
    const sign = signatureOf(offerOf(1), messages.accept, stranger);
    const attestation = asHex(serializeAttestation(oracle.attest(announcement, ['heads'])));
    await us.make('POST', '/api/v1/dlc/attestations', { attestation });

    const message = asHex(serializeSign(sign, 'tagged'));
    expectLate(await us.ask('POST', `/api/v1/dlc/contracts/${early.contract_id}/sign`, { message }));
    expectLate(await us.ask('POST', `/api/v1/dlc/contracts/${late.contract_id}/accept`));
    expect(await us.contract(early.contract_id)).toMatchObject({ status: 'accepted', funding_txid: null });
    await us.make('POST', `/api/v1/dlc/contracts/${early.contract_id}/cancel`);
    expect(await us.locked()).toBe('0.00000000');
  });

  it('is taken no more where it accepts an offer of ours', async () => {
    const stranger = await aStranger(parties, 'a late accepter', COLLATERAL / 2n);
    const offer = await us.make('POST', '/api/v1/contracts', {
      type: 'dlc',
      oracle: 'local',
      outcomes: ['heads', 'tails'],
      collateral: '0.02000000',
      counterparty: { mode: 'remote' },
    });
    const event = { oracle: 'local', event_id: offer.event_id ?? offer.event_ids[0], outcome: 'tails' };
    await us.make('POST', '/api/v1/dlc/attestations', event);
    const { accept } = acceptanceOf(offer.messages.offer, stranger);
    const message = asHex(serializeAccept(accept, 'tagged'));
    expectLate(await us.ask('POST', `/api/v1/dlc/contracts/${offer.contract_id}/accept`, { message }));
    expect(await us.contract(offer.contract_id)).toMatchObject({ status: 'offered', dlc_contract_id: null });
  });
});

describe('an offer that brings a coin of ours', () => {
  it('is not accepted with that very coin', async () => {
    // Any of the wallet's coins may be chosen: the offer brings them all, as far as they go.
    const stranger = await aStranger(parties, 'a borrower', 1_000n);
    const { data } = await us.make('GET', `/api/v1/wallets/${us.walletId}/utxos?limit=100`);
    const [input] = stranger.party.fundingInputs;
    const fundingInputs = await Promise.all(
      (data as { txid: string; vout: number; locked: boolean }[]).map(async ({ txid, vout }, at) => {
        const { transaction } = await us.make('GET', `/api/v1/bitcoin/transactions/${txid}`);
        const previousTransaction = Uint8Array.from(Buffer.from(transaction, 'hex'));
        return { ...input!, serialId: BigInt(at + 1), previousTransaction, previousVout: vout };
      }),
    );
    const announcement = oracle.announce(enumEvent('heads', 'tails'), 'another event');
    const offer = testOffer({
      info: enumeratedInfo(COLLATERAL, { heads: COLLATERAL, tails: 0n }, oracleInfo([announcement])),
      offerer: { ...stranger, party: { ...stranger.party, collateralSats: COLLATERAL / 2n, fundingInputs } },
      changed: { refundLocktime: 1_900_000_000 },
    });
    const taken = await us.make('POST', '/api/v1/dlc/offers', {
      message: asHex(serializeOffer(offer, 'tagged')),
      accept_oracles: [key],
    });
    const heldBefore = await us.locked();
    const answer = await us.ask('POST', `/api/v1/dlc/contracts/${taken.contract_id}/accept`);
    expect([answer.status, answer.body.error?.details.code], answer.text).toEqual([422, 'contract_refused']);
    expect(answer.body.error.message).toMatch(/^duplicate_inputs: /);
    expect(await us.locked()).toBe(heldBefore);
    expect(await us.contract(taken.contract_id)).toMatchObject({ status: 'offered' });
  });
});
