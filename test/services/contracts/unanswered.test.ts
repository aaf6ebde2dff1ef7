/** What nobody answers ends by itself: offers, others' and ours, and an acceptance that is not signed. Its coins are free then. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OfferMessage } from '../../../src/core/dlc/dlc-messages.ts';
import { serializeAttestation } from '../../../src/core/dlc/messages/attestation.ts';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { serializeSign } from '../../../src/core/dlc/messages/sign.ts';
import type { Json } from '../../builders/app.ts';
import { type ContractParties, type ContractParty, openContractParties } from '../../builders/contract-parties.ts';
import { enumeratedInfo, oracleInfo, type TestParty, testOffer } from '../../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../../builders/dlc-oracle.ts';
import { asHex, externalParty, signatureOf } from '../../builders/external-party.ts';

const COLLATERAL = 2_000_000n;
const DAY = 86_400_000;
const NOTHING = '0.00000000';
const START = Date.parse('2026-11-20T12:00:00Z');
const oracle = testOracle('unanswered');
const accept_oracles = [asHex(oracle.publicKey)];

let now = START;
let parties: ContractParties;
let us: ContractParty;
let stranger: TestParty;
let offers = 0;

beforeAll(async () => {
  parties = await openContractParties({ clock: () => now });
  us = parties.offerer;
  stranger = await externalParty(parties, 'who is away', COLLATERAL / 2n);
});
afterAll(() => parties?.close());

/** A stranger's offer on an event of its own. */
function anOffer(changed: Partial<OfferMessage> = {}, maturity = 1_700_000_000) {
  const event = `event ${++offers}`;
  const announcement = oracle.announce(enumEvent('heads', 'tails'), event, maturity);
  const offer = testOffer({
    info: enumeratedInfo(COLLATERAL, { heads: COLLATERAL, tails: 0n }, oracleInfo([announcement])),
    offerer: stranger,
    changed: { refundLocktime: 1_900_000_000, temporaryContractId: new Uint8Array(32).fill(offers), ...changed },
  });
  const attestation = () => asHex(serializeAttestation(oracle.attest(announcement, ['heads'])));
  return { offer, message: asHex(serializeOffer(offer, 'tagged')), attestation };
}

const asking = (message: string, more: Json = {}) =>
  us.ask('POST', '/api/v1/dlc/offers', { message, accept_oracles, ...more });
const receive = (message: string, more: Json = {}): Promise<Json> =>
  us.make('POST', '/api/v1/dlc/offers', { message, accept_oracles, ...more });
const at = ({ contract_id }: Json, step: string) => `/api/v1/dlc/contracts/${contract_id}/${step}`;
const accept = (contract: Json, more?: Json): Promise<Json> => us.make('POST', at(contract, 'accept'), more);
const ended = ({ contract_id }: Json): Promise<Json> => us.until(contract_id, ({ status }) => status === 'cancelled');
const inTime = (ms: number) => new Date(now + ms).toISOString();

/** A tip by which everything that has ended by now is ended. */
async function later(ms: number): Promise<void> {
  now += ms;
  const mark = await receive(anOffer().message, { expires_at: inTime(1) });
  now += 1;
  await parties.mine();
  await ended(mark);
}

