import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { txid } from '../../../src/core/outpoint.ts';
import type { TestCoin } from '../../builders/test-key.ts';
import {
  coinbaseCoin,
  fund,
  fundedChain,
  mempoolOf,
  NOBODY,
  openChain,
  owner,
  sorted,
  split,
  temporaryFolder,
  transactionsOf,
} from './simulated-setup.ts';

describe('a reorganization', () => {
  it('is one block longer, keeps the old blocks readable, and returns transactions with what spends them', async () => {
    const { chain, coins } = await fundedChain(1);
    const parent = owner.spend({ coins });
    const child = owner.spend({ coins: [parent.coin(0)] });
    await chain.broadcast(parent.raw);
    const [old] = await chain.mine(1, NOBODY);
    await chain.broadcast(child.raw);
    await chain.mine(1, NOBODY);
    const grandchild = owner.spend({ coins: [child.coin(0)] });
    await chain.broadcast(grandchild.raw);
    const fresh = await chain.reorganize(2);
    expect(fresh.map((block) => block.height)).toEqual([old!.height, old!.height + 1, old!.height + 2]);
    expect(await mempoolOf(chain)).toEqual(sorted(parent, child, grandchild));
    expect(await chain.header(old!.hash)).toMatchObject({ inBestChain: false });
    expect(await chain.transaction(txid(parent.txid))).toMatchObject({ blockHash: null });
    expect(await chain.utxo({ txid: txid(coins[0]!.txid), vout: 0 })).toBeNull();
    expect(await chain.mempoolEntry(txid(parent.txid))).toMatchObject({ descendantCount: 3 });
    const [block] = await chain.mine(1, NOBODY);
    expect((await transactionsOf(chain, block!.hash)).length).toBe(4);
  });

  it('forgets what it is told to, with descendants, and its coins are spendable again', async () => {
    const { chain, coins } = await fundedChain(2);
    const lost = owner.spend({ coins: [coins[0]!] });
    const child = owner.spend({ coins: [lost.coin(0)] });
    const kept = owner.spend({ coins: [coins[1]!] });
    for (const { raw } of [lost, child, kept]) await chain.broadcast(raw);
    await chain.mine(1, NOBODY);
    await chain.reorganize(1, { exclude: [txid(lost.txid)] });
    expect(await mempoolOf(chain)).toEqual(sorted(kept));
    expect(await chain.transaction(txid(lost.txid))).toBeNull();
    expect(await chain.utxo({ txid: txid(coins[0]!.txid), vout: 0 })).not.toBeNull();
  });

  it('can mine a double spend in place of a payment, which is then refused for good', async () => {
    const { chain, coins } = await fundedChain(1);
    const payment = owner.spend({ coins });
    await chain.broadcast(payment.raw);
    await chain.mine(2, NOBODY);
    const rival = owner.spend({ coins, feeSats: 5_000n });
    const [first] = await chain.reorganize(2, { include: [rival.raw] });
    expect(await chain.transaction(txid(rival.txid))).toMatchObject({ blockHash: first!.hash, confirmations: 3 });
    expect(await chain.mempoolTxids()).toEqual([]);
    expect(await chain.broadcast(payment.raw)).toMatchObject({ result: 'refused', final: true });
  });

  it('can mine the transactions again, at another height', async () => {
    const { chain, coins } = await fundedChain(1);
    const payment = owner.spend({ coins });
    await chain.mine(1, NOBODY);
    await chain.broadcast(payment.raw);
    await chain.mine(1, NOBODY);
    const [first] = await chain.reorganize(2, { remine: true });
    expect(await chain.transaction(txid(payment.txid))).toMatchObject({ blockHash: first!.hash, confirmations: 3 });
  });

  it('leaves everything as it was where the new branch cannot take what it is to include', async () => {
    const { chain, coins } = await fundedChain(1);
    const payment = owner.spend({ coins });
    await chain.broadcast(payment.raw);
    await chain.mine(1, NOBODY);
    const before = await chain.info();
    const forged = owner.spend({ coins, badSignature: true });
    await expect(chain.reorganize(1, { include: [forged.raw] })).rejects.toThrow(/script-verify/);
    expect(await chain.info()).toEqual(before);
    expect(await chain.transaction(txid(payment.txid))).toMatchObject({ confirmations: 1 });
    await expect(chain.reorganize(before.height + 1)).rejects.toThrow(RangeError);
    await expect(chain.reorganize(0)).rejects.toThrow(RangeError);
  });

  it('drops from the mempool what spent a coinbase that is gone or no longer mature', async () => {
    const chain = await openChain();
    const [block] = await chain.mine(1, owner.scriptHex);
    await chain.mine(99, NOBODY);
    const payment = owner.spend({ coins: [await coinbaseCoin(chain, block!.hash)] });
    await chain.broadcast(payment.raw);
    await chain.disconnect(1);
    expect(await chain.mempoolTxids()).toEqual([]);
    await chain.mine(1, NOBODY);
    expect(await chain.broadcast(payment.raw)).toEqual({ result: 'accepted' });
    await chain.reorganize(100);
    expect(await chain.mempoolTxids()).toEqual([]);
  });
});

