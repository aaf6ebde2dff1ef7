/**
 * kill -9 at random moments under a mix of writes, on SQLite and on PostgreSQL: what was acknowledged is there exactly once with its
 * audit record, what was not at most once, and asking again under the same Idempotency-Key gives the recorded answer or makes the effect
 * once. CRASHES=n kills n times for each database, CRASH_SEED=n repeats a run.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../builders/service-process.ts';
import { type TemporaryPostgres, withPostgres } from '../builders/stores.ts';
import { KINDS } from './crashes/mix.ts';
import { runSeries, type Series } from './crashes/series.ts';
import { allConfirmed, auditVerdict, chainVerdict, effectsVerdict, sumsVerdict } from './crashes/verdict.ts';

const CRASHES = Number(process.env.CRASHES ?? 100);
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const MAX_MS = 600_000 + CRASHES * 5_000;

describe(`${CRASHES} crashes under writes (CRASH_SEED=${SEED})`, () => {
  let postgres: TemporaryPostgres;
  let folder: string;

  beforeAll(async () => {
    postgres = await withPostgres();
    folder = mkdtempSync(join(tmpdir(), 'ashlar-crashes-'));
    writeFileSync(join(folder, 'master.key'), crypto.getRandomValues(Buffer.alloc(32)), { mode: 0o600 });
  });
  afterAll(async () => {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ENVIRONMENTS = {
    SQLite: async () => ({}),
    PostgreSQL: async () => ({
      DATABASE_URL: await postgres.newDatabase(),
      MASTER_KEY_FILE: join(folder, 'master.key'),
    }),
  };

  it.concurrent.each(['SQLite', 'PostgreSQL'] as const)(
    'lose nothing that was acknowledged and do nothing twice, on %s',
    async (database) => {
      const env = { ...(await ENVIRONMENTS[database]()), NODE_COMPILE_CACHE: join(folder, 'compiled') };
      const series = await runSeries({ env, seed: SEED, crashes: CRASHES });
      try {
        await verdict(database, series);
      } finally {
        await series.service.dispose();
      }
    },
    MAX_MS,
  );
});

async function verdict(database: string, series: Series): Promise<void> {
  const { wishes, faults } = series;
  const after = await effectsVerdict(series);
  process.stdout.write(`${database}: ${CRASHES} crashes, CRASH_SEED=${SEED}, ${JSON.stringify(after.tally)}\n`);
  expect(faults).toEqual([]);
  expect(after.wrong).toEqual([]);
  // What broke off is asked for once more: now it is certain.
  for (const wish of wishes.filter(({ outcome }) => outcome === 'unknown')) {
    await eventually(`${wish.mark} is answered`, async () => {
      await series.ask(wish);
      return wish.outcome !== 'unknown';
    });
  }
  expect((await effectsVerdict(series)).wrong).toEqual([]);
  expect(faults).toEqual([]);
  // Both ways of ending were met: else this shows nothing.
  expect(after.tally.done).toBeGreaterThan(CRASHES);
  if (CRASHES >= 100) {
    const done = new Set(wishes.filter(({ outcome }) => outcome === 'done').map(({ kind }) => kind.operation));
    expect([...done].sort()).toEqual(KINDS.map(({ operation }) => operation).sort());
  }
  expect(after.tally.broken).toBeGreaterThan(CRASHES);
  expect(await auditVerdict(series)).toEqual([]);
  await allConfirmed(series);
  expect(await sumsVerdict(series)).toEqual([]);
  expect(await chainVerdict(series)).toEqual([]);
}
