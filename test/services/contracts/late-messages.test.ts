/**
 * Whoever answers only when the outcome is known bets on what has happened, and whoever does when the refund is open has a choice: nothing of
 * ours is signed then. The driver ends such contracts (unanswered.test.ts); here it is not going, as where it has not come so far.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serializeAccept } from '../../../src/core/dlc/messages/accept.ts';
import { serializeAttestation } from '../../../src/core/dlc/messages/attestation.ts';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { serializeSign } from '../../../src/core/dlc/messages/sign.ts';
import { type ContractParties, type ContractParty, openContractParties } from '../../builders/contract-parties.ts';
import { enumeratedInfo, oracleInfo, testOffer } from '../../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../../builders/dlc-oracle.ts';
import { acceptanceOf, aMiner, asHex, externalParty, signatureOf } from '../../builders/external-party.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

const COLLATERAL = 2_000_000n;
const LATER = 1_900_000_000;
const oracle = testOracle('late');
const key = asHex(oracle.publicKey);
const expectLate = (answer: Promise<unknown>, check = /^attested: oracle ora_/) =>
  expect(answer).rejects.toMatchObject({ code: 'contract_refused', message: expect.stringMatching(check) });

async function world() {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC, BTC]);
  return { c, wallet, stranger: await aMiner(c, 'late', COLLATERAL / 2n) };
}

describe('a message that comes when the oracle has attested', () => {
  it('is taken no more: neither our accept message is made nor their sign message taken', async () => {
    const { c, wallet, stranger } = await world();
    const announcement = oracle.announce(enumEvent('heads', 'tails'), 'their event');
    const payouts = { heads: COLLATERAL, tails: 0n };
    const offerOf = (temporary: number) =>
      testOffer({
        info: enumeratedInfo(COLLATERAL, payouts, oracleInfo([announcement])),
        offerer: stranger,
        changed: { refundLocktime: LATER, temporaryContractId: new Uint8Array(32).fill(temporary) },
      });
    const offering = (temporary: number) => {
      const message = serializeOffer(offerOf(temporary), 'tagged');
      return c.contracts.receiveOffer({ message, acceptOracles: [key] }, c.context());
    };
    const [early, late] = [await offering(1), await offering(2)];
    const { messages } = await c.contracts.accept(early.contractId, {}, c.context());
    const sign = signatureOf(offerOf(1), asHex(messages.accept!), stranger);
    await c.oracles.addAttestation(serializeAttestation(oracle.attest(announcement, ['heads'])), c.context());

    const message = serializeSign(sign, 'tagged');
    await expectLate(c.contracts.sign(early.contractId, { message }, c.context()));
    await expectLate(c.contracts.accept(late.contractId, {}, c.context()));
    expect(await c.get(early.contractId)).toMatchObject({ status: 'accepted' });
    expect(await c.mempool()).toEqual([]);
    await c.driver.round();
    for (const { contractId } of [early, late]) expect((await c.get(contractId)).status).toBe('cancelled');
    expect((await c.balance(wallet)).lockedSats).toBe(0n);
  });

  it('is taken no more where it accepts an offer of ours', async () => {
    const { c, wallet, stranger } = await world();
    const terms = { collateralSats: COLLATERAL, counterparty: { mode: 'remote' } } as const;
    const { contractId, messages, oracleIds, eventIds } = await c.create(wallet, terms);
    await c.oracles.attest({ oracle: oracleIds[0]!, eventId: eventIds[0]!, outcome: 'no' }, c.context());
    const { accept } = acceptanceOf(asHex(messages.offer!), stranger);
    const message = serializeAccept(accept, 'tagged');
    await expectLate(c.contracts.accept(contractId, { message }, c.context()));
    expect(await c.get(contractId)).toMatchObject({ status: 'offered', dlcContractId: null });
  });

  it('is not answered any more where it was taken before, and signing it was interrupted', async () => {
    const { c, wallet, stranger } = await world();
    const terms = { collateralSats: COLLATERAL, counterparty: { mode: 'remote' } } as const;
    const offer = await c.create(wallet, terms);
    const { contractId, accountId, oracleIds, eventIds } = offer;
    const { accept } = acceptanceOf(asHex(offer.messages.offer!), stranger);
    await c.store.write(async (tx) => {
      await tx.contracts.putMessage(accountId, contractId, 'accept', serializeAccept(accept, 'tagged'));
      await tx.contracts.update(accountId, contractId, { status: 'accepted' });
    });
    await c.oracles.attest({ oracle: oracleIds[0]!, eventId: eventIds[0]!, outcome: 'no' }, c.context());
    await c.driver.advance(offer);
    const ended = await c.get(contractId);
    expect(ended).toMatchObject({ status: 'cancelled', reason: expect.stringMatching(/has attested event/) });
    expect(ended.messages.sign).toBeUndefined();
    expect((await c.balance(wallet)).lockedSats).toBe(0n);
  });
});

it('an accept message is taken a block before the refund is open, and not with it', async () => {
  const { c, wallet, stranger } = await world();
  const { height } = await c.chain.info();
  const offering = async (refundLocktime: number) => {
    const terms = { collateralSats: COLLATERAL, counterparty: { mode: 'remote' }, refundLocktime } as const;
    const { contractId, messages } = await c.create(wallet, terms);
    const { accept } = acceptanceOf(asHex(messages.offer!), stranger);
    return { contractId, message: serializeAccept(accept, 'tagged') };
  };
  const [open, locked] = [await offering(height + 3), await offering(height + 4)];
  await c.mine(3);
  const taking = ({ contractId, message }: typeof open) => c.contracts.accept(contractId, { message }, c.context());
  await expectLate(taking(open), /^locktimes: the refund's \d+ is past/);
  expect(await c.get(open.contractId)).toMatchObject({ status: 'offered', dlcContractId: null });
  expect((await taking(locked)).status).toBe('signed');
});

describe('an offer that brings a coin of ours', () => {
  let parties: ContractParties;
  let us: ContractParty;
  beforeAll(async () => {
    parties = await openContractParties();
    us = parties.offerer;
  });
  afterAll(() => parties?.close());

  it('is not accepted with that very coin', async () => {
    // Any of the wallet's coins may be chosen: the offer brings them all, as far as they go.
    const stranger = await externalParty(parties, 'a borrower', 1_000n);
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
      changed: { refundLocktime: LATER },
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
