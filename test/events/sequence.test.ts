import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import type { EventMessage } from '../../src/events/event-message.ts';
import { createFanOut } from '../../src/events/fan-out.ts';
import { createMessageRing } from '../../src/events/message-ring.ts';
import { createSequencer } from '../../src/events/sequencer.ts';
import type { NewEvent } from '../../src/store/records.ts';
import type { Store } from '../../src/store/store.ts';
import { openTemporarySqlite, withPostgres } from '../builders/stores.ts';
import { collectedLog } from '../secrets/collected.ts';

const log = collectedLog();
const DAY_MS = 24 * 3_600_000;

const block = (height: number): NewEvent => ({
  accountId: null,
  channel: 'blocks',
  ref: `${height}`,
  data: { height, hash: `${height}`, timestamp: height },
});

const message = (seq: bigint, size = 10): EventMessage => ({
  seq,
  accountId: null,
  channel: 'blocks',
  ref: '',
  bytes: Buffer.alloc(size),
  createdAt: 0,
  timed: () => Buffer.alloc(size),
});

async function waitFor(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 5 }).toBe(true);
}

async function running(store: Store, clock: () => number = Date.now) {
  const fanOut = createFanOut({ store, log, pollMs: 20 });
  const sequencer = createSequencer({ store, clock, log, onNumbered: fanOut.wake, pollMs: 20 });
  await fanOut.start();
  sequencer.start();
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await sequencer.stop();
    await fanOut.stop();
  };
  onTestFinished(stop);
  return { fanOut, stop };
}

