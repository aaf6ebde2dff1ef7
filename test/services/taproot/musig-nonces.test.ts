/**
 * A nonce of the service signs once, whatever happens to the process that made it: requests in two processes, a database that is put back,
 * a machine whose randomness repeats. And what others give is neither lost nor taken twice.
 */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schnorrProblem } from '../../../src/core/taproot/bip340.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import { createMusigSessions, type MusigSessions } from '../../../src/services/taproot/musig/musig-sessions.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { MusigSessionRecord } from '../../../src/store/repositories/musig-sessions.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { gateOver, heldOver } from '../../builders/gate.ts';
import { requestContext } from '../../builders/request-context.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite, silent, type TemporaryPostgres, withPostgres } from '../../builders/stores.ts';
import { type TestSigner, testSigner } from '../../builders/taproot-recipes.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(() => server.stop());

/** The same bytes each time: what a machine that is cloned may do at worst. */
const stuck = (size: number): Uint8Array => new Uint8Array(size).fill(7);
let counted = 0;
const fresh = (size: number): Uint8Array => new Uint8Array(size).fill(++counted % 251);

const service = (store: Store, randomBytes = fresh): MusigSessions =>
  createMusigSessions({
    ...{
      store,
      gate: gateOver(store),
      held: heldOver(store, gateOver(store)),
      network: 'regtest',
      clock: Date.now,
      randomBytes,
    },
    computing: computeHere({ network: 'regtest', randomBytes }),
  });
const context = () => requestContext();
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

const begin = (sessions: MusigSessions, signers: readonly TestSigner[]) =>
  sessions.create(
    {
      publicKeys: signers.map(({ publicKey }) => bytes(publicKey)),
      ...{ sort: true, tweaks: [], taproot: null, message: new Uint8Array(32).fill(9), name: null, externalId: null },
    },
    context(),
  );
/** As the wire has it. */
const shown = ({ participants, message }: MusigSessionRecord) => ({
  participants: participants.map(({ publicKey, publicNonce }) => ({
    public_key: publicKey,
    public_nonce: publicNonce,
  })),
  message,
  tweaks: [],
  taproot: null,
});
const nonceOf = ({ participants }: MusigSessionRecord, { publicKey }: TestSigner) =>
  participants.find((one) => one.publicKey === publicKey)?.publicNonce;
const fulfilled = <T>(settled: readonly PromiseSettledResult<T>[]): T[] =>
  settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));

describe('two processes on one PostgreSQL', () => {
  it('take every nonce and partial signature once, and sign once', async () => {
    const url = await server.newTables();
    const stores = [
      await openPostgresStore({ url, log: silent, clock: Date.now }),
      await openPostgresStore({ url, log: silent, clock: Date.now }),
    ] as const;
    try {
      await stores[0].write((tx) => tx.accounts.insert(accountRecord('acc_one')));
      const [one, two] = [service(stores[0]), service(stores[1])];
      for (let round = 0; round < 5; round++) {
        const signers = [testSigner(), testSigner(), testSigner()] as const;
        const [first, second, last] = signers;
        const { sessionId, aggregateKey, message } = await begin(one, signers);
        // The two nonces at the same time, each in both processes.
        const given = await Promise.allSettled(
          [first, second].flatMap(({ publicKey, nonce }) =>
            [one, two].map((process) => process.addNonce(sessionId, publicKey, nonce, context())),
          ),
        );
        expect(fulfilled(given)).toHaveLength(2);
        const signed = await Promise.allSettled(
          [one, two, one, two].map((process) => process.sign(sessionId, last.key, context())),
        );
        expect(fulfilled(signed)).toHaveLength(1);
        for (const outcome of signed) {
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'state_conflict' });
        }
        const ready = await two.get(sessionId, context());
        expect([ready]).toEqual(fulfilled(signed));
        const partials = [first, second].map((signer) => [signer.publicKey, signer.sign(shown(ready))] as const);
        const added = await Promise.allSettled(
          partials.flatMap(([publicKey, partial]) =>
            [one, two].map((process) => process.addPartialSignature(sessionId, publicKey, partial, context())),
          ),
        );
        expect(fulfilled(added)).toHaveLength(2);
        const { state, signature } = await one.get(sessionId, context());
        expect(state).toBe('complete');
        expect(schnorrProblem(bytes(message), bytes(aggregateKey), bytes(signature as string))).toBeNull();
      }
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
  });
});

describe('a database that is put back', () => {
  it('brings no nonce back: another challenge has another nonce, also where the randomness repeats', async () => {
    await using original = await openTemporarySqlite();
    await original.store.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
    const before = service(original.store, stuck);
    const [other, last] = [testSigner(), testSigner()];
    const { sessionId } = await begin(before, [other, last]);
    const path = join(original.directory, 'backup.db');
    await original.store.backupTo(path);

    await before.addNonce(sessionId, other.publicKey, other.nonce, context());
    const first = await before.sign(sessionId, last.key, context());

    const restored = await openSqliteStore({ path, role: 'service', log: silent, clock: Date.now });
    try {
      // The other signer has another nonce for the session that seems to have just begun.
      const after = service(restored, stuck);
      await after.addNonce(sessionId, other.publicKey, testSigner().nonce, context());
      const second = await after.sign(sessionId, last.key, context());
      expect(second.state).toBe(first.state);
      expect(nonceOf(second, last)).not.toBe(nonceOf(first, last));
    } finally {
      await restored.close();
    }
  });

  it('with the very same challenge signs the very same, or by another nonce', async () => {
    const nonces: (string | null | undefined)[] = [];
    const [other, last] = [testSigner(), testSigner()];
    for (const randomness of [stuck, stuck, fresh]) {
      await using database = await openTemporarySqlite();
      await database.store.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
      const sessions = service(database.store, randomness);
      const { sessionId } = await begin(sessions, [other, last]);
      await sessions.addNonce(sessionId, other.publicKey, other.nonce, context());
      nonces.push(nonceOf(await sessions.sign(sessionId, last.key, context()), last));
    }
    expect(nonces[0]).toBe(nonces[1]);
    expect(nonces[2]).not.toBe(nonces[0]);
  });

  it('holds nothing secret', async () => {
    await using database = await openTemporarySqlite();
    await database.store.write((tx) => tx.accounts.insert(accountRecord('acc_one')));
    const sessions = service(database.store);
    const [other, last] = [testSigner(), testSigner()];
    const { sessionId } = await begin(sessions, [other, last]);
    await sessions.addNonce(sessionId, other.publicKey, other.nonce, context());
    const { participants, ...session } = await sessions.sign(sessionId, last.key, context());
    expect(Object.keys(participants[0] ?? {}).sort()).toEqual(['partialSignature', 'publicKey', 'publicNonce']);
    expect(JSON.stringify({ participants, session })).not.toContain(last.key);
  });
});