describe('a chain cut back', () => {
  it('loses payments whose locktime is not reached any more, and does not bring them back by itself', async () => {
    const { chain, coins } = await fundedChain(2);
    const { height } = await chain.info();
    const antiSniping = owner.spend({ coins: [coins[0]!], locktime: height });
    const plain = owner.spend({ coins: [coins[1]!] });
    await chain.broadcast(antiSniping.raw);
    await chain.broadcast(plain.raw);
    await chain.mine(1, NOBODY);
    await chain.disconnect(2);
    expect((await chain.info()).height).toBe(height - 1);
    expect(await mempoolOf(chain)).toEqual(sorted(plain));
    await chain.mine(2, NOBODY);
    expect(await chain.transaction(txid(antiSniping.txid))).toBeNull();
    expect(await chain.broadcast(antiSniping.raw)).toEqual({ result: 'accepted' });
  });
});

type Step =
  | { do: 'pay'; pick: number; parts: number; fee: number }
  | { do: 'mine' }
  | { do: 'reorganize'; depth: number; remine: boolean }
  | { do: 'disconnect'; depth: number }
  | { do: 'evict'; pick: number }
  | { do: 'reopen' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      pick: fc.nat(),
      parts: fc.integer({ min: 1, max: 3 }),
      fee: fc.integer({ min: 300, max: 90_000 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('mine' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('reorganize' as const),
      depth: fc.integer({ min: 1, max: 4 }),
      remine: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('disconnect' as const), depth: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('evict' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
);

/** Every block replayed from the first: what is unspent, and that nothing is spent twice or out of nothing. */
async function replay(chain: SimulatedChain): Promise<Map<string, bigint>> {
  const unspent = new Map<string, bigint>();
  const { height } = await chain.info();
  for (let at = 1; at <= height; at++) {
    for (const tx of await transactionsOf(chain, (await chain.blockHashAt(at))!)) {
      for (const { prev } of tx.coinbase ? [] : tx.inputs)
        expect(unspent.delete(`${prev.txid}:${prev.vout}`), `input of ${tx.txid} in block ${at}`).toBe(true);
      for (const [vout, output] of tx.outputs.entries()) unspent.set(`${tx.txid}:${vout}`, output.amountSats);
    }
  }
  return unspent;
}

/** That each mempool transaction spends a coin of the chain or an output of another one, and none the same. */
async function checkMempool(chain: SimulatedChain, unspent: ReadonlyMap<string, bigint>): Promise<void> {
  const txids = await chain.mempoolTxids();
  const available = new Set(unspent.keys());
  const lookups = await Promise.all(txids.map((id) => chain.transaction(id)));
  const { parseTransaction } = await import('../../../src/core/blocks/transaction.ts');
  for (const lookup of lookups) {
    const tx = parseTransaction(lookup!.raw);
    for (const { prev } of tx.inputs) expect(available.delete(`${prev.txid}:${prev.vout}`)).toBe(true);
    for (const vout of tx.outputs.keys()) available.add(`${tx.txid}:${vout}`);
  }
}

describe('any history', () => {
  it('leaves coins that a replay of the blocks confirms, a mempool that fits them, and files that tell the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const dataDir = temporaryFolder();
        let chain = await openChain({ dataDir });
        const coins: TestCoin[] = await fund(chain, 4);
        for (const what of steps) {
          const { height } = await chain.info();
          if (what.do === 'pay') {
            const { payment, coins: parts } = split(coins[what.pick % coins.length]!, what.parts, BigInt(what.fee));
            const verdict = await chain.broadcast(payment.raw);
            if (verdict.result === 'accepted') coins.push(...parts);
          } else if (what.do === 'mine') await chain.mine(1, NOBODY);
          else if (what.do === 'reorganize')
            await chain.reorganize(Math.min(what.depth, height), { remine: what.remine });
          else if (what.do === 'disconnect') await chain.disconnect(Math.min(what.depth, height));
          else if (what.do === 'evict') {
            const txids = await chain.mempoolTxids();
            if (txids.length > 0) await chain.evict(txids[what.pick % txids.length]!);
          } else {
            const before = [await chain.info(), await mempoolOf(chain)];
            await chain.close();
            chain = await openChain({ dataDir });
            expect([await chain.info(), await mempoolOf(chain)]).toEqual(before);
          }
        }
        const unspent = await replay(chain);
        await checkMempool(chain, unspent);
        for (const coin of coins) {
          const outpoint = { txid: txid(coin.txid), vout: coin.vout };
          const found = await chain.utxo(outpoint);
          if (found?.height != null) expect(unspent.get(`${coin.txid}:${coin.vout}`)).toBe(found.amountSats);
          if (!unspent.has(`${coin.txid}:${coin.vout}`)) expect(found?.height ?? null).toBeNull();
        }
        await chain.close();
      }),
      { numRuns: 25 },
    );
  });
});
