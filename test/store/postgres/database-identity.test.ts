/** Whether a PostgreSQL database is known to be where it was: after dumps that were restored, templates, and recovery to a point in time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freezeRestored } from '../../../src/services/oracles/freeze-restored.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { localOracle, oracleEventRecord } from '../../builders/contract-records.ts';
import { type PostgresServer, startPostgres } from '../../builders/postgres-server.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { silent } from '../../builders/stores.ts';

describe('the home of a PostgreSQL database', () => {
  let directory: string;
  let port: number;
  let server: PostgresServer;
  const start = (...settings: string[]) =>
    startPostgres({ directory, port, user: 'ashlar', password: 'ashlar', settings: ['fsync=off', ...settings] });
  const url = (name: string, user = 'ashlar') => `postgres://${user}:ashlar@127.0.0.1:${port}/${name}`;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ashlar-home-'));
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    port = (probe.address() as { port: number }).port;
    await new Promise((resolve) => probe.close(resolve));
    server = await start();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function sql(name: string, ...statements: string[]): Promise<void> {
    const client = new pg.Client(url(name));
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }
  async function run<T>(
    name: string,
    work: (store: Store, frozen: number) => Promise<T>,
    user?: string,
    identityFileFor?: string,
  ): Promise<T> {
    const store = await openPostgresStore({
      ...{ url: url(name, user), log: silent, clock: Date.now },
      ...(identityFileFor === undefined ? {} : { identityFileFor }),
    });
    try {
      return await work(store, await freezeRestored({ store, clock: Date.now, log: silent }));
    } finally {
      await store.close();
    }
  }
  const frozenAtStart = (name: string) => run(name, async (_, frozen) => frozen);
  const commit = (store: Store, event: string) =>
    store.write((tx) =>
      tx.oracleEvents.commitOutcome({ accountId: 'acc_one', oracleId: 'ora_own', eventId: event }, '["yes"]', 5),
    );
  async function announced(name: string, user?: string): Promise<void> {
    await sql('postgres', `CREATE DATABASE ${name}${user ? ` OWNER ${user}` : ''}`);
    await run(
      name,
      (store) =>
        store.write(async (tx) => {
          await tx.accounts.insert(accountRecord('acc_one'));
          await tx.oracles.insert(localOracle('ora_own'));
          for (const event of ['a', 'b']) await tx.oracleEvents.insert(oracleEventRecord('ora_own', event));
        }),
      user,
    );
  }

  it('stays the same over restarts, replicas that start at once, vacuum, and a server that crashed', async () => {
    await announced('same');
    expect(await Promise.all([1, 2, 3].map(() => frozenAtStart('same')))).toEqual([0, 0, 0]);
    await run('same', (store) => commit(store, 'a'));
    await sql('same', 'VACUUM FREEZE settings', 'VACUUM FULL', 'CHECKPOINT');
    expect(await frozenAtStart('same')).toBe(0);
    await server.stop();
    server = await start();
    expect(await frozenAtStart('same')).toBe(0);
  });

  it('lets decisions come at once, from several processes', async () => {
    await announced('busy');
    await run('busy', async (one) => {
      await run('busy', async (two) => {
        await one.write(async (tx) => {
          for (let n = 0; n < 20; n++) await tx.oracleEvents.insert(oracleEventRecord('ora_own', `e${n}`));
        });
        const answers = await Promise.all(
          Array.from({ length: 40 }, (_, n) => commit(n % 2 ? one : two, `e${n % 20}`)),
        );
        expect(new Set(answers)).toEqual(new Set(['["yes"]']));
      });
    });
    expect(await frozenAtStart('busy')).toBe(0);
  });

  it('is another in a database made from it, and the original stays', async () => {
    await announced('original');
    await sql('postgres', 'CREATE DATABASE copied TEMPLATE original');
    expect(await frozenAtStart('copied')).toBe(2);
    expect(await frozenAtStart('copied')).toBe(0);
    expect(await frozenAtStart('original')).toBe(0);
  });

  it('is another where rows were put back into the tables that were there, as from a dump', async () => {
    await announced('rows');
    await sql(
      'rows',
      'CREATE TEMPORARY TABLE dump AS SELECT * FROM settings',
      'DELETE FROM settings',
      'INSERT INTO settings SELECT * FROM dump',
    );
    expect(await frozenAtStart('rows')).toBe(2);
    expect(await frozenAtStart('rows')).toBe(0);
  });

  it('is told by a role that may do nothing but own the database', async () => {
    await sql('postgres', "CREATE ROLE plain LOGIN PASSWORD 'ashlar' NOSUPERUSER");
    await announced('owned', 'plain');
    expect(await run('owned', async (_, frozen) => frozen, 'plain')).toBe(0);
    await run('owned', (store) => commit(store, 'a'), 'plain');
    await sql('postgres', 'CREATE DATABASE taken TEMPLATE owned OWNER plain');
    expect(await run('taken', async (_, frozen) => frozen, 'plain')).toBe(2);
  });

  it('is another where the disk was put back, for who has seen decisions since, at the start and without one', async () => {
    await announced('disk');
    const witness = join(directory, 'witness');
    const elsewhere = join(directory, 'witness of another process');
    const rolledBack = () => sql('disk', "UPDATE settings SET value = '0' WHERE name = 'store.decisions'");
    await run('disk', async (store) => expect(await commit(store, 'a')).toBe('["yes"]'), undefined, witness);
    expect(await run('disk', async (_, frozen) => frozen, undefined, witness)).toBe(0);
    await run(
      'disk',
      async (store, frozen) => {
        expect(frozen).toBe(0);
        expect(await commit(store, 'a')).toBe('["yes"]');
        await rolledBack();
        await expect(commit(store, 'b')).rejects.toMatchObject({ message: expect.stringMatching(/put back/) });
      },
      undefined,
      elsewhere,
    );
    await rolledBack();
    // Both outcomes were decided, and neither is known to be attested.
    expect(await run('disk', async (_, frozen) => frozen, undefined, witness)).toBe(2);
    expect(await run('disk', async (_, frozen) => frozen, undefined, witness)).toBe(0);
  });

  it('is another after recovery from an archive, which is seen at the next decision even without a start', async () => {
    await announced('recovered');
    await server.stop();
    writeFileSync(join(directory, 'data', 'recovery.signal'), '');
    server = await start('restore_command=/bin/false');
    const store = await openPostgresStore({ url: url('recovered'), log: silent, clock: Date.now });
    try {
      await expect(commit(store, 'a')).rejects.toMatchObject({
        code: 'oracle_frozen',
        message: expect.stringMatching(/gone over to another server/),
      });
      expect(await store.read.oracleEvents.find('acc_one', 'ora_own', 'a')).toMatchObject({ committedOutcome: null });
    } finally {
      await store.close();
    }
    await run('recovered', async (started, frozen) => {
      expect(frozen).toBe(2);
      await expect(commit(started, 'a')).rejects.toMatchObject({
        message: expect.stringMatching(/restored or copied/),
      });
      await started.write((tx) => tx.oracleEvents.insert(oracleEventRecord('ora_own', 'new')));
      expect(await commit(started, 'new')).toBe('["yes"]');
    });
  });
});
