/** An oracle that gives its key away after an offer was taken: nothing of ours is signed for it, and what stands says so. */
import { expect, it } from 'vitest';
import { serializeAnnouncement, serializeOracleEvent } from '../../../src/core/dlc/messages/announcement.ts';
import { serializeAttestation } from '../../../src/core/dlc/messages/attestation.ts';
import { serializeOffer } from '../../../src/core/dlc/messages/offer.ts';
import { signAnnouncement } from '../../../src/core/dlc/oracle/announcements.ts';
import { contract as answered } from '../../../src/families/contracts/contract-answer.ts';
import { enumeratedInfo, oracleInfo, testOffer } from '../../builders/dlc-messages.ts';
import { enumEvent, fixedBytes, type TestOracle, testOracle } from '../../builders/dlc-oracle.ts';
import { aMiner, asHex } from '../../builders/external-party.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { type Contracts, openContracts } from './contracts-setup.ts';

const EVENT = enumEvent('yes', 'no');

/** A second event with the nonce of the offer's. */
async function announceAgain(c: Contracts, keys: TestOracle): Promise<void> {
  const { publicKey, event: first } = keys.announce(EVENT, 'of the offer');
  const event = { ...first, eventId: 'again' };
  const signature = signAnnouncement(keys.privateKey, serializeOracleEvent(event), 'tagged', {
    randomBytes: fixedBytes,
  });
  const announcement = serializeAnnouncement({ signature, publicKey, event });
  await expect(c.oracles.addAnnouncement(announcement, c.context())).rejects.toMatchObject({
    code: 'contract_refused',
  });
}

/** Both outcomes of another event. */
async function attestTwice(c: Contracts, keys: TestOracle): Promise<void> {
  const other = keys.announce(EVENT, 'another');
  await c.oracles.addAnnouncement(serializeAnnouncement(other), c.context());
  for (const outcome of ['yes', 'no'])
    await c.oracles.addAttestation(serializeAttestation(keys.attest(other, [outcome])), c.context());
}

it.each([
  ['nonce_reused', announceAgain],
  ['equivocated', attestTwice],
])('where it is %s an offer that was taken is not accepted, and no contract is made', async (slug, giveAway) => {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC]);
  const keys = testOracle(`gives its key away: ${slug}`);
  const info = enumeratedInfo(
    2_000_000n,
    { yes: 2_000_000n, no: 0n },
    oracleInfo([keys.announce(EVENT, 'of the offer')]),
  );
  const offerer = await aMiner(c, `offers: ${slug}`, 1_000_000n);
  const message = serializeOffer(testOffer({ info, offerer, changed: { refundLocktime: 1_900_000_000 } }), 'tagged');
  const acceptOracles = [asHex(keys.publicKey)];
  const { contractId, oracleIds } = await c.contracts.receiveOffer({ message, acceptOracles }, c.context());
  const warnings = async () => answered.present(await c.get(contractId)).warnings;
  expect(await warnings()).toEqual([]);

  await giveAway(c, keys);
  const refused = { code: 'contract_refused', message: expect.stringMatching(new RegExp(`^${slug}: oracle ora_`)) };
  await expect(c.contracts.accept(contractId, {}, c.context())).rejects.toMatchObject(refused);
  expect((await c.balance(wallet)).lockedSats).toBe(0n);
  await expect(c.create(wallet, { oracles: [...oracleIds] })).rejects.toMatchObject(refused);
  const told = [expect.stringMatching(/^marked oracle: oracle ora_/)];
  expect(await warnings()).toEqual(told);
  const listed = await c.contracts.list({}, { limit: 10, offset: 0 }, c.context());
  expect(listed.data.map((one) => answered.present(one).warnings)).toEqual([told]);
  await c.contracts.cancel(contractId, c.context());
  expect(await warnings()).toEqual([]);
});
