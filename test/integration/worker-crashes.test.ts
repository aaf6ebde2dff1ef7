/**
 * kill -9 of processes that work off a queue, at random moments: what is due is done to its end, each part once, on SQLite by one process
 * after another, on PostgreSQL by two of which one has the lock. WORKER_CRASHES=n kills n times, CRASH_SEED=n repeats the moments.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { childEnvironment } from '../builders/child-environment.ts';
import { eventually } from '../builders/service-process.ts';
import { accountRecord } from '../builders/store-records.ts';
import { openTemporarySqlite, silent, withPostgres } from '../builders/stores.ts';
import { seededRandom } from './crashes/random.ts';

const CRASHES = Number(process.env.WORKER_CRASHES ?? 20);
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const WORKER = fileURLToPath(new URL('crashes/worker-process.ts', import.meta.url));
const ACCOUNTS = 3;
const JOBS_OF_EACH = 4;
const SCRIPT = '0014751e76e8199196d454941c45d1b3a323f1433bd6';

async function insertJobs(store: Store, parts: number): Promise<string[]> {
  const marks: string[] = [];
  await store.write(async (tx) => {
    for (let at = 0; at < ACCOUNTS; at++) await tx.accounts.insert(accountRecord(`acc_${at}`));
    for (let at = 0; at < ACCOUNTS * JOBS_OF_EACH; at++) {
      const scanId = `scn_${at}`;
      await tx.addressScans.insert({
        ...{ scanId, accountId: `acc_${at % ACCOUNTS}`, address: 'a', scriptPubKey: SCRIPT, state: 'queued' },
        ...{ fromHeight: 0, atHeight: null, atHash: null, toHeight: parts, error: null, restarts: 0 },
        ...{ createdAt: at, finishedAt: null },
      });
      for (let part = 1; part <= parts; part++) marks.push(`${scanId} ${part}`);
    }
  });
  return marks.sort();
}

/** What was done, in no order, as often as it was. */
async function done(store: Store): Promise<string[]> {
  await store.write((tx) => tx.events.number(1_000_000));
  const events = await store.read.events.after(0n, 1_000_000);
  return events.map(({ data }) => (JSON.parse(data) as { hash: string }).hash).sort();
}

/** Kills one of `processes` after another, begins another in its place, and lets what is left be done. */
async function crash(processes: number, given: readonly string[], isOver: () => Promise<boolean>): Promise<void> {
  const random = seededRandom(SEED);
  const start = (): ChildProcess => {
    const child = spawn(process.execPath, [WORKER, ...given], {
      ...{ env: childEnvironment, stdio: ['ignore', 'pipe', 'inherit'] },
    });
    // What nobody reads would stop it.
    child.stdout?.resume();
    return child;
  };
  const running = Array.from({ length: processes }, start);
  const end = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(() => Promise.all(running.map(end)).then(() => undefined));
  for (let at = 0; at < CRASHES; at++) {
    // One of them has begun a job.
    await Promise.race(running.map((child) => once(child.stdout!, 'data')));
    await sleep(random.between(0, 40));
    const which = at % processes;
    await end(running[which]!);
    running[which] = start();
  }
  await eventually('all is done', isOver);
  await Promise.all(running.map(end));
}

it(`does each part once over ${CRASHES} crashes on SQLite (CRASH_SEED=${SEED})`, async () => {
  const { store, path, directory, close } = await openTemporarySqlite();
  const marks = await insertJobs(store, CRASHES * 8);
  await store.close();
  const over = async (): Promise<boolean> => {
    const beside = await openSqliteStore({ path, role: 'tool', log: silent, clock: Date.now });
    const open = await beside.read.addressScans.open();
    await beside.close();
    return open.length === 0;
  };
  await crash(1, [directory], over);
  const after = await openSqliteStore({ path, role: 'service', log: silent, clock: Date.now });
  onTestFinished(() => after.close().then(close));
  expect(await done(after)).toEqual(marks);
});

it(`does each part once over ${CRASHES} crashes of two processes on PostgreSQL (CRASH_SEED=${SEED})`, async () => {
  await using postgres = await withPostgres();
  const url = await postgres.newTables();
  const store = await openPostgresStore({ url, log: silent, clock: Date.now });
  onTestFinished(() => store.close());
  const { directory, close } = await openTemporarySqlite();
  onTestFinished(close);
  const marks = await insertJobs(store, CRASHES * 8);
  await crash(2, [directory, url], async () => (await store.read.addressScans.open()).length === 0);
  expect(await done(store)).toEqual(marks);
});
