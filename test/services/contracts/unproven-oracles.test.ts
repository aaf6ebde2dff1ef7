/** Several oracles of which one announced last, to open a CET alone: taken only by who says so, and said on the record. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serializeAnnouncement } from '../../../src/core/dlc/messages/announcement.ts';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import type { Json } from '../../builders/app.ts';
import { type ContractParties, type ContractParty, openContractParties } from '../../builders/contract-parties.ts';
import { enumeratedInfo, oracleInfo, type TestParty, testOffer } from '../../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../../builders/dlc-oracle.ts';
import { asHex, externalParty } from '../../builders/external-party.ts';
import { rogueOracle } from '../../builders/rogue-oracle.ts';

const COLLATERAL = 2_000_000n;
const outcomes = ['heads', 'tails'];
const honest = testOracle('honest').announce(enumEvent(...outcomes), 'toss');
const rogue = rogueOracle(honest, outcomes, 'tails').announcement;
const both = [honest, rogue];

let parties: ContractParties;
let us: ContractParty;
let stranger: TestParty;

beforeAll(async () => {
  parties = await openContractParties();
  us = parties.offerer;
  stranger = await externalParty(parties, 'in league with an oracle', COLLATERAL / 2n);
});
afterAll(() => parties?.close());

const offering = (temporary: number): string =>
  asHex(
    serializeOffer(
      testOffer({
        info: enumeratedInfo(COLLATERAL, { heads: 0n, tails: COLLATERAL }, oracleInfo(both, 2)),
        offerer: stranger,
        changed: { refundLocktime: 1_900_000_000, temporaryContractId: new Uint8Array(32).fill(temporary) },
      }),
      'tagged',
    ),
  );
const taking = (message: string, more: Json = {}) =>
  us.ask('POST', '/api/v1/dlc/offers', {
    message,
    accept_oracles: both.map(({ publicKey }) => asHex(publicKey)),
    ...more,
  });

it('an offer of theirs is refused, fails verification, and is known for what it is where it is taken', async () => {
  const offer = offering(1);
  const refused = await taking(offer);
  expect([refused.status, refused.body.error.details.field, refused.body.error.message]).toEqual([
    422,
    'accept_unproven_oracles',
    expect.stringMatching(/^oracle_proofs:/),
  ]);
  expect((await us.make('POST', '/api/v1/dlc/verify', { offer })).valid).toBe(false);
  const accepted = { accept_unproven_oracles: true };
  expect((await us.make('POST', '/api/v1/dlc/verify', { offer, ...accepted })).valid).toBe(true);
  const taken = await taking(offer, accepted);
  expect([taken.status, taken.body.oracle_proof, taken.body.warnings]).toEqual([
    201,
    'unproven',
    [expect.stringMatching(/^unproven oracles: /)],
  ]);
  // What came with an offer is not known before the next.
  expect((await taking(offering(2))).status).toBe(422);
});

it('announcements that the account had itself before the offer are known, and no more than that', async () => {
  for (const [at, announcement] of both.entries()) {
    const public_key = asHex(announcement.publicKey);
    await us.ask('POST', '/api/v1/dlc/oracles', { name: `oracle ${at}`, public_key });
    const tlv = asHex(serializeAnnouncement(announcement));
    await us.make('POST', '/api/v1/dlc/announcements', { announcement: tlv });
  }
  const taken = await taking(offering(3));
  expect([taken.status, taken.body.oracle_proof, taken.body.warnings]).toEqual([
    201,
    'known',
    [expect.stringMatching(/^oracles known before: /)],
  ]);
});

it('local oracles prove their nonces, and offers bring the proofs to those who know none of them', async () => {
  const { accepter } = parties;
  const oracles: Json[] = [];
  const event_ids: string[] = [];
  for (const name of ['one', 'two']) {
    const oracle = await us.make('POST', '/api/v1/dlc/oracles', { name, type: 'local' });
    const terms = { oracle: oracle.oracle_id, maturity: '2030-01-01T00:00:00Z', outcomes };
    const event = await us.make('POST', '/api/v1/dlc/events', terms);
    oracles.push(oracle);
    event_ids.push(event.event_id);
    expect(event.proof).toMatch(/^fe00546e11/);
  }
  const offer = await us.make('POST', '/api/v1/contracts', {
    type: 'dlc',
    outcomes,
    collateral: '0.02',
    oracles: oracles.map(({ oracle_id }) => oracle_id),
    event_ids,
    counterparty: { mode: 'remote' },
    refund_locktime: 1_900_000_000,
  });
  expect([offer.oracle_proof, offer.warnings]).toEqual(['proven', []]);
  const accept_oracles = oracles.map(({ public_key }) => public_key);
  const taken = await accepter.make('POST', '/api/v1/dlc/offers', { message: offer.messages.offer, accept_oracles });
  expect([taken.oracle_proof, taken.warnings]).toEqual(['proven', []]);
});

it('a proof is taken with its announcement or after it, and no other one', async () => {
  const { accepter } = parties;
  const oracle = await us.make('GET', '/api/v1/dlc/oracles/local');
  const event = () => us.make('POST', '/api/v1/dlc/events', { maturity: '2030-01-01T00:00:00Z', outcomes });
  const [one, other] = [await event(), await event()];
  await accepter.ask('POST', '/api/v1/dlc/oracles', { name: 'theirs', public_key: oracle.public_key });
  const post = (proof?: string) =>
    accepter.ask('POST', '/api/v1/dlc/announcements', { announcement: one.announcement, proof });
  const wrong = await post(other.proof);
  expect([wrong.body.error.details.code, wrong.body.error.details.field]).toEqual(['invalid_signature', 'proof']);
  expect((await post()).body.proof).toBeNull();
  expect((await post(one.proof)).body.proof).toBe(one.proof);
  expect((await post()).body.proof).toBe(one.proof);
});
