/** What the oracles' operations need to be done once with success. */
import { foreignOracle } from './foreign-oracle.ts';
import type { Recipe } from './operation-recipes.ts';
import type { OperationWorld } from './operation-world.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const OUTCOMES = ['home', 'draw', 'away'];

/** One of somebody else, registered anew. */
async function aForeignOracle(world: OperationWorld) {
  const foreign = foreignOracle();
  const { oracle_id } = await world.make('POST', '/api/v1/dlc/oracles', {
    name: 'of others',
    public_key: foreign.publicKey,
  });
  return { foreign, oracle_id: oracle_id as string };
}

/** An event that the tenant's own oracle announced, and may attest. */
async function anEvent(world: OperationWorld): Promise<string> {
  const event = { oracle: 'local', maturity: '2026-01-01T00:00:00Z', outcomes: OUTCOMES };
  return (await world.make('POST', '/api/v1/dlc/events', event)).event_id;
}

const anAttestation = async (world: OperationWorld) => ({
  oracle: 'local',
  event_id: await anEvent(world),
  outcome: 'home',
});

const ofForeignOracle: Recipe = async (world) => ({ params: { oracle_id: (await aForeignOracle(world)).oracle_id } });

export const ORACLE_RECIPES: Readonly<Record<string, Recipe>> = {
  'oracle.create': async () => ({ body: { name: 'of others', public_key: foreignOracle().publicKey } }),
  'oracle.get': ofForeignOracle,
  'oracle.update': ofForeignOracle,
  'oracle.delete': ofForeignOracle,
  'oracle.add-announcement': async (world) => {
    const { foreign } = await aForeignOracle(world);
    const { announcement } = foreign.announce({ kind: 'enum', outcomes: OUTCOMES });
    return { body: { announcement: hex(announcement) } };
  },
  // The account's own oracle is there already.
  'oracle.announce': async (world) => {
    await world.make('GET', '/api/v1/dlc/oracles/local');
    return { body: { oracle: 'local', maturity: '2026-11-01T12:00:00Z', outcomes: OUTCOMES } };
  },
  // By its id: `local` is whoever's who asks.
  'oracle.get-announcement': async (world) => {
    const event_id = await anEvent(world);
    const { oracle_id } = await world.make('GET', '/api/v1/dlc/oracles/local');
    return { params: { oracle_id, event_id } };
  },
  'oracle.attest': async (world) => {
    // Not the first decision of the database, which begins to count them.
    await world.make('POST', '/api/v1/dlc/attestations', await anAttestation(world));
    return { body: await anAttestation(world) };
  },
  'oracle.get-attestation': async (world) => {
    const { attestation_id } = await world.make('POST', '/api/v1/dlc/attestations', await anAttestation(world));
    return { params: { attestation_id } };
  },
};
