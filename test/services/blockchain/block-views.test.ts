import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import type { BlockHash } from '../../../src/core/outpoint.ts';
import { block } from '../../../src/families/chain/block-answer.ts';
import { createBlockViews } from '../../../src/services/blockchain/block-views.ts';
import { joinedAnswer } from '../../../src/services/blockchain/joined-answer.ts';
import { createRecentBlocks } from '../../../src/services/blockchain/recent-blocks.ts';
import { silent } from '../../builders/stores.ts';

const newChain = () => createSimulatedChain({ clock: Date.now, randomBytes, log: silent });
type Chain = Awaited<ReturnType<typeof newChain>>;
const viewsOf = (chain: Chain) => createBlockViews({ chain, recent: createRecentBlocks(chain) });

describe('views of blocks', () => {
  it("ask for the chain's last block alone, and for the rest when that is another one", async () => {
    const chain = await newChain();
    await chain.mine(20, '51');
    const asked: string[] = [];
    const watched = new Proxy(chain, {
      get: (target, name: keyof Chain) => {
        const member = target[name];
        if (typeof member !== 'function') return member;
        return (...input: unknown[]) => {
          asked.push(name);
          return (member as (...input: unknown[]) => unknown).apply(target, input);
        };
      },
    });
    const view = viewsOf(watched);
    const first = await view({ height: 5 });
    expect(asked.length).toBeGreaterThan(3);
    asked.length = 0;
    expect(await view({ height: 5 })).toEqual(first);
    expect(asked).toEqual(['bestBlockHash']);
    await chain.mine(1, '51');
    const { confirmations } = first.header;
    expect(await view({ height: 5 })).toEqual({
      ...first,
      header: { ...first.header, confirmations: confirmations + 1 },
    });
    await chain.close();
  });

  it('tell what the chain says, however it was mined and reorganized', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 3 }) }),
      fc.record({
        do: fc.constant('turn back' as const),
        depth: fc.integer({ min: 1, max: 4 }),
        shorter: fc.boolean(),
      }),
      fc.record({ do: fc.constant('look' as const), back: fc.integer({ min: 0, max: 8 }) }),
      fc.record({ do: fc.constant('look at old' as const), which: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const chain = await newChain();
        await chain.mine(5, '51');
        const kept = viewsOf(chain);
        const seen: BlockHash[] = [];
        const same = async (id: Parameters<typeof kept>[0]) => {
          const view = await kept(id);
          const fresh = await viewsOf(chain)(id);
          expect(view).toEqual(fresh);
          expect(block.present(view)).toEqual(block.present(fresh));
          seen.push(view.header.hash);
        };
        for (const one of steps) {
          const { height } = await chain.info();
          if (one.do === 'mine') await chain.mine(one.count, '51');
          else if (one.do === 'turn back') {
            const depth = Math.min(one.depth, height);
            if (depth > 0) await (one.shorter ? chain.disconnect(depth) : chain.reorganize(depth));
          } else if (one.do === 'look') await same({ height: Math.max(0, height - one.back) });
          else if (seen.length > 0) await same({ hash: seen[one.which % seen.length]! });
          await same('latest');
        }
        await chain.close();
      }),
      { numRuns: 60 },
    );
  });

  it('are not kept where the chain moved while they were read', async () => {
    const chain = await newChain();
    await chain.mine(10, '51');
    let moves = true;
    const view = viewsOf({
      ...chain,
      async headerRecords(hashes) {
        const records = await chain.headerRecords(hashes);
        if (moves) await chain.reorganize(3);
        moves = false;
        return records;
      },
    });
    await view({ height: 9 });
    expect(await view({ height: 9 })).toEqual(await viewsOf(chain)({ height: 9 }));
    await chain.close();
  });
});

describe('a joined answer', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('is asked for after everybody who gets it came', async () => {
    const open: ((value: number) => void)[] = [];
    const answer = joinedAnswer(() => new Promise<number>((resolve) => open.push(resolve)));
    const first = [answer(), answer()];
    expect(open).toHaveLength(0);
    await expect.poll(() => open.length).toBe(1);
    const others = [answer()];
    await turn();
    others.push(answer());
    expect(open).toHaveLength(1);
    open[0]!(1);
    expect(await Promise.all(first)).toEqual([1, 1]);
    await expect.poll(() => open.length).toBe(2);
    open[1]!(2);
    expect(await Promise.all(others)).toEqual([2, 2]);
  });

  it('fails for those who share it alone', async () => {
    const open: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
    const answer = joinedAnswer(() => new Promise<string>((resolve, reject) => open.push({ resolve, reject })));
    const first = answer();
    await expect.poll(() => open.length).toBe(1);
    const second = answer();
    open[0]!.reject(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await expect.poll(() => open.length).toBe(2);
    open[1]!.resolve('here');
    expect(await second).toBe('here');
    const third = answer();
    await expect.poll(() => open.length).toBe(3);
    open[2]!.resolve('still');
    expect(await third).toBe('still');
  });
});