describe('an offer that we were made', () => {
  it('expires after seven days, and is neither accepted then nor offered once more', async () => {
    const { message } = anOffer();
    const taken = await receive(message);
    expect(taken.expires_at).toBe(inTime(7 * DAY));
    await later(7 * DAY - 10);
    expect((await us.contract(taken.contract_id)).status).toBe('offered');
    now += 10;
    // By the clock, whether it has been ended yet or not.
    const late = await us.ask('POST', at(taken, 'accept'));
    expect([late.status, late.body.error.details], late.text).toMatchObject([
      409,
      { code: 'state_conflict', field: 'contract_id' },
    ]);
    await parties.mine();
    expect((await ended(taken)).reason).toBe('nobody accepted the offer in time');
    const again = await us.ask('POST', at(taken, 'accept'));
    expect([again.status, again.body.error.details.code]).toEqual([409, 'state_conflict']);
    expect(await receive(message)).toMatchObject({ contract_id: taken.contract_id, status: 'cancelled' });
    expect(await us.locked()).toBe(NOTHING);
  });

  it('expires before when its event is due, or a day before its refund', async () => {
    const seconds = (ms: number) => Math.floor((now + ms) / 1000);
    const expiring = async (changed: Partial<OfferMessage>, maturity?: number) =>
      Date.parse((await receive(anOffer(changed, maturity).message)).expires_at);
    expect(await expiring({}, seconds(3 * DAY))).toBe(seconds(3 * DAY) * 1000);
    expect(await expiring({ refundLocktime: seconds(4 * DAY) })).toBe(seconds(3 * DAY) * 1000);
    const { height } = await parties.chain.info();
    expect(await expiring({ refundLocktime: height + 2 * 144 })).toBe(now + DAY);
    // What is over or about to be bounds nothing: many events are due when they are announced.
    expect(await expiring({ refundLocktime: height + 3 }, seconds(1_000))).toBe(now + 7 * DAY);
  });

  it('expires when its taker said, who can say nothing else than sooner', async () => {
    const { message } = anOffer();
    for (const [expires_at, problem] of [
      [inTime(0), /^expires_at is past: it is 20/],
      [inTime(7 * DAY + 1), /^expires_at must be 20.* or earlier/],
    ] as const) {
      const { status, body, text } = await asking(message, { expires_at });
      expect([status, body.error?.details], text).toMatchObject([400, { code: 'invalid_value', field: 'expires_at' }]);
      expect(body.error.message).toMatch(problem);
    }
    const taken = await receive(message, { expires_at: inTime(5_000) });
    expect(taken.expires_at).toBe(inTime(5_000));
    // Taken before, it is as it is.
    expect((await receive(message, { expires_at: inTime(0) })).contract_id).toBe(taken.contract_id);
    await later(5_000);
    expect((await us.contract(taken.contract_id)).status).toBe('cancelled');
  });

  it('ends when its event is attested, and when its refund opens', async () => {
    const attested = anOffer();
    const { height } = await parties.chain.info();
    const early = await receive(attested.message);
    const refundable = await receive(anOffer({ refundLocktime: height + 2 }).message);
    await parties.mine();
    await us.make('POST', '/api/v1/dlc/attestations', { attestation: attested.attestation() });
    expect((await ended(early)).reason).toMatch(/^oracle ora_\w+ has attested event event \d+$/);
    expect((await us.contract(refundable.contract_id)).status).toBe('offered');
    await parties.mine();
    expect((await ended(refundable)).reason).toMatch(/^the refund's \d+ is past/);
  });
});

describe('an acceptance of ours', () => {
  it('expires, frees its coins, and is signed no more', async () => {
    const { offer, message } = anOffer();
    const taken = await receive(message, { expires_at: inTime(60_000) });
    now += 50_000;
    const accepted = await accept(taken);
    expect(accepted).toMatchObject({ status: 'accepted', expires_at: inTime(7 * DAY) });
    const sign = asHex(serializeSign(signatureOf(offer, accepted.messages.accept, stranger), 'tagged'));
    await later(7 * DAY - 10);
    expect((await us.contract(taken.contract_id)).status).toBe('accepted');
    expect(await us.locked()).not.toBe(NOTHING);
    now += 10;
    await parties.mine();
    expect((await ended(taken)).reason).toBe('the offerer did not sign in time');
    expect(await us.locked()).toBe(NOTHING);
    const late = await us.ask('POST', at(taken, 'sign'), { message: sign });
    expect([late.status, late.body.error.details.code], late.text).toEqual([409, 'state_conflict']);
    expect(late.body.error.message).toContain('the offerer did not sign in time');
    // The coins are there for the next one.
    const next = await accept(await receive(anOffer().message));
    await us.make('POST', at(next, 'cancel'));
  });

  it('expires when its maker said, and not where the sign message came', async () => {
    const [unsigned, signed] = [anOffer(), anOffer()];
    const first = await accept(await receive(unsigned.message), { expires_at: inTime(5_000) });
    expect(first.expires_at).toBe(inTime(5_000));
    const second = await accept(await receive(signed.message), { expires_at: inTime(5_000) });
    const message = asHex(serializeSign(signatureOf(signed.offer, second.messages.accept, stranger), 'tagged'));
    expect(await us.make('POST', at(second, 'sign'), { message })).toMatchObject({ expires_at: null });
    // Its coin is spent.
    stranger = await externalParty(parties, 'who is still away', COLLATERAL / 2n);
    await later(5_000);
    expect((await us.contract(first.contract_id)).status).toBe('cancelled');
    expect((await us.contract(second.contract_id)).status).toBe('confirmed');
  });

  it('ends when the event is attested, and when the refund opens', async () => {
    const attested = anOffer();
    const { height } = await parties.chain.info();
    const early = await accept(await receive(attested.message));
    const refundable = await accept(await receive(anOffer({ refundLocktime: height + 2 }).message));
    await us.make('POST', '/api/v1/dlc/attestations', { attestation: attested.attestation() });
    expect((await ended(early)).reason).toMatch(/^oracle ora_\w+ has attested event event \d+$/);
    await parties.mine(2);
    expect((await ended(refundable)).reason).toMatch(/^the refund's \d+ is past/);
    expect(await us.locked()).toBe(NOTHING);
  });
});

describe('an offer of ours', () => {
  const offering = (more: Json = {}): Promise<Json> =>
    us.make('POST', '/api/v1/contracts', {
      type: 'dlc',
      oracle: 'local',
      outcomes: ['heads', 'tails'],
      collateral: '0.02000000',
      ...{ counterparty: { mode: 'remote' }, ...more },
    });

  it('stands until it expires, is attested, or the refund opens', async () => {
    const { height } = await parties.chain.info();
    const lasting = await offering();
    const expiring = await offering({ counterparty: { mode: 'remote', expires_at: inTime(5_000) } });
    const refundable = await offering({ refund_locktime: height + 2 });
    const attested = await offering();
    expect([lasting.expires_at, expiring.expires_at]).toEqual([null, inTime(5_000)]);
    const event = { oracle: 'local', event_id: attested.event_ids[0], outcome: 'tails' };
    await us.make('POST', '/api/v1/dlc/attestations', event);
    expect((await ended(attested)).reason).toMatch(/^oracle ora_\w+ has attested event /);
    await later(5_000);
    await parties.mine();
    expect((await ended(expiring)).reason).toBe('nobody accepted the offer in time');
    expect((await ended(refundable)).reason).toMatch(/^the refund's \d+ is past/);
    expect((await us.contract(lasting.contract_id)).status).toBe('offered');
    await us.make('POST', at(lasting, 'cancel'));
    expect(await us.locked()).toBe(NOTHING);
  });

  it('takes neither wallet nor expiry with the accept message: those are the other side’s', async () => {
    const offer = await offering();
    const message = 'a71c00000001';
    for (const more of [{ wallet_id: us.walletId }, { expires_at: inTime(DAY) }]) {
      const { status, body, text } = await us.ask('POST', at(offer, 'accept'), { message, ...more });
      const [field] = Object.keys(more);
      expect([status, body.error?.details], text).toMatchObject([400, { code: 'invalid_value', field }]);
    }
    await us.make('POST', at(offer, 'cancel'));
  });
});
