/** What others announce and attest: what is taken, what is proof against them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AttestationRecord } from '../../../src/services/oracles/oracle-service.ts';
import { verifyAttestations } from '../../../src/services/oracles/verify-attestations.ts';
import type { Store } from '../../../src/store/store.ts';
import { foreignOracle } from '../../builders/foreign-oracle.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, type TemporarySqlite } from '../../builders/stores.ts';
import { COIN, context, openOracleSetup, refusal } from './oracle-setup.ts';

let sqlite: TemporarySqlite;
let store: Store;
beforeEach(async () => {
  sqlite = await openTemporarySqlite();
  store = sqlite.store;
  await store.write((tx) => tx.accounts.insert(accountRecord()));
});
afterEach(() => sqlite.close());

async function registered() {
  const { oracles } = openOracleSetup(store);
  const foreign = foreignOracle();
  const { oracleId } = await oracles.register({ name: 'of others', publicKey: foreign.publicKey }, context());
  return { oracles, foreign, oracleId };
}

describe('announcements of others', () => {
  it('are taken of registered oracles, signed, once for an event', async () => {
    const { oracles, foreign } = await registered();
    const said = foreign.announce(COIN, 'coin');
    const event = await oracles.addAnnouncement(said.announcement, context());
    expect(event).toMatchObject({ eventId: 'coin', nonces: null, maturityEpoch: 1_000 });
    expect(await oracles.addAnnouncement(said.announcement, context())).toEqual(event);
    expect(await refusal(oracles.addAnnouncement(foreign.announce(COIN, 'coin').announcement, context()))).toBe(
      'already_exists',
    );
    expect(await refusal(oracles.addAnnouncement(foreignOracle().announce(COIN).announcement, context()))).toBe(
      'not_found',
    );
    expect(await refusal(oracles.addAnnouncement(said.announcement.subarray(1), context()))).toBe('invalid_message');
    const changed = Uint8Array.from(foreign.announce(COIN, 'other').announcement);
    // A letter of the event's id, which ends it.
    changed[changed.length - 1] = 0x73;
    expect(await refusal(oracles.addAnnouncement(changed, context()))).toBe('invalid_signature');
  });

  it('are kept with their oracle within the job of an offer', async () => {
    const { oracles } = openOracleSetup(store);
    const foreign = foreignOracle();
    const said = foreign.announce(COIN);
    const keep = () =>
      store.write((tx) =>
        oracles.keepAnnouncement(
          tx,
          'acc_one',
          {
            signature: said.announcementSignature,
            publicKey: Buffer.from(foreign.publicKey, 'hex'),
            event: said.event,
          },
          null,
        ),
      );
    const first = await keep();
    expect(first.oracle).toMatchObject({ kind: 'external', publicKey: foreign.publicKey, url: null });
    expect(await keep()).toEqual(first);
  });
});

describe('attestations of others', () => {
  it('are taken where they hold for the announced event', async () => {
    const { oracles, foreign } = await registered();
    const said = foreign.announce(COIN);
    expect(await refusal(oracles.addAttestation(said.attest('heads'), context()))).toBe('announcement_missing');
    await oracles.addAnnouncement(said.announcement, context());
    expect(await refusal(oracles.addAttestation(said.attest('edge'), context()))).toBe('invalid_signature');
    const otherNonce = foreign.announce(COIN, said.event.eventId).attest('heads');
    expect(await refusal(oracles.addAttestation(otherNonce, context()))).toBe('invalid_signature');
    const changed = Uint8Array.from(said.attest('heads'));
    changed[changed.length - 10] = (changed[changed.length - 10] as number) ^ 1;
    expect(await refusal(oracles.addAttestation(changed, context()))).toBe('invalid_signature');
    expect((await oracles.addAttestation(said.attest('heads'), context())).ofEvent).toHaveLength(1);
  });

  it('notify each listener once, after they are stored', async () => {
    const { oracles, foreign } = await registered();
    const said = foreign.announce(COIN);
    await oracles.addAnnouncement(said.announcement, context());
    const heard: AttestationRecord[] = [];
    oracles.onAttestation(() => {
      throw new Error('one listener fails');
    });
    const stop = oracles.onAttestation((one) => heard.push(one));
    await oracles.addAttestation(said.attest('heads'), context());
    await oracles.addAttestation(said.attest('heads'), context());
    expect(heard.map(({ outcomes }) => outcomes)).toEqual(['["heads"]']);
    stop();
    await oracles.addAttestation(said.attest('tails'), context());
    expect(heard).toHaveLength(1);
  });

  it('that contradict each other are kept as proof, which anybody can verify', async () => {
    const { oracles, foreign, oracleId } = await registered();
    const said = foreign.announce({ kind: 'digits', base: 2, signed: false, digits: 3, unit: '', precision: 0 });
    await oracles.addAnnouncement(said.announcement, context());
    await oracles.addAttestation(said.attest('0', '1', '0'), context());
    expect((await oracles.get(oracleId, context())).equivocatedAt).toBeNull();
    const second = await oracles.addAttestation(said.attest('0', '1', '1'), context());
    expect((await oracles.get(oracleId, context())).equivocatedAt).not.toBeNull();
    expect(second.ofEvent.map(({ outcomes }) => outcomes)).toEqual(['["0","1","0"]', '["0","1","1"]']);
    const page = { limit: 10, offset: 0 };
    expect((await oracles.listAttestations({ equivocated: true }, page, context())).data).toHaveLength(2);
    expect((await oracles.listAttestations({ equivocated: false }, page, context())).data).toHaveLength(0);

    const proof = second.ofEvent.map(({ attestation }) => Uint8Array.from(Buffer.from(attestation, 'hex')));
    const announcement = Uint8Array.from(Buffer.from(second.event.announcement as string, 'hex'));
    expect(verifyAttestations(announcement, proof)).toMatchObject({
      announcementHolds: true,
      attestations: [{ reason: null }, { reason: null }],
      equivocation: true,
    });
    expect(verifyAttestations(announcement, [proof[0], proof[0]] as Uint8Array[]).equivocation).toBe(false);
    // A forged one proves nothing.
    const forged = said.attest('1', '1', '1');
    forged[forged.length - 20] = (forged[forged.length - 20] as number) ^ 1;
    expect(verifyAttestations(announcement, [proof[0] as Uint8Array, forged])).toMatchObject({
      attestations: [{ reason: null }, { reason: expect.any(String) }],
      equivocation: false,
    });
  });
});
