import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createBlockMatcher } from '../../../src/chain/follower/block-matcher.ts';
import { blocksAhead, ChainMoved } from '../../../src/chain/follower/blocks-ahead.ts';
import { findForkPoint } from '../../../src/chain/follower/fork-point.ts';
import { createPauseQueue } from '../../../src/chain/follower/pause-queue.ts';
import type { BlockHash } from '../../../src/core/outpoint.ts';
import { txid } from '../../../src/core/outpoint.ts';
import type { BlockRecord } from '../../../src/store/records.ts';
import { testKey } from '../../builders/test-key.ts';
import { fundedChain, NOBODY, openChain } from '../simulated/simulated-setup.ts';

const block = (height: number, branch = ''): BlockRecord => ({
  height,
  hash: `${branch}${height}` as BlockHash,
  prevHash: `${branch}${height - 1}` as BlockHash,
  time: 0,
  medianTime: 0,
});

/** Followed here: heights from `first` to `tip`. The source left that chain above `fork`. */
function parted(first: number, tip: number, fork: number, theirTip = tip + 1) {
  const ours = Array.from({ length: tip - first + 1 }, (_, i) => block(first + i));
  let asked = 0;
  return {
    ledger: {
      blocksFrom: async (height: number, limit: number) =>
        ours.filter((one) => one.height >= height && one.height < height + limit),
    },
    chain: {
      blockHashesAt: async (heights: readonly number[]) => {
        asked += heights.length;
        return heights.map((height) => {
          if (height > theirTip) return null;
          return (height <= fork ? `${height}` : `other ${height}`) as BlockHash;
        });
      },
    },
    tip: ours.at(-1)!,
    asked: () => asked,
  };
}

describe('the fork point', () => {
  it.each([0, 1, 2, 6, 15, 16, 17, 79, 80, 81, 1_500, 4_000])('is found %i blocks below the tip', async (depth) => {
    const { ledger, chain, tip } = parted(0, 5_000, 5_000 - depth);
    expect(await findForkPoint(chain, ledger, tip)).toEqual(block(5_000 - depth));
  });

  it('is found where the other chain is shorter', async () => {
    const { ledger, chain, tip } = parted(0, 100, 90, 92);
    expect(await findForkPoint(chain, ledger, tip)).toEqual(block(90));
  });

  it('is null where nothing followed is in the other chain', async () => {
    for (const first of [0, 1, 37, 84, 85]) {
      const { ledger, chain, tip } = parted(first, 100, first - 1);
      expect(await findForkPoint(chain, ledger, tip)).toBe(null);
    }
  });

  it('is asked for little where it is near', async () => {
    const { ledger, chain, tip, asked } = parted(0, 100_000, 99_998);
    await findForkPoint(chain, ledger, tip);
    expect(asked()).toBeLessThanOrEqual(16);
  });
});

describe('fetching ahead', () => {
  it('gives every block once, in order', async () => {
    const chain = await openChain();
    await chain.mine(700, NOBODY);
    const heights: number[] = [];
    for await (const batch of blocksAhead(chain, 3, 700)) heights.push(...batch.map((one) => one.height));
    expect(heights).toEqual(Array.from({ length: 698 }, (_, i) => i + 3));
  });

  it('says so where the chain became shorter, and where a block is not the one asked for', async () => {
    const chain = await openChain();
    await chain.mine(10, NOBODY);
    const drain = async (source: Parameters<typeof blocksAhead>[0], to: number) => {
      for await (const batch of blocksAhead(source, 1, to)) void batch;
    };
    await expect(drain(chain, 11)).rejects.toThrow(ChainMoved);
    const lying = { ...chain, blocks: async (hashes: readonly BlockHash[]) => chain.blocks(hashes.toReversed()) };
    await expect(drain(lying, 10)).rejects.toThrow(/another block/);
  });

  it('holds the blocks of a server across the network against their headers', async () => {
    const { chain, coins } = await fundedChain(1);
    const owner = testKey('owner');
    await chain.mineTransactions([owner.spend({ coins }).raw]);
    const { height } = await chain.info();
    const tampering = {
      ...chain,
      kind: 'esplora' as const,
      blocks: async (hashes: readonly BlockHash[]) =>
        (await chain.blocks(hashes)).map((one) => {
          const bytes = Buffer.from(one.bytes);
          // The last byte of the last transaction's locktime.
          bytes[bytes.length - 1]! ^= 1;
          return { ...one, bytes };
        }),
    };
    const drain = async () => {
      for await (const batch of blocksAhead(tampering, height, height)) void batch;
    };
    await expect(drain()).rejects.toThrow(/transactions its header commits to/);
  });
});

describe('matching', () => {
  it('finds payments to watched scripts and spends of watched outpoints, also of outputs found on the way', async () => {
    const { chain, coins } = await fundedChain(2);
    const [owner, watched] = [testKey('owner'), testKey('watched')];
    const pays = owner.spend({ coins: [coins[0]!], outputs: [{ script: watched.script, amountSats: 100_000n }] });
    const spends = watched.spend({ coins: [pays.coin(0)], outputs: [{ script: owner.script, amountSats: 90_000n }] });
    const other = owner.spend({ coins: [coins[1]!] });
    const { hash } = await chain.mineTransactions([other.raw, pays.raw, spends.raw]);
    const raw = (await chain.block(hash))!;

    const byScript = createBlockMatcher(randomBytes);
    byScript.watchScripts([watched.scriptHex]);
    expect(byScript.match(raw).transactions.map((one) => one.txid)).toEqual([pays.txid, spends.txid]);

    const byOutpoint = createBlockMatcher(randomBytes);
    byOutpoint.watchOutpoints([{ txid: txid(coins[1]!.txid), vout: coins[1]!.vout }]);
    const matched = byOutpoint.match(raw);
    expect(matched.transactions.map((one) => one.txid)).toEqual([other.txid]);
    expect(matched.rescan([watched.scriptHex]).map((one) => one.txid)).toEqual([other.txid, pays.txid, spends.txid]);

    expect(byScript.matchTransaction(other.raw)).toBe(null);
    expect(byScript.matchTransaction(spends.raw)?.txid).toBe(spends.txid);
  });
});

describe('work that waits for the follower to stand still', () => {
  it('is done one after the other, failures going to whoever asked', async () => {
    const waiting = createPauseQueue();
    const steps: string[] = [];
    const job = (name: string) => async () => {
      steps.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      steps.push(`${name} ends`);
      return name;
    };
    const results = [waiting.add(job('a')), waiting.add(() => Promise.reject(new Error('no'))), waiting.add(job('b'))];
    const settled = Promise.allSettled(results);
    await Promise.all([waiting.serve(), waiting.serve()]);
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    const refused = waiting.add(job('c'));
    waiting.refuse(new Error('stopping'));
    await expect(refused).rejects.toThrow('stopping');
  });
});
