import { describe, expect, it } from 'vitest';
import type { RawBlock } from '../../../src/chain/chain-source.ts';
import type { BlockHash } from '../../../src/core/outpoint.ts';
import { createRecentBlocks } from '../../../src/services/blockchain/recent-blocks.ts';
import { sharedAnswer } from '../../../src/services/blockchain/shared-answer.ts';

describe('sharedAnswer', () => {
  it('asks once a second, and more rarely what takes long', async () => {
    let now = 0;
    let asked = 0;
    let takes = 0;
    const answer = sharedAnswer(
      async () => {
        now += takes;
        return ++asked;
      },
      () => now,
    );
    expect(await Promise.all([answer(), answer(), answer()])).toEqual([1, 1, 1]);
    now += 999;
    expect(await answer()).toBe(1);
    now += 1;
    takes = 300;
    expect(await answer()).toBe(2);
    now += 2_999;
    expect(await answer()).toBe(2);
    now += 1;
    takes = 70_000;
    expect(await answer()).toBe(3);
    now += 29_999;
    expect(await answer()).toBe(3);
    now += 1;
    expect(await answer()).toBe(4);
  });

  it('forgets a failure', async () => {
    let fails = true;
    const answer = sharedAnswer(
      async () => {
        if (fails) throw new Error('away');
        return 'here';
      },
      () => 0,
    );
    await expect(Promise.all([answer(), answer()])).rejects.toThrow('away');
    fails = false;
    expect(await answer()).toBe('here');
  });
});

describe('recent blocks', () => {
  const hashOf = (name: string) => name.padStart(64, '0') as BlockHash;

  it('are read once, the latest few only, and what is not there is asked for again', async () => {
    const reads: string[] = [];
    const recent = createRecentBlocks({
      async block(hash) {
        reads.push(hash);
        return hash === hashOf('f') ? null : ({ bytes: Buffer.from(hash, 'hex') } as unknown as RawBlock);
      },
    });
    await Promise.all([recent.bytes(hashOf('1')), recent.bytes(hashOf('1'))]);
    expect(reads.length).toBe(1);
    for (const name of ['2', '3', '4', '1', '5']) await recent.bytes(hashOf(name));
    expect(reads.length).toBe(5);
    // 2 was used longest ago.
    await recent.bytes(hashOf('1'));
    expect(reads.length).toBe(5);
    await recent.bytes(hashOf('2'));
    expect(reads.length).toBe(6);
    expect(await recent.bytes(hashOf('f'))).toBeNull();
    expect(await recent.bytes(hashOf('f'))).toBeNull();
    expect(reads.length).toBe(8);
  });
});
