/** Two processes on one PostgreSQL: one oracle, one outcome, one attestation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { foreignOracle } from '../../builders/foreign-oracle.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';
import { COIN, code, context, openOracleSetup } from './oracle-setup.ts';

let server: TemporaryPostgres;
let stores: Store[];
beforeAll(async () => {
  server = await withPostgres();
  const url = await server.newTables();
  stores = [];
  for (let i = 0; i < 2; i++) stores.push(await openPostgresStore({ url, log: silent, clock: Date.now }));
  await (stores[0] as Store).write(async (tx) => {
    for (let i = 0; i < 20; i++) await tx.accounts.insert(accountRecord(`acc_${i}`));
  });
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await server.stop();
});

const replicas = () => stores.map((store) => openOracleSetup(store).oracles);
/** What each replica is asked, at once, several times over. */
const atOnce = <T>(ask: (oracles: ReturnType<typeof replicas>[number], which: number) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: 4 }, (_, i) => ask(replicas()[i % 2] as never, i)));

describe('two replicas', () => {
  it('make the oracle of an account once', async () => {
    for (let i = 0; i < 10; i++) {
      const made = await atOnce((oracles) => oracles.resolve(`acc_${i}`, 'local'));
      expect(
        new Set(made.map((one) => (one.status === 'fulfilled' ? one.value.oracleId : code(one.reason)))).size,
      ).toBe(1);
    }
  });

  it('attest one outcome, whichever is first', async () => {
    const outcomes = ['heads', 'tails'];
    for (let i = 0; i < 15; i++) {
      const [first] = replicas();
      const event = await first!.announce({ oracle: 'local', descriptor: COIN, maturityEpoch: 1 }, context('acc_10'));
      const settled = await atOnce((oracles, which) =>
        oracles.attest(
          { oracle: 'local', eventId: event.eventId, outcome: outcomes[which % 2] as string },
          context('acc_10'),
        ),
      );
      const given = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value.attestation] : []));
      const refused = settled.flatMap((one) => (one.status === 'rejected' ? [code(one.reason)] : []));
      expect(new Set(given).size).toBe(1);
      expect(given).toHaveLength(2);
      expect(refused).toEqual(['outcome_conflict', 'outcome_conflict']);
      const kept = await (stores[1] as Store).read.attestations.ofEvent('acc_10', event.oracleId, event.eventId);
      expect(kept.map(({ attestation }) => attestation)).toEqual([given[0]]);
    }
  });

  it('announce an event of one id once', async () => {
    const settled = await atOnce((oracles) =>
      oracles.announce({ oracle: 'local', eventId: 'the one', descriptor: COIN, maturityEpoch: 1 }, context('acc_11')),
    );
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of settled) if (one.status === 'rejected') expect(code(one.reason)).toBe('already_exists');
  });

  it('mark an oracle that contradicts itself, though each was told one half of it', async () => {
    for (let i = 0; i < 5; i++) {
      const foreign = foreignOracle();
      const said = foreign.announce(COIN);
      const [one, two] = replicas();
      const { oracleId } = await one!.register(
        { name: 'two-tongued', publicKey: foreign.publicKey },
        context('acc_12'),
      );
      await one!.addAnnouncement(said.announcement, context('acc_12'));
      await Promise.all([
        one!.addAttestation(said.attest('heads'), context('acc_12')),
        two!.addAttestation(said.attest('tails'), context('acc_12')),
      ]);
      expect((await one!.get(oracleId, context('acc_12'))).equivocatedAt).not.toBeNull();
    }
  });
});
