import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/store/queries/session.ts';
import { openConnection, type SqliteConnection } from '../../../src/store/sqlite/connection.ts';
import { createGroupCommit, type GroupCommit } from '../../../src/store/sqlite/group-commit.ts';

const run = (session: Session, sql: string) => session.run({ sql, parameters: [] });
const insert = (session: Session, name: string) => run(session, `insert into things (name) values ('${name}')`);

describe('group commit', () => {
  let directory: string;
  let connection: SqliteConnection;
  let group: GroupCommit;
  let commits: string[];
  let eventCalls: number;

  const open = (maxJobs?: number, maxGatherMs = 60_000, busyTurnMs = Number.POSITIVE_INFINITY) =>
    createGroupCommit({
      ...{ connection, maxBatchMs: 60_000, maxGatherMs, busyTurnMs, onEvents: () => eventCalls++ },
      ...(maxJobs ? { maxJobs } : {}),
    });
  /** What another connection sees. */
  const committed = () => {
    const other = new DatabaseSync(join(directory, 'db'), { readOnly: true });
    const names = other
      .prepare('select name from things order by rowid')
      .all()
      .map((row) => row.name);
    other.close();
    return names;
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ashlar-group-'));
    connection = openConnection(join(directory, 'db'));
    connection.database.exec('create table things (name text unique, parent text references things (name)) strict');
    commits = [];
    eventCalls = 0;
    const exec = connection.database.exec.bind(connection.database);
    connection.database.exec = (sql: string) => {
      exec(sql);
      if (sql === 'COMMIT') commits.push(sql);
    };
    group = open();
  });
  afterEach(async () => {
    await group.close();
    connection.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test('a long job lets others have the event loop between its statements, and is one transaction', async () => {
    const seen: unknown[][] = [];
    const look = setInterval(() => seen.push(committed()), 1);
    await group.write(async (session) => {
      for (let at = 0; at < 5_000; at++) await insert(session, `thing ${at}`);
    });
    clearInterval(look);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((names) => names.length === 0)).toBe(true);
    expect(committed()).toHaveLength(5_000);
  });

  test.each([
    { maxGatherMs: 60_000, shared: true },
    { maxGatherMs: 0, shared: false },
  ])('jobs that come in turn after turn share one COMMIT, for $maxGatherMs ms at most', async ({
    maxGatherMs,
    shared,
  }) => {
    group = open(undefined, maxGatherMs);
    const written = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      written.push(group.write((session) => insert(session, name)));
      await nextTurn();
    }
    await Promise.all(written);
    expect(commits.length === 1).toBe(shared);
    expect(committed()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test.each([
    { busyTurnMs: 1, shared: true },
    { busyTurnMs: Number.POSITIVE_INFINITY, shared: false },
  ])('what others compute for $busyTurnMs ms a turn is waited for', async ({ busyTurnMs, shared }) => {
    group = open(undefined, undefined, busyTurnMs);
    const written = [group.write((session) => insert(session, 'a'))];
    for (let turn = 0; turn < 5; turn++) {
      for (const until = performance.now() + 3; performance.now() < until; );
      await nextTurn();
    }
    written.push(group.write((session) => insert(session, 'b')));
    await Promise.all(written);
    expect(commits.length === 1).toBe(shared);
  });

  test('a job alone waits two turns', async () => {
    const written = group.write((session) => insert(session, 'a'));
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(committed()).toEqual(['a']);
    await written;
  });

  test('jobs that wait together share one COMMIT, and none is answered before it', async () => {
    const answered: string[] = [];
    const during: unknown[] = [];
    const jobs = ['a', 'b', 'c', 'd'].map((name) =>
      group
        .write(async (session) => {
          await insert(session, name);
          await Promise.resolve();
          during.push([...answered], committed());
        })
        .then(() => answered.push(name)),
    );
    await Promise.all(jobs);
    expect(during.every((seen) => (seen as unknown[]).length === 0)).toBe(true);
    expect(commits).toHaveLength(1);
    expect(answered).toEqual(['a', 'b', 'c', 'd']);
    expect(committed()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a job that comes in while a batch is open joins it', async () => {
    let joined: Promise<unknown> | undefined;
    await group.write(async (session) => {
      await insert(session, 'first');
      joined = group.write((later) => insert(later, 'joined'));
    });
    await joined;
    expect(commits).toHaveLength(1);
  });

  test('a batch takes no more jobs than its bound', async () => {
    const bounded = open(4);
    await Promise.all(Array.from({ length: 10 }, (_, i) => bounded.write((session) => insert(session, `t${i}`))));
    expect(commits).toHaveLength(3);
    expect(committed()).toHaveLength(10);
  });

  test('a failing job rolls back alone, also when it had caught an error before', async () => {
    const outcomes = await Promise.allSettled([
      group.write((session) => insert(session, 'a')),
      group.write(async (session) => {
        await insert(session, 'lost');
        await insert(session, 'a').catch(() => {});
        throw new Error('refused');
      }),
      group.write(async (session) => {
        await insert(session, 'a').catch(() => {});
        await insert(session, 'b');
      }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(committed()).toEqual(['a', 'b']);
    expect(commits).toHaveLength(1);
  });

  test('when COMMIT fails every job of the batch is refused, and the writer goes on', async () => {
    const outcomes = await Promise.allSettled([
      group.write((session) => insert(session, 'innocent')),
      group.write(async (session) => {
        // Checked at COMMIT, which then fails.
        await run(session, 'pragma defer_foreign_keys = on');
        await run(session, "insert into things (name, parent) values ('orphan', 'nobody')");
      }),
      group.write(async () => {
        throw new Error('refused');
      }),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'FOREIGN KEY constraint failed' } });
    }
    expect(committed()).toEqual([]);
    await group.write((session) => insert(session, 'next'));
    expect(committed()).toEqual(['next']);
  });

  test('when the transaction is lost midway every job of the batch so far is refused', async () => {
    const outcomes = await Promise.allSettled([
      group.write((session) => insert(session, 'before')),
      group.write(async (session) => {
        // As a full disk or an I/O error does.
        await run(session, 'rollback');
        await insert(session, 'outside').catch(() => {});
        throw new Error('disk is full');
      }),
      group.write((session) => insert(session, 'after')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(committed()).toContain('after');
    expect(committed()).not.toContain('before');
  });

  test('a database that may not grow refuses as unavailable what finds no room, and takes it later', async () => {
    const { page_count: pages } = connection.database.prepare('pragma page_count').get() as { page_count: number };
    connection.database.exec(`pragma max_page_count = ${pages + 2}`);
    const large = 'x'.repeat(1_000_000);
    await expect(group.write((session) => insert(session, large))).rejects.toMatchObject({
      ...{ code: 'unavailable', writesOnly: true, cause: { errcode: 13 } },
      message: expect.stringMatching(/no room is left/),
    });
    await group.write((session) => insert(session, 'small'));
    connection.database.exec('pragma max_page_count = 1000000');
    await group.write((session) => insert(session, large));
    expect(committed()).toEqual(['small', large]);
  });

  test('a database locked by another process is waited for without holding the event loop, and then refuses as unavailable', async () => {
    connection.database.exec('pragma busy_timeout = 0');
    const other = new DatabaseSync(join(directory, 'db'));
    other.exec('begin immediate');
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const impatient = createGroupCommit({ connection, onEvents: () => {}, busyMs: 30 });
    const refused = await Promise.allSettled([1, 2].map((i) => impatient.write((session) => insert(session, `t${i}`))));
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(2);
    for (const outcome of refused) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    }
    const waiting = group.write((session) => insert(session, 'waited'));
    setTimeout(() => other.exec('rollback'), 20);
    await waiting;
    other.close();
    await group.write((session) => insert(session, 'later'));
    expect(committed()).toEqual(['waited', 'later']);
    expect(group.depth()).toBe(0);
  });

  test('listeners hear once per batch that committed events, and nothing of a job rolled back', async () => {
    await Promise.all(
      Array.from({ length: 5 }, () =>
        group.write(async (session) => {
          session.note('events');
        }),
      ),
    );
    expect(eventCalls).toBe(1);
    const failing = group.write(async (session) => {
      session.note('events');
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(eventCalls).toBe(1);
  });
});
