/**
 * Whoever is at the other side wants our coins: every message wrong in one way is refused with the check that failed, and changes nothing;
 * the honest one is then taken after all.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AcceptMessage, OfferMessage, SignMessage } from '../../../src/core/dlc/dlc-messages.ts';
import { serializeAccept } from '../../../src/core/dlc/messages/accept.ts';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { serializeSign } from '../../../src/core/dlc/messages/sign.ts';
import type { Json, TestAnswer } from '../../builders/app.ts';
import { type ContractParties, type ContractParty, openContractParties } from '../../builders/contract-parties.ts';
import { coinTossInfo, enumeratedInfo, oracleInfo, type TestParty, testOffer } from '../../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../../builders/dlc-oracle.ts';
import {
  acceptanceOf,
  asHex,
  exchanged,
  externalParty,
  imaginedCoin,
  signatureOf,
  spentCoin,
  spoilt,
  spoiltCase,
} from '../../builders/external-party.ts';

const COLLATERAL = 2_000_000n;
const CASES = 3;

let parties: ContractParties;
let us: ContractParty;
let stranger: TestParty;

beforeAll(async () => {
  parties = await openContractParties();
  us = parties.offerer;
  stranger = await externalParty(parties, 'the stranger', COLLATERAL / 2n);
});
afterAll(() => parties?.close());

const at = (contract: Json, step: string): string => `/api/v1/dlc/contracts/${contract.contract_id}/${step}`;

/** Refused, naming the check. */
function expectRefused(answer: TestAnswer, check: RegExp, what: string): void {
  expect([answer.status, answer.body?.error?.details.code], `${what}: ${answer.text}`).toEqual([
    422,
    'contract_refused',
  ]);
  expect(answer.body.error.message, what).toMatch(check);
}

describe('an accept message of a hostile accepter', () => {
  let offer: Json;
  let honest: AcceptMessage;

  beforeAll(async () => {
    offer = await us.make('POST', '/api/v1/contracts', {
      type: 'dlc',
      oracle: 'local',
      outcomes: ['win', 'draw', 'lose'],
      collateral: '0.02000000',
      counterparty: { mode: 'remote' },
    });
    honest = acceptanceOf(offer.messages.offer, stranger).accept;
  });

  const taking = (message: AcceptMessage | string): Promise<TestAnswer> =>
    us.ask('POST', at(offer, 'accept'), {
      message: typeof message === 'string' ? message : asHex(serializeAccept(message, 'tagged')),
    });

  it('with any one adaptor signature wrong is refused, and names which', async () => {
    for (let index = 0; index < CASES; index++) {
      const cetAdaptorSignatures = spoiltCase(honest.cetAdaptorSignatures, index);
      const check = new RegExp(`^cet_adaptor_signature: in the accept message, number ${index}:`);
      expectRefused(await taking({ ...honest, cetAdaptorSignatures }), check, `signature ${index}`);
    }
  });

  it('with its signatures in another order is refused', async () => {
    for (const [one, other] of [
      [0, 2],
      [1, 2],
    ] as const) {
      const cetAdaptorSignatures = exchanged(honest.cetAdaptorSignatures, one, other);
      const check = new RegExp(`^cet_adaptor_signature: in the accept message, number ${one}:`);
      expectRefused(await taking({ ...honest, cetAdaptorSignatures }), check, `${one} and ${other}`);
    }
  });

  it('with signatures too few or too many is refused', async () => {
    const { cetAdaptorSignatures: all } = honest;
    const few = all.subarray(0, -162);
    const many = Buffer.concat([all, all.subarray(0, 162)]);
    for (const cetAdaptorSignatures of [few, many, new Uint8Array(0)]) {
      expectRefused(await taking({ ...honest, cetAdaptorSignatures }), /^adaptor_signature_count:/, 'a count');
    }
  });

  it('with a wrong signature of the refund is refused', async () => {
    const refundSignature = spoilt(honest.refundSignature, 10);
    expectRefused(await taking({ ...honest, refundSignature }), /^refund_signature:/, 'the refund');
  });

  it('that brings less than its side, or coins that are not there, is refused', async () => {
    const poor = { ...stranger, party: { ...stranger.party, collateralSats: stranger.party.collateralSats - 1n } };
    const short = { ...honest, party: poor.party };
    expectRefused(await taking(short), /^(collateral|transactions|accept_collateral)/, 'a smaller collateral');
    const dreamer = { ...stranger, party: { ...stranger.party, fundingInputs: [imaginedCoin('a dream', stranger)] } };
    const { accept } = acceptanceOf(offer.messages.offer, dreamer);
    expectRefused(await taking(accept), /^funding_input_unspent:/, 'a coin that nobody made');
  });

  it('for another offer, or that is no accept message, is refused', async () => {
    const temporaryContractId = spoilt(honest.temporaryContractId, 0);
    expectRefused(await taking({ ...honest, temporaryContractId }), /^temporary_contract_id:/, 'another offer');
    const bytes = asHex(serializeAccept(honest, 'tagged'));
    for (const wrong of [
      offer.messages.offer,
      `${bytes}00`,
      bytes.slice(0, -2),
      'a71c00000001',
      `a71c00000002${bytes.slice(12)}`,
    ]) {
      const answer = await taking(wrong);
      expect([answer.status, answer.body.error.details], wrong.slice(0, 20)).toMatchObject([
        400,
        { code: 'invalid_message', field: 'message' },
      ]);
    }
    expect((await taking('a7'.repeat(5 * 1024 * 1024))).status).toBe(413);
  });

  it('has changed nothing: the offer stands, the honest one is taken, once', async () => {
    expect(await us.contract(offer.contract_id)).toMatchObject({ status: 'offered', dlc_contract_id: null });
    const first = await taking(honest);
    expect([first.status, first.body.status], first.text).toEqual([200, 'signed']);
    const again = await taking(honest);
    expect(again.body.messages).toEqual(first.body.messages);
    const other = acceptanceOf(offer.messages.offer, {
      ...stranger,
      party: { ...stranger.party, payoutSerialId: stranger.party.payoutSerialId + 1n },
    }).accept;
    const replaced = await taking(other);
    expect([replaced.status, replaced.body.error.details.code]).toEqual([409, 'state_conflict']);
  });
});

