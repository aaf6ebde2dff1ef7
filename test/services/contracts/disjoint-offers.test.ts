/** An offer of several cases, of which any may decide: what the first takes says nothing of the others. */
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
const PAYOUTS = { heads: COLLATERAL, tails: 0n };
const oracles = ['first', 'second', 'alone'].map((name) => testOracle(name));
const [first, second, alone] = oracles as [(typeof oracles)[0], (typeof oracles)[0], (typeof oracles)[0]];

let parties: ContractParties;
let us: ContractParty;
let stranger: TestParty;

beforeAll(async () => {
  parties = await openContractParties();
  us = parties.offerer;
  stranger = await externalParty(parties, 'who offers cases', COLLATERAL / 2n);
});
afterAll(() => parties?.close());

const at = ({ contract_id }: Json, step: string) => `/api/v1/dlc/contracts/${contract_id}/${step}`;

describe('a contract whose first case takes two oracles, and whose second takes one', () => {
  const announced = (oracle: (typeof oracles)[0], event: string) =>
    oracle.announce(enumEvent('heads', 'tails'), event, 1_700_000_000);
  const single = announced(alone, 'of the second case');
  const both = oracleInfo([announced(first, 'a'), announced(second, 'b')], 2);
  const { cases, ...info } = enumeratedInfo(COLLATERAL, PAYOUTS, both);
  const other = enumeratedInfo(COLLATERAL, PAYOUTS, oracleInfo([single]));
  let contract: Json;

  beforeAll(async () => {
    const offer: OfferMessage = testOffer({
      info: { ...info, disjoint: true, cases: [...cases, ...other.cases] },
      offerer: stranger,
      changed: { refundLocktime: 1_900_000_000 },
    });
    const received: Json = await us.make('POST', '/api/v1/dlc/offers', {
      message: asHex(serializeOffer(offer, 'tagged')),
      accept_oracles: oracles.map(({ publicKey }) => asHex(publicKey)),
      accept_unproven_oracles: true,
    });
    const accepted: Json = await us.make('POST', at(received, 'accept'));
    const sign = serializeSign(signatureOf(offer, accepted.messages.accept, stranger), 'tagged');
    await us.make('POST', at(received, 'sign'), { message: asHex(sign) });
    await parties.mine();
    contract = await us.until(received.contract_id, ({ status }) => status === 'confirmed');
  });

  it('shows how few attestations may decide it', () => {
    expect(contract.threshold).toBe(1);
  });

  it('is settled by the one oracle of the second', async () => {
    const attestation = asHex(serializeAttestation(alone.attest(single, ['tails'])));
    await us.make('POST', '/api/v1/dlc/attestations', { attestation });
    const executed = await us.make('PUT', `/api/v1/contracts/${contract.contract_id}/execute`, { outcome: 'tails' });
    expect(executed).toMatchObject({ status: 'executed', outcome: 'tails' });
  });
});
