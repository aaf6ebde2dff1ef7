/** A local oracle attests once, whatever happens to the process that does it. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAnnouncement } from '../../../src/core/dlc/messages/announcement.ts';
import { parseAttestation } from '../../../src/core/dlc/messages/attestation.ts';
import { verifyAttestation } from '../../../src/core/dlc/oracle/attestations.ts';
import type { OracleEventRecord } from '../../../src/services/oracles/oracle-service.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent, type TemporarySqlite } from '../../builders/stores.ts';
import { COIN, context, endingAt, openOracleSetup, refusal } from './oracle-setup.ts';

let sqlite: TemporarySqlite;
let store: Store;
beforeEach(async () => {
  sqlite = await openTemporarySqlite();
  store = sqlite.store;
  await store.write((tx) => tx.accounts.insert(accountRecord()));
});
afterEach(() => sqlite.close());

const announcing = (on = store, more: Partial<{ eventId: string; maturityEpoch: number }> = {}) =>
  openOracleSetup(on).oracles.announce({ oracle: 'local', descriptor: COIN, maturityEpoch: 1_000, ...more }, context());
const attesting = (event: OracleEventRecord, outcome: string, on = store) =>
  openOracleSetup(on).oracles.attest({ oracle: event.oracleId, eventId: event.eventId, outcome }, context());
const keptOf = ({ oracleId, eventId }: OracleEventRecord, on = store) =>
  on.read.attestations.ofEvent('acc_one', oracleId, eventId);

describe('an announcement', () => {
  it('is committed with its nonces, sealed, or not at all', async () => {
    for (const when of ['before', 'after'] as const) {
      const eventId = `ended ${when}`;
      await openOracleSetup(store).oracles.resolve('acc_one', 'local');
      await expect(announcing(endingAt(store, 1, when), { eventId })).rejects.toThrow('the process ended');
      const { data } = await store.read.oracleEvents.list('acc_one', { eventId }, { limit: 10, offset: 0 });
      expect(data).toHaveLength(when === 'before' ? 0 : 1);
      for (const { announcement, nonces } of data) {
        expect(nonces).not.toBeNull();
        expect(parseAnnouncement(Buffer.from(announcement as string, 'hex')).event.eventId).toBe(eventId);
      }
    }
  });

  it('is given once for an id, and has other nonces each time', async () => {
    const first = await announcing(store, { eventId: 'one' });
    expect(await refusal(announcing(store, { eventId: 'one' }))).toBe('already_exists');
    const second = await announcing(store, { eventId: 'two' });
    const nonceOf = (event: OracleEventRecord) =>
      Buffer.from(parseAnnouncement(Buffer.from(event.announcement as string, 'hex')).event.nonces[0] as Uint8Array);
    expect(nonceOf(first).equals(nonceOf(second))).toBe(false);
  });
});

describe('an attestation', () => {
  it('holds for what was announced, and is the same when it is asked for again', async () => {
    const event = await announcing();
    const attestation = await attesting(event, 'heads');
    const announcement = parseAnnouncement(Buffer.from(event.announcement as string, 'hex'));
    expect(
      verifyAttestation(parseAttestation(Buffer.from(attestation.attestation, 'hex')), announcement, 'tagged'),
    ).toBe(true);
    expect(await attesting(event, 'heads')).toEqual(attestation);
    expect(await refusal(attesting(event, 'tails'))).toBe('outcome_conflict');
    expect(await keptOf(event)).toHaveLength(1);
  });

  it('is given once, wherever the process ends', async () => {
    const whole = await announcing(store, { eventId: 'whole' });
    await attesting(whole, 'heads');
    for (const nth of [1, 2]) {
      for (const when of ['before', 'after'] as const) {
        const event = await announcing(store, { eventId: `${when} ${nth}` });
        await expect(attesting(event, 'heads', endingAt(store, nth, when))).rejects.toThrow('the process ended');
        const decided = !(nth === 1 && when === 'before');
        expect(await keptOf(event)).toHaveLength(nth === 2 && when === 'after' ? 1 : 0);
        if (!decided) {
          // Nothing was said: it may be either.
          expect((await attesting(event, 'tails')).outcomes).toBe('["tails"]');
          continue;
        }
        expect(await refusal(attesting(event, 'tails'))).toBe('outcome_conflict');
        const once = await attesting(event, 'heads');
        expect(await attesting(event, 'heads')).toEqual(once);
        expect((await keptOf(event)).map(({ outcomes }) => outcomes)).toEqual(['["heads"]']);
      }
    }
  });

  it('goes on by itself for whoever waits for it, where its outcome was committed', async () => {
    const event = await announcing();
    const { oracles } = openOracleSetup(store);
    const ask = () => oracles.fetchAttestation('acc_one', event.oracleId, event.eventId);
    expect(await ask()).toBeNull();
    await expect(attesting(event, 'tails', endingAt(store, 1, 'after'))).rejects.toThrow('the process ended');
    expect((await ask())?.outcomes).toBe('["tails"]');
    expect(await ask()).toEqual((await keptOf(event))[0]);
  });

  it('is not signed before its outcome is committed: neither key nor nonces are opened', async () => {
    const event = await announcing();
    const house = openOracleSetup(endingAt(store, 1, 'before'));
    await expect(
      house.oracles.attest({ oracle: 'local', eventId: event.eventId, outcome: 'heads' }, context()),
    ).rejects.toThrow('the process ended');
    expect(house.opened).toEqual([]);
    // Nor for the one who came second.
    await attesting(event, 'heads');
    const second = openOracleSetup(store);
    expect(
      await refusal(second.oracles.attest({ oracle: 'local', eventId: event.eventId, outcome: 'tails' }, context())),
    ).toBe('outcome_conflict');
    expect(second.opened).toEqual([]);
  });

  it('waits for maturity', async () => {
    const maturityEpoch = 2_000_000_000;
    const event = await announcing(store, { maturityEpoch });
    const at = (time: number) => openOracleSetup(store, { clock: () => time }).oracles;
    const ask = (time: number) =>
      at(time).attest({ oracle: 'local', eventId: event.eventId, outcome: 'heads' }, context());
    expect(await refusal(ask(maturityEpoch * 1000 - 1))).toBe('state_conflict');
    expect((await store.read.oracleEvents.find('acc_one', event.oracleId, event.eventId))?.committedOutcome).toBeNull();
    expect((await ask(maturityEpoch * 1000)).outcomes).toBe('["heads"]');
  });

  it('is of an outcome that was announced, by an oracle whose key is here', async () => {
    const event = await announcing();
    expect(await refusal(attesting(event, 'edge'))).toBe('invalid_value');
    expect(await refusal(attesting({ ...event, eventId: 'another' }, 'heads'))).toBe('not_found');
    const { oracles } = openOracleSetup(store);
    const foreign = await oracles.register(
      {
        name: 'x',
        publicKey: 'f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9',
      },
      context(),
    );
    expect(
      await refusal(oracles.announce({ oracle: foreign.oracleId, descriptor: COIN, maturityEpoch: 1 }, context())),
    ).toBe('invalid_value');
  });

  it('of a number is of its digits, the nearest that the event has', async () => {
    const { oracles } = openOracleSetup(store);
    const numeric = (signed: boolean) =>
      oracles.announce(
        {
          oracle: 'local',
          descriptor: { kind: 'digits', base: 2, digits: 4, signed, unit: 'usd', precision: 0 },
          maturityEpoch: 1,
        },
        context(),
      );
    for (const [signed, outcome, attested] of [
      [false, '10', ['1', '0', '1', '0']],
      [false, '99', ['1', '1', '1', '1']],
      [false, '-1', ['0', '0', '0', '0']],
      [true, '-3', ['-', '0', '0', '1', '1']],
      [true, '-99', ['-', '1', '1', '1', '1']],
      [true, '0', ['+', '0', '0', '0', '0']],
    ] as const) {
      const event = await numeric(signed);
      expect(JSON.parse((await attesting(event, outcome)).outcomes)).toEqual(attested);
    }
    expect(await refusal(attesting(await numeric(false), '1.5'))).toBe('invalid_value');
    expect(await refusal(attesting(await numeric(false), '9'.repeat(200)))).toBe('invalid_value');
  });
});

describe('a restored database', () => {
  it('attests nothing that may have been attested since, and takes in what was', async () => {
    const event = await announcing();
    const attestedBefore = await announcing(store, { eventId: 'attested before' });
    await attesting(attestedBefore, 'tails');
    const path = join(sqlite.directory, 'restored.db');
    await store.backupTo(path);
    const given = await attesting(event, 'heads');
    const since = await announcing(store, { eventId: 'announced since' });

    const restored = await openSqliteStore({ path, role: 'service', log: silent, clock: Date.now });
    try {
      expect(await restored.write((tx) => tx.oracleEvents.freezeUnattested(5))).toBe(1);
      for (const outcome of ['tails', 'heads'])
        expect(await refusal(attesting(event, outcome, restored))).toBe('oracle_frozen');
      const { oracles, opened } = openOracleSetup(restored);
      expect(await oracles.fetchAttestation('acc_one', event.oracleId, event.eventId)).toBeNull();
      expect(opened).toEqual([]);
      await oracles.addAttestation(Buffer.from(given.attestation, 'hex'), context());
      expect((await attesting(event, 'heads', restored)).attestation).toBe(given.attestation);
      expect(await refusal(attesting(event, 'tails', restored))).toBe('oracle_frozen');
      expect((await attesting(attestedBefore, 'tails', restored)).outcomes).toBe('["tails"]');
      expect(await refusal(attesting(attestedBefore, 'heads', restored))).toBe('outcome_conflict');
      // Its announcement comes back, in somebody's offer; its nonces do not.
      await oracles.addAnnouncement(Buffer.from(since.announcement as string, 'hex'), context());
      expect(await refusal(attesting(since, 'heads', restored))).toBe('oracle_frozen');
    } finally {
      await restored.close();
    }
  });
});

describe("the account's own oracle", () => {
  it('is made once, when it is first asked for', async () => {
    const { oracles } = openOracleSetup(store);
    const made = await Promise.all(Array.from({ length: 5 }, () => oracles.resolve('acc_one', 'local')));
    expect(new Set(made.map(({ oracleId }) => oracleId)).size).toBe(1);
    expect(made[0]).toMatchObject({ kind: 'local', isDefault: true, name: 'local' });
    const another = await oracles.createLocal({ name: 'another' }, context());
    expect(another.isDefault).toBe(false);
    expect((await openOracleSetup(store).oracles.resolve('acc_one', 'local')).oracleId).toBe(made[0]?.oracleId);
  });

  it('is none that has a name of its own', async () => {
    const { oracles } = openOracleSetup(store);
    const named = await oracles.createLocal({ name: 'football' }, context());
    expect(named.isDefault).toBe(false);
    expect(await refusal(oracles.delete('local', context()))).toBe('not_found');
    expect((await oracles.resolve('acc_one', 'local')).oracleId).not.toBe(named.oracleId);
    await oracles.delete('local', context());
    expect(await refusal(oracles.delete('local', context()))).toBe('not_found');
  });

  it("is another account's not at all", async () => {
    await store.write((tx) => tx.accounts.insert(accountRecord('acc_two')));
    const event = await announcing();
    const { oracles } = openOracleSetup(store);
    expect(await refusal(oracles.get(event.oracleId, context('acc_two')))).toBe('not_found');
    expect(
      await refusal(
        oracles.attest({ oracle: event.oracleId, eventId: event.eventId, outcome: 'heads' }, context('acc_two')),
      ),
    ).toBe('not_found');
    expect((await oracles.resolve('acc_two', 'local')).oracleId).not.toBe(event.oracleId);
    expect(await refusal(oracles.delete(event.oracleId, context()))).toBe('state_conflict');
  });
});