describe('an offer of a hostile offerer', () => {
  const offering = (message: OfferMessage | string, named = [asHex(testOracle('toss').publicKey)]) =>
    us.ask('POST', '/api/v1/dlc/offers', {
      message: typeof message === 'string' ? message : asHex(serializeOffer(message, 'tagged')),
      accept_oracles: named,
    });
  const info = coinTossInfo(COLLATERAL);
  const honest = (changed: Partial<OfferMessage> = {}) =>
    testOffer({ info, offerer: stranger, changed: { refundLocktime: 1_900_000_000, ...changed } });
  const withParty = (party: Partial<TestParty['party']>): OfferMessage => {
    const offer = honest();
    return { ...offer, party: { ...offer.party, ...party } };
  };

  it('with a changed announcement is refused', async () => {
    const [contractCase] = info.cases;
    const announcement = testOracle('toss').announce(enumEvent('heads', 'tails', 'edge'), 'toss');
    const changed = [
      { ...announcement, signature: spoilt(announcement.signature, 5) },
      { ...announcement, event: { ...announcement.event, maturityEpoch: announcement.event.maturityEpoch + 1 } },
      { ...announcement, event: { ...announcement.event, nonces: [testOracle('another').publicKey] } },
    ];
    for (const [index, one] of changed.entries()) {
      const cases = [{ ...contractCase!, oracleInfo: oracleInfo([one]) }];
      const answer = await offering(honest({ contractInfo: { ...info, cases } }));
      expectRefused(answer, /^announcement_signature:/, `announcement ${index}`);
    }
  });

  it('that pays more than there is, or not by what the oracle attests, is refused', async () => {
    const oracles = info.cases[0]!.oracleInfo;
    for (const payouts of [
      { heads: COLLATERAL + 1n, tails: 0n, edge: 0n },
      { heads: COLLATERAL, tails: 0n },
      { heads: COLLATERAL, tails: 0n, rim: 0n },
    ]) {
      const answer = await offering(honest({ contractInfo: enumeratedInfo(COLLATERAL, payouts as never, oracles) }));
      expectRefused(answer, /^(contract_info|collateral)/, Object.keys(payouts).join());
    }
  });

  it('with fees, locktimes or a chain that cannot be is refused', async () => {
    expectRefused(await offering(honest({ feeRateSatVb: 0n })), /^fee_rate:/, 'no fee');
    expectRefused(await offering(honest({ feeRateSatVb: 1_000_000n })), /^fee_rate:/, 'all fee');
    expectRefused(await offering(honest({ refundLocktime: 1_000_000_000 })), /^locktimes:/, 'a refund at once');
    expectRefused(
      await offering(honest({ refundLocktime: 1_900_000_000, cetLocktime: 1_950_000_000 })),
      /^locktimes:/,
      'after the refund',
    );
    expectRefused(await offering(honest({ chainHash: new Uint8Array(32) })), /^chain_hash:/, 'another chain');
  });

  it('with coins that are not there, spent, or not enough is refused', async () => {
    const dream = withParty({ fundingInputs: [imaginedCoin('another dream', stranger)] });
    expectRefused(await offering(dream), /^funding_input_unspent:/, 'a coin that nobody made');
    const past = withParty({ fundingInputs: [await spentCoin(parties, stranger)] });
    expectRefused(await offering(past), /^funding_input_unspent:/, 'a coin of before');
    const [input] = stranger.party.fundingInputs;
    const twice = withParty({ fundingInputs: [input!, { ...input!, serialId: input!.serialId + 1n }] });
    expectRefused(await offering(twice), /^(duplicate_inputs|serial_ids)/, 'one coin twice');
    const nowhere = withParty({ fundingInputs: [{ ...input!, previousVout: 9 }] });
    expectRefused(await offering(nowhere), /^previous_transaction/, 'no such output');
    const poor = withParty({ fundingInputs: [] });
    expectRefused(await offering(poor), /^funding_amount/, 'no coin');
  });

  it('whose oracle nobody has accepted by name is refused, and names it', async () => {
    const answer = await offering(honest(), []);
    expectRefused(answer, /^oracles:/, 'the oracle');
    expect(answer.body.error.message).toContain(asHex(testOracle('toss').publicKey));
  });

  it('that is cut off, longer than it is, or not of this form is no message', async () => {
    const bytes = asHex(serializeOffer(honest(), 'tagged'));
    for (const wrong of [
      bytes.slice(0, 400),
      `${bytes}ff`,
      `a71c${bytes.slice(4)}`,
      'a71a',
      `${bytes.slice(0, 146)}feffffffff`,
    ]) {
      const answer = await offering(wrong);
      expect([answer.status, answer.body.error.details.code], wrong.slice(0, 40)).toEqual([400, 'invalid_message']);
    }
  });

  it('has left nothing behind', async () => {
    const { data } = await us.make('GET', '/api/v1/dlc/offers?role=accepter');
    expect(data).toEqual([]);
  });
});

