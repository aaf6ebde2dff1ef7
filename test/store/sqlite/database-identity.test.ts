/** Whether a SQLite database is known to be where it was, with all that was decided in it: whatever was done to its files. */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freezeRestored } from '../../../src/services/oracles/freeze-restored.ts';
import { restoreSqlite } from '../../../src/store/sqlite/restore.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { localOracle, oracleEventRecord } from '../../builders/contract-records.ts';
import { accountRecord } from '../../builders/store-records.ts';
import { silent } from '../../builders/stores.ts';

describe('the home of a SQLite database', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'ashlar-home-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const directory = (name: string) => join(root, name);
  const database = (name: string) => join(root, name, 'ashlar.db');
  const open = (name: string) =>
    openSqliteStore({ path: database(name), role: 'service', log: silent, clock: Date.now });
  const commit = (store: Store, event: string, outcome = '["yes"]') =>
    store.write((tx) =>
      tx.oracleEvents.commitOutcome({ accountId: 'acc_one', oracleId: 'ora_own', eventId: event }, outcome, 5),
    );

  /** As a service does it at its start; answers how many events froze. */
  async function run<T>(name: string, work: (store: Store, frozen: number) => Promise<T>): Promise<T> {
    const store = await open(name);
    try {
      return await work(store, await freezeRestored({ store, clock: Date.now, log: silent }));
    } finally {
      await store.close();
    }
  }
  const frozenAtStart = (name: string) => run(name, async (_, frozen) => frozen);

  /** A service that has announced two events. */
  const announced = () =>
    run('data', async (store, frozen) => {
      expect(frozen).toBe(0);
      await store.write(async (tx) => {
        await tx.accounts.insert(accountRecord('acc_one'));
        await tx.oracles.insert(localOracle('ora_own'));
        for (const event of ['a', 'b']) await tx.oracleEvents.insert(oracleEventRecord('ora_own', event));
      });
    });

  it('stays the same over restarts, decisions, crashes, permissions, and a move of the directory', async () => {
    await announced();
    expect(await frozenAtStart('data')).toBe(0);
    await run('data', async (store) => {
      expect(await commit(store, 'a')).toBe('["yes"]');
      expect(await commit(store, 'a', '["no"]')).toBe('["yes"]');
    });
    expect(await frozenAtStart('data')).toBe(0);
    for (const file of ['ashlar.db', 'ashlar.db.home']) chmodSync(join(directory('data'), file), 0o640);
    expect(await frozenAtStart('data')).toBe(0);
    renameSync(directory('data'), directory('moved'));
    expect(await frozenAtStart('moved')).toBe(0);
  });

  const copies: Record<string, () => void> = {
    'a copy of the directory': () => cpSync(directory('data'), directory('copy'), { recursive: true }),
    'a copy of the directory that keeps its times': () =>
      cpSync(directory('data'), directory('copy'), { recursive: true, preserveTimestamps: true }),
    'a copy of the database alone': () => {
      cpSync(directory('data'), directory('copy'), {
        recursive: true,
        filter: (source) => !source.endsWith('.home'),
      });
    },
    'the database with another witness': () => {
      cpSync(directory('data'), directory('copy'), { recursive: true });
      writeFileSync(`${database('copy')}.home`, JSON.stringify({ nonce: 'other', decisions: 0, seconds: 0 }));
      utimesSync(`${database('copy')}.home`, 0, 0);
    },
  };
  for (const [what, copy] of Object.entries(copies)) {
    it(`is another for ${what}: its events freeze, once, and the original's do not`, async () => {
      await announced();
      copy();
      expect(await frozenAtStart('copy')).toBe(2);
      await run('copy', async (store, frozen) => {
        expect(frozen).toBe(0);
        await expect(commit(store, 'a')).rejects.toMatchObject({ code: 'oracle_frozen' });
        await store.write((tx) => tx.oracleEvents.insert(oracleEventRecord('ora_own', 'new')));
        expect(await commit(store, 'new')).toBe('["yes"]');
      });
      expect(await frozenAtStart('copy')).toBe(0);
      expect(await frozenAtStart('data')).toBe(0);
    });
  }

  it('is lost with its witness, and where that is damaged', async () => {
    await announced();
    truncateSync(`${database('data')}.home`, 20);
    expect(await frozenAtStart('data')).toBe(2);
    await run('data', (store) => store.write((tx) => tx.oracleEvents.insert(oracleEventRecord('ora_own', 'c'))));
    rmSync(`${database('data')}.home`);
    expect(await frozenAtStart('data')).toBe(1);
  });

  it('is another for an older database written over it in its place, when something was decided since', async () => {
    await announced();
    const older = join(root, 'older.db');
    copyFileSync(database('data'), older);
    expect(existsSync(`${database('data')}-wal`)).toBe(false);
    await run('data', (store) => commit(store, 'a'));
    // The same file, as the file system has it.
    copyFileSync(older, database('data'));
    await run('data', async (store, frozen) => {
      expect(frozen).toBe(2);
      await expect(commit(store, 'a', '["no"]')).rejects.toMatchObject({ code: 'oracle_frozen' });
    });
  });

  it('is another for both files written over in their place, as a copy does that is told nothing of times', async () => {
    await announced();
    const files = ['ashlar.db', 'ashlar.db.home'];
    for (const file of files) copyFileSync(join(directory('data'), file), join(root, file));
    await run('data', (store) => commit(store, 'a'));
    for (const file of files) copyFileSync(join(root, file), join(directory('data'), file));
    utimesSync(`${database('data')}.home`, 1_900_000_000, 1_900_000_000);
    expect(await frozenAtStart('data')).toBe(2);
  });

  it('hears of a decision before whoever decides does: where it cannot be written, nobody goes on to sign', async () => {
    await announced();
    await run('data', async (store) => {
      rmSync(`${database('data')}.home`);
      mkdirSync(`${database('data')}.home`);
      await expect(commit(store, 'a')).rejects.toThrow(/EISDIR/);
      rmSync(`${database('data')}.home`, { recursive: true });
    });
  });

  it('is another for a backup that is restored, which says how many events it froze', async () => {
    await announced();
    const file = join(root, 'backup.db');
    await run('data', async (store) => {
      await store.backupTo(file);
      await commit(store, 'a');
    });
    expect(await restoreSqlite(file, database('restored'), 77)).toEqual({ frozenEvents: 2 });
    await run('restored', async (store, frozen) => {
      expect(frozen).toBe(0);
      expect(await store.read.oracleEvents.find('acc_one', 'ora_own', 'a')).toMatchObject({ frozenAt: 77 });
      await expect(commit(store, 'b')).rejects.toMatchObject({ code: 'oracle_frozen' });
    });
  });
});