describe('one sequence', () => {
  it('numbers densely from 1, and every subscriber gets all in order, from many writers at once', async () => {
    await using sqlite = await openTemporarySqlite();
    const { store } = sqlite;
    const { fanOut, stop } = await running(store);
    const got: bigint[] = [];
    fanOut.subscribe({ accountId: 'acc_a', channel: 'blocks', subject: 'key_a' }, ({ seq }) => got.push(seq));
    await Promise.all(Array.from({ length: 300 }, (_, i) => store.write((tx) => tx.events.append(block(i)))));
    await waitFor(() => got.length >= 300);
    expect(got).toEqual(Array.from({ length: 300 }, (_, i) => BigInt(i + 1)));
    await stop();
  });

  it('is one over a restart: what was appended meanwhile follows, and is not delivered as live', async () => {
    await using sqlite = await openTemporarySqlite();
    const { store } = sqlite;
    const first = await running(store);
    await store.write((tx) => tx.events.appendMany([block(1), block(2)]));
    await waitFor(() => first.fanOut.position() === 2n);
    await first.stop();
    await store.write((tx) => tx.events.append(block(3)));
    const second = await running(store);
    expect(second.fanOut.position()).toBe(3n);
    const missed = await second.fanOut.replay({ accountId: 'acc_a', channel: 'blocks', subject: 'key_a' }, 2n, 10);
    expect(missed.map(({ seq }) => seq)).toEqual([3n]);
    await second.stop();
  });

  it('gives what is one subject’s own to that one alone, live, from memory and from the database', async () => {
    await using sqlite = await openTemporarySqlite();
    const { store } = sqlite;
    const { fanOut, stop } = await running(store);
    const ofOne = { accountId: 'acc_a', channel: 'notifications', subject: 'usr_one' } as const;
    const live: bigint[] = [];
    fanOut.subscribe(ofOne, ({ seq }) => live.push(seq));
    const told = [ofOne, { ...ofOne, subject: 'usr_two' }, { ...ofOne, accountId: 'acc_b' as const }, ofOne];
    const events = told.map(({ subject: ref, ...event }): NewEvent => ({ ...event, ref, data: {} }));
    await store.write((tx) => tx.events.appendMany(events));
    await expect.poll(() => fanOut.position(), { timeout: 90_000 }).toBe(4n);
    const seqs = (messages: readonly EventMessage[] | null) => messages?.map(({ seq }) => seq);
    expect([live, seqs(fanOut.recent(ofOne, 0n)), seqs(await fanOut.replay(ofOne, 0n, 10))]).toEqual(
      Array.from({ length: 3 }, () => [1n, 4n]),
    );
    await stop();
  });

  it('forgets events after 30 days, not their numbers', async () => {
    let now = 1_700_000_000_000;
    await using sqlite = await openTemporarySqlite({ clock: () => now });
    const { store } = sqlite;
    const { fanOut, stop } = await running(store, () => now);
    await store.write((tx) => tx.events.append(block(1)));
    await waitFor(() => fanOut.position() === 1n);
    now += 29 * DAY_MS;
    await store.write((tx) => tx.events.append(block(2)));
    await waitFor(() => fanOut.position() === 2n);
    expect(await fanOut.oldestSeq()).toBe(1n);
    now += 2 * DAY_MS;
    await expect.poll(() => fanOut.oldestSeq()).toBe(2n);
    now += 40 * DAY_MS;
    await expect.poll(() => store.read.events.firstSeq()).toBe(null);
    expect(await fanOut.oldestSeq()).toBe(3n);
    await store.write((tx) => tx.events.append(block(3)));
    await waitFor(() => fanOut.position() === 3n);
    await stop();
  });

  it('is delivered by every process on PostgreSQL, numbered by one', async () => {
    await using postgres = await withPostgres();
    const { openPostgresStore } = await import('../../src/store/postgres/postgres-store.ts');
    const url = await postgres.newTables();
    const stores = [
      await openPostgresStore({ url, log, clock: Date.now }),
      await openPostgresStore({ url, log, clock: Date.now }),
    ];
    const processes = [];
    for (const store of stores) processes.push(await running(store));
    const accountId = newId('acc', randomBytes);
    const got = processes.map(({ fanOut }) => {
      const seqs: bigint[] = [];
      fanOut.subscribe({ accountId, channel: 'blocks', subject: 'key_a' }, ({ seq }) => seqs.push(seq));
      return seqs;
    });
    await Promise.all(Array.from({ length: 200 }, (_, i) => stores[i % 2]!.write((tx) => tx.events.append(block(i)))));
    await waitFor(() => got.every((seqs) => seqs.length >= 200));
    const all = Array.from({ length: 200 }, (_, i) => BigInt(i + 1));
    expect(got).toEqual([all, all]);
    for (const { stop } of processes) await stop();
    for (const store of stores) await store.close();
  });
});

describe('the ring of recent messages', () => {
  it('answers exactly what came after a seq, or says that it may not have all', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 10, max: 200 }),
        fc.array(fc.record({ gap: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 1, max: 60 }) }), {
          maxLength: 80,
        }),
        fc.nat(250),
        (maxCount, maxBytes, pushed, after) => {
          const ring = createMessageRing(5n, maxCount, maxBytes);
          const all: EventMessage[] = [];
          let seq = 5n;
          for (const { gap, size } of pushed) {
            seq += BigInt(gap);
            all.push(message(seq, size));
            ring.push(all.at(-1)!);
          }
          const answer = ring.after(BigInt(after));
          if (answer) expect(answer).toEqual(all.filter((one) => one.seq > BigInt(after)));
          else expect(BigInt(after)).toBeLessThan(seq);
          const newest = all.at(-1);
          if (newest) expect(ring.after(newest.seq - 1n)).not.toBe(undefined);
        },
      ),
    );
  });

  it('keeps the newest within its bounds', () => {
    const ring = createMessageRing(0n, 3, 1_000);
    for (let seq = 1n; seq <= 10n; seq++) ring.push(message(seq));
    expect(ring.after(7n)?.map((one) => one.seq)).toEqual([8n, 9n, 10n]);
    expect(ring.after(6n)).toBe(null);
  });
});
