/**
 * A process that works off a queue of jobs: address scans of so many parts, each part one write of its progress and of what it did. Given a
 * directory, or a directory and the URL of a PostgreSQL; says `works` whenever it begins one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { BlockHash } from '../../../src/core/outpoint.ts';
import { createJobQueue } from '../../../src/scheduling/job-queue.ts';
import { openStore } from '../../../src/store/open-store.ts';

const [dataDir = '', databaseUrl = null] = process.argv.slice(2);
const log = pino({ enabled: false });
const store = await openStore({ dataDir, databaseUrl, log, clock: Date.now });

const queue = createJobQueue({
  ...{
    name: 'test',
    failed: '',
    recovered: '',
    log,
    clock: Date.now,
    intervalMs: 20,
    atOnce: { all: 3, ofAccount: 2 },
  },
  failing: { began: (error) => process.stderr.write(`${error}\n`), ended: () => {}, goesOn: () => false },
  alone: (signal, rounds) => store.exclusively('contracts', signal, rounds),
  due: async () => (await store.read.addressScans.open()).map((scan) => ({ ...scan, key: scan.scanId })),
  async perform(scan) {
    process.stdout.write('works\n');
    // It reads first and writes later, as whoever asks a server: only because nobody else works on it is the part done once.
    const part = (scan.atHeight ?? 0) + 1;
    await sleep(Math.random() * 4);
    const done = part === scan.toHeight;
    await store.write(async (tx) => {
      const data = { height: part, hash: `${scan.scanId} ${part}`, timestamp: 0 };
      await tx.events.append({ accountId: null, channel: 'blocks', ref: scan.scanId, data });
      await tx.addressScans.update(scan, {
        state: done ? 'done' : 'running',
        atHeight: part,
        atHash: '00'.repeat(32) as BlockHash,
      });
    });
    return done ? 'done' : 'more';
  },
});
queue.start();
