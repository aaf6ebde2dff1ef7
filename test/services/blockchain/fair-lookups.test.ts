import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { txid } from '../../../src/core/outpoint.ts';
import { fairLookups, type Lookups } from '../../../src/services/blockchain/fair-lookups.ts';

interface Asked {
  readonly vout: number;
  answer(): void;
  fail(): void;
}

const TXID = txid('ab'.repeat(32));
let asked: Asked[];
let lookups: Lookups;
const look = (vout: number) => lookups.utxo({ txid: TXID, vout });
const settled = () => vi.advanceTimersByTimeAsync(0);
const askedFor = () => asked.map(({ vout }) => vout);

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  const chain: Lookups = {
    utxo: ({ vout }) =>
      new Promise((resolve, reject) => {
        asked.push({ vout, answer: () => resolve(null), fail: () => reject(new Error('away')) });
      }),
    transaction: async () => null,
  };
  lookups = fairLookups(chain, { atOnce: 2, ofAccount: 2, longestWait: 1_000 }).of({ accountId: 'acc_a' });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('look-ups on the chain', () => {
  it('are so many at a time, whoever asks, in the order in which they came', async () => {
    const all = [0, 1, 2, 3].map(look);
    await settled();
    expect(askedFor()).toEqual([0, 1]);
    asked[1]?.answer();
    await settled();
    expect(askedFor()).toEqual([0, 1, 2]);
    for (let at = 0; at < 4; at++) {
      asked[at]?.answer();
      await settled();
    }
    expect(askedFor()).toEqual([0, 1, 2, 3]);
    expect(await Promise.all(all)).toEqual([null, null, null, null]);
  });

  it('share their bound with transactions', async () => {
    const outputs = [look(0), look(1)];
    let done = false;
    const transaction = lookups.transaction(TXID).then(() => {
      done = true;
    });
    await settled();
    expect(done).toBe(false);
    asked[0]?.answer();
    await transaction;
    asked[1]?.answer();
    await Promise.all(outputs);
  });

  it('give their place up where they fail', async () => {
    const outcomes = Promise.allSettled([0, 1, 2].map(look));
    await settled();
    asked[0]?.fail();
    await settled();
    expect(askedFor()).toEqual([0, 1, 2]);
    for (const { answer } of asked) answer();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });

  it('whose turn does not come in time are refused, to be asked again, and take nobody’s place', async () => {
    const first = [look(0), look(1)];
    const late = look(2).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await late).toMatchObject({ code: 'node_unavailable', details: { retryAfterSeconds: 5 } });
    for (const { answer } of asked) answer();
    await Promise.all(first);
    const next = [look(3), look(4)];
    await settled();
    expect(askedFor()).toEqual([0, 1, 3, 4]);
    for (const { answer } of asked) answer();
    await Promise.all(next);
  });
});