describe('a sign message of a hostile offerer', () => {
  const info = coinTossInfo(COLLATERAL);
  let contract: Json;
  let offer: OfferMessage;
  let honest: SignMessage;
  let heldBefore: string;

  beforeAll(async () => {
    heldBefore = await us.locked();
    const offerer = await externalParty(parties, 'an offerer', COLLATERAL / 2n);
    offer = testOffer({ info, offerer, changed: { refundLocktime: 1_900_000_000 } });
    const message = asHex(serializeOffer(offer, 'tagged'));
    const body = { message, accept_oracles: [asHex(testOracle('toss').publicKey)] };
    contract = await us.make('POST', '/api/v1/dlc/offers', body);
    // Taken again it is the same offer.
    expect((await us.make('POST', '/api/v1/dlc/offers', body)).contract_id).toBe(contract.contract_id);
    expect(await us.locked()).toBe(heldBefore);
    const { messages } = await us.make('POST', at(contract, 'accept'));
    expect(await us.locked()).not.toBe(heldBefore);
    honest = signatureOf(offer, messages.accept, offerer);
  });

  const taking = (message: SignMessage): Promise<TestAnswer> =>
    us.ask('POST', at(contract, 'sign'), { message: asHex(serializeSign(message, 'tagged')) });

  it('with any one adaptor signature wrong is refused, and names which', async () => {
    for (let index = 0; index < CASES; index++) {
      const cetAdaptorSignatures = spoiltCase(honest.cetAdaptorSignatures, index);
      const check = new RegExp(`^cet_adaptor_signature: in the sign message, number ${index}:`);
      expectRefused(await taking({ ...honest, cetAdaptorSignatures }), check, `signature ${index}`);
    }
    const cetAdaptorSignatures = exchanged(honest.cetAdaptorSignatures, 0, 1);
    expectRefused(await taking({ ...honest, cetAdaptorSignatures }), /^cet_adaptor_signature:/, 'another order');
  });

  it('with a wrong refund signature, funding witness or contract id is refused', async () => {
    expectRefused(
      await taking({ ...honest, refundSignature: spoilt(honest.refundSignature, 3) }),
      /^refund_signature:/,
      'the refund',
    );
    const [[signature, key] = []] = honest.fundingSignatures as Uint8Array[][];
    for (const witness of [[spoilt(signature!, 20), key!], [signature!], [signature!, key!, key!]]) {
      expectRefused(await taking({ ...honest, fundingSignatures: [witness] }), /^funding_signature:/, 'the witness');
    }
    expectRefused(await taking({ ...honest, fundingSignatures: [] }), /^funding_signature_count:/, 'no witness');
    expectRefused(await taking({ ...honest, contractId: spoilt(honest.contractId, 1) }), /^contract_id:/, 'another id');
  });

  it('has changed nothing: our coins are not spent, and given up it holds none', async () => {
    expect(await us.contract(contract.contract_id)).toMatchObject({ status: 'accepted', funding_txid: null });
    await us.make('POST', at(contract, 'cancel'));
    expect(await us.locked()).toBe(heldBefore);
    const late = await taking(honest);
    expect([late.status, late.body.error.details.code]).toEqual([409, 'state_conflict']);
  });
});
