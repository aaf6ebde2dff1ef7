/** Who offers a contract in which one attestation opens two CETs has the better of the two: it is taken nowhere. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ContractInfo } from '../../../src/core/dlc/contract-info.ts';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { type ContractParties, openContractParties } from '../../builders/contract-parties.ts';
import { enumeratedInfo, oracleInfo, type TestParty, testOffer } from '../../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../../builders/dlc-oracle.ts';
import { asHex, externalParty } from '../../builders/external-party.ts';

const COLLATERAL = 2_000_000n;
let parties: ContractParties;
let stranger: TestParty;

beforeAll(async () => {
  parties = await openContractParties();
  stranger = await externalParty(parties, 'who offers a case twice', COLLATERAL / 2n);
});
afterAll(() => parties?.close());

const oracle = testOracle('honest');
const announced = (eventId: string) => oracle.announce(enumEvent('heads', 'tails'), eventId);
const paying = (heads: bigint, eventId: string): ContractInfo =>
  enumeratedInfo(COLLATERAL, { heads, tails: COLLATERAL - heads }, oracleInfo([announced(eventId)]));
const offering = (one: ContractInfo, other: ContractInfo): string =>
  asHex(
    serializeOffer(
      testOffer({
        info: { ...one, disjoint: true, cases: [...one.cases, ...other.cases] },
        offerer: stranger,
        changed: { refundLocktime: 1_900_000_000 },
      }),
      'tagged',
    ),
  );

it('an offer with one announcement twice and opposite payouts is refused, and fails verification', async () => {
  const { offerer: us } = parties;
  const offer = offering(paying(COLLATERAL, 'toss'), paying(0n, 'toss'));
  const accept_oracles = [asHex(oracle.publicKey)];
  const answer = await us.ask('POST', '/api/v1/dlc/offers', { message: offer, accept_oracles });
  expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringMatching(/^announcement_repeated:/)]);
  const verified = await us.make('POST', '/api/v1/dlc/verify', { offer });
  expect(verified.valid).toBe(false);

  const sound = offering(paying(COLLATERAL, 'toss'), paying(0n, 'another'));
  const { checks } = await us.make('POST', '/api/v1/dlc/verify', { offer: sound });
  expect(checks).toContainEqual(expect.objectContaining({ check: 'encryption_points', verdict: 'passed' }));
  expect((await us.ask('POST', '/api/v1/dlc/offers', { message: sound, accept_oracles })).status).toBe(201);
});
