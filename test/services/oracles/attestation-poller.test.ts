import { describe, expect, it } from 'vitest';
import { createAttestationPoller } from '../../../src/services/oracles/attestation-poller.ts';
import type { OracleEventRecord } from '../../../src/services/oracles/oracle-service.ts';
import type { Store } from '../../../src/store/store.ts';
import { silent } from '../../builders/stores.ts';

const MATURITY = 1_000_000;
const eventOf = (eventId: string): OracleEventRecord => ({
  accountId: 'acc_one',
  oracleId: 'ora_one',
  eventId,
  announcement: '',
  maturityEpoch: MATURITY,
  descriptor: '{}',
  nonces: null,
  committedOutcome: null,
  committedAt: null,
  frozenAt: null,
  createdAt: 0,
});

/** The rounds follow each other at once; each takes the clock one step further. */
async function poll(options: {
  events: string[];
  seconds: number;
  step: number;
  ask?: (eventId: string) => Promise<void>;
}) {
  const { events, seconds, step, ask = async () => {} } = options;
  let now = MATURITY * 1000;
  const ending = new AbortController();
  const asked: { eventId: string; after: number }[] = [];
  let atOnce = 0;
  let most = 0;
  const store = {
    read: {
      oracles: {
        async toPoll(at: number) {
          if (at >= (MATURITY + seconds) * 1000) ending.abort();
          now += step * 1000;
          if (events.includes('broken') && asked.length === 0) {
            asked.push({ eventId: 'broken', after: -1 });
            throw new Error('the database is away');
          }
          return events.map((eventId) => ({ oracle: {}, event: eventOf(eventId) }));
        },
      },
    },
  } as unknown as Store;
  const poller = createAttestationPoller({
    store,
    oracles: {
      async fetchAttestation(_, __, eventId) {
        asked.push({ eventId, after: now / 1000 - MATURITY });
        most = Math.max(most, ++atOnce);
        await ask(eventId);
        atOnce--;
        return null;
      },
    },
    clock: () => now,
    log: silent,
    roundMs: 0,
  });
  await poller.run(ending.signal);
  return { asked, most };
}

describe('polling', () => {
  it('asks at maturity and then ever less often, at least every ten minutes', async () => {
    const { asked } = await poll({ events: ['one'], seconds: 40_000, step: 5 });
    const pauses = asked.slice(1).map(({ after }, at) => after - (asked[at]?.after ?? 0));
    expect(asked[0]?.after).toBe(5);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(605);
    expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
    // Every five seconds that were 8,000.
    expect(asked.length).toBeLessThan(150);
    expect(asked.length).toBeGreaterThan(80);
  });

  it('asks a few at once, and none twice in a round', async () => {
    const events = Array.from({ length: 30 }, (_, at) => `event ${at}`);
    const { asked, most } = await poll({
      events,
      seconds: 3,
      step: 5,
      ask: () => new Promise((resolve) => setImmediate(resolve)),
    });
    expect(most).toBe(4);
    expect(asked.map(({ eventId }) => eventId).toSorted()).toEqual(events.toSorted());
  });

  it('goes on when the database was away', async () => {
    const { asked } = await poll({ events: ['broken'], seconds: 30, step: 5 });
    expect(asked.length).toBeGreaterThan(1);
  });

  it('asks for the others when one fails', async () => {
    const events = ['one', 'two', 'three', 'four', 'five', 'six'];
    const { asked } = await poll({
      events,
      seconds: 3,
      step: 5,
      ask: () => Promise.reject(new Error('the database is away')),
    });
    expect(asked.map(({ eventId }) => eventId).toSorted()).toEqual(events.toSorted());
  });

  it('ends when it is told to', async () => {
    const ending = new AbortController();
    const store = { read: { oracles: { toPoll: async () => [] } } } as unknown as Store;
    const oracles = { fetchAttestation: async () => null };
    const running = createAttestationPoller({ store, oracles, clock: Date.now, log: silent, roundMs: 3_600_000 }).run(
      ending.signal,
    );
    ending.abort();
    await running;
  });
});
