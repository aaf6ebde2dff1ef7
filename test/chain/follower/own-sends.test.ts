import { describe, expect, it } from 'vitest';
import { createOwnSends } from '../../../src/chain/follower/own-sends.ts';
import type { Txid } from '../../../src/core/outpoint.ts';

const txid = (name: string) => name.padStart(64, '0') as Txid;

describe('own sends', () => {
  it('are covered from their beginning until the look at the mempool after they were written', () => {
    const sends = createOwnSends();
    expect(sends.isEmpty()).toBe(true);
    const ended = sends.begin(txid('a'));
    expect(sends.covers(txid('a'))).toBe(true);
    expect(sends.covers(txid('b'))).toBe(false);
    expect(sends.takeWritten()).toEqual(new Set());
    ended(true);
    expect(sends.covers(txid('a'))).toBe(true);
    expect(sends.takeWritten()).toEqual(new Set([txid('a')]));
    expect(sends.covers(txid('a'))).toBe(false);
    expect(sends.isEmpty()).toBe(true);
  });

  it('are looked at where they are not written whole, and where others are watched meanwhile', () => {
    const sends = createOwnSends();
    sends.begin(txid('refused'))(false);
    expect(sends.covers(txid('refused'))).toBe(false);
    const ended = sends.begin(txid('a'));
    sends.begin(txid('b'))(true);
    sends.forget();
    ended(true);
    expect(sends.isEmpty()).toBe(true);
    expect(sends.takeWritten()).toEqual(new Set());
  });

  it('of a process that does not follow are bounded', () => {
    const sends = createOwnSends();
    for (let i = 0; i < 25_000; i++) sends.begin(txid(String(i)))(true);
    expect(sends.takeWritten().size).toBeLessThanOrEqual(10_000);
  });
});
