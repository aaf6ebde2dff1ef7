import { describe, expect, it } from 'vitest';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import { fundedChain, mempoolOf, owner, sorted, split } from './simulated-setup.ts';

const later = (reason: RegExp) => ({ result: 'refused', reason: expect.stringMatching(reason), final: false });
const never = (reason: RegExp) => ({ result: 'refused', reason: expect.stringMatching(reason), final: true });
const ACCEPTED = { result: 'accepted' };
const DUST = { script: Buffer.from('51024e73', 'hex'), amountSats: 0n };
const dustCoin = (parent: { txid: string }, vout = 1) => ({ txid: parent.txid, vout, amountSats: 0n });

/** Spends the dust, which needs no signature, besides the coin before it. */
function spendWithDust(parent: ReturnType<typeof owner.spend>, feeSats: bigint, version = 3): Uint8Array {
  const coin = parent.coin(0);
  const { transaction } = owner.spend({
    coins: [coin, dustCoin(parent)],
    outputs: [{ script: owner.script, amountSats: coin.amountSats - feeSats }],
    version,
  });
  transaction.setWitness(1, []);
  return transaction.toBuffer();
}

describe('packages', () => {
  it('bring in a parent below the mempool minimum with a child that pays for both', async () => {
    const { chain, coins } = await fundedChain(1);
    chain.setMempoolLimits({ minFeeRate: 5_000n as FeeRate });
    const parent = owner.spend({ coins, feeSats: 50n });
    const poor = owner.spend({ coins: [parent.coin(0)], feeSats: 800n });
    const rich = owner.spend({ coins: [parent.coin(0)], feeSats: 3_000n });
    expect(await chain.broadcast(parent.raw)).toEqual(later(/^mempool min fee not met/));
    expect(await chain.broadcastPackage([parent.raw, poor.raw])).toEqual(later(/^mempool min fee not met/));
    expect(await chain.mempoolTxids()).toEqual([]);
    expect(await chain.broadcastPackage([parent.raw, rich.raw])).toEqual(ACCEPTED);
    expect(await mempoolOf(chain)).toEqual(sorted(parent, rich));
  });

  it('pay nothing for a parent below the relay minimum, unless it is of version 3', async () => {
    const { chain, coins } = await fundedChain(2);
    const pair = (version: number, coin: (typeof coins)[0]) => {
      const parent = owner.spend({ coins: [coin], feeSats: 0n, version });
      return [parent.raw, owner.spend({ coins: [parent.coin(0)], feeSats: 5_000n, version }).raw];
    };
    expect(await chain.broadcastPackage(pair(2, coins[0]!))).toEqual(later(/^min relay fee not met/));
    expect(await chain.broadcastPackage(pair(3, coins[1]!))).toEqual(ACCEPTED);
  });

  it('are parents and their child, in order, and nothing else', async () => {
    const { chain, coins } = await fundedChain(2);
    const { payment: parent, coins: parts } = split(coins[0]!, 2);
    const middle = owner.spend({ coins: [parts[0]!] });
    const child = owner.spend({ coins: [parts[1]!, middle.coin(0)] });
    const stranger = owner.spend({ coins: [coins[1]!] });
    const topology = /^package topology disallowed. not child-with-parents or parents depend on each other/;
    for (const raws of [
      [child.raw, parent.raw],
      [parent.raw, stranger.raw, child.raw],
      [parent.raw, middle.raw, child.raw],
      [parent.raw, parent.raw],
    ])
      expect(await chain.broadcastPackage(raws)).toEqual(later(topology));
    expect(await chain.broadcastPackage(Array.from({ length: 26 }, () => parent.raw))).toEqual(
      later(/^Array must contain between 1 and 25 transactions/),
    );
    expect(await chain.mempoolTxids()).toEqual([]);
  });

  it('are taken in part: parents that stand alone stay where the child is refused, and those that are there do not count again', async () => {
    const { chain, coins } = await fundedChain(3);
    const [a, b, c] = coins.map((coin) => owner.spend({ coins: [coin] })) as [Spend, Spend, Spend];
    const forged = owner.spend({ coins: [a.coin(0), b.coin(0)], badSignature: true });
    expect(await chain.broadcastPackage([a.raw, b.raw, forged.raw])).toEqual(
      never(/^mempool-script-verify-flag-failed/),
    );
    expect(await mempoolOf(chain)).toEqual(sorted(a, b));
    const child = owner.spend({ coins: [a.coin(0), b.coin(0), c.coin(0)] });
    expect(await chain.broadcastPackage([a.raw, b.raw, c.raw, child.raw])).toEqual(ACCEPTED);
    expect(await mempoolOf(chain)).toEqual(sorted(a, b, c, child));
    expect(await chain.broadcastPackage([a.raw, b.raw, c.raw, child.raw])).toEqual({ result: 'known' });
  });

  it('bring in a child whose parent is in a block already', async () => {
    const { chain, coins } = await fundedChain(2);
    const [a, b] = coins.map((coin) => owner.spend({ coins: [coin] })) as [Spend, Spend];
    await chain.broadcast(a.raw);
    await chain.mine(1, '51');
    const child = owner.spend({ coins: [a.coin(0), b.coin(0)] });
    expect(await chain.broadcastPackage([a.raw, b.raw, child.raw])).toEqual(ACCEPTED);
    expect(await mempoolOf(chain)).toEqual(sorted(b, child));
  });

  it('tell why the parent is refused, not that the child lacks it', async () => {
    const { chain, coins } = await fundedChain(1);
    const forged = owner.spend({ coins, badSignature: true });
    const child = owner.spend({ coins: [forged.coin(0)] });
    expect(await chain.broadcastPackage([forged.raw, child.raw])).toEqual(never(/^mempool-script-verify-flag-failed/));
  });
});

type Spend = ReturnType<typeof owner.spend>;

describe('ephemeral dust', () => {
  const parentOf = (coins: Spend extends never ? never : Parameters<typeof owner.spend>[0]['coins'], dust = [DUST]) =>
    owner.spend({ coins, version: 3, outputs: [{ script: owner.script, amountSats: coins[0]!.amountSats }, ...dust] });

  it('comes in with a child that spends it, and only so', async () => {
    const { chain, coins } = await fundedChain(1);
    const parent = parentOf(coins);
    expect(await chain.broadcast(parent.raw)).toEqual(later(/^min relay fee not met/));
    const forgetful = owner.spend({ coins: [parent.coin(0)], feeSats: 5_000n, version: 3 });
    expect(await chain.broadcastPackage([parent.raw, forgetful.raw])).toEqual(
      later(/^missing-ephemeral-spends, tx [0-9a-f]{64} \(wtxid=[0-9a-f]{64}\) did not spend parent's ephemeral dust$/),
    );
    expect(await chain.mempoolTxids()).toEqual([]);
    expect(await chain.broadcastPackage([parent.raw, spendWithDust(parent, 5_000n)])).toEqual(ACCEPTED);
    // The same rule for whoever would replace that child.
    const replacement = owner.spend({ coins: [parent.coin(0)], feeSats: 50_000n, version: 3 });
    expect(await chain.broadcast(replacement.raw)).toEqual(later(/^missing-ephemeral-spends/));
    expect(await chain.broadcast(spendWithDust(parent, 50_000n))).toEqual(ACCEPTED);
  });

  it('is one output of a transaction that pays nothing itself', async () => {
    const { chain, coins } = await fundedChain(1);
    const two = parentOf(coins, [DUST, DUST]);
    expect(await chain.broadcastPackage([two.raw, spendWithDust(two, 5_000n)])).toEqual(never(/^dust$/));
    const { amountSats } = coins[0]!;
    const paying = owner.spend({
      coins,
      version: 3,
      outputs: [{ script: owner.script, amountSats: amountSats - 1n }, DUST],
    });
    expect(await chain.broadcastPackage([paying.raw, spendWithDust(paying, 5_000n)])).toEqual(
      never(/^dust, tx with dust output must be 0-fee$/),
    );
  });
});

describe('replacement by a package', () => {
  /** A coin spent by `old`, and a parent and child of version 3 that spend it otherwise. */
  async function rivals(oldFee: bigint, parentFee: bigint, childFee: bigint) {
    const { chain, coins } = await fundedChain(2);
    const old = owner.spend({ coins: [coins[0]!], feeSats: oldFee });
    await chain.broadcast(old.raw);
    const parent = owner.spend({ coins: [coins[0]!], feeSats: parentFee, version: 3 });
    const child = owner.spend({ coins: [parent.coin(0)], feeSats: childFee, version: 3 });
    const verdict = await chain.broadcastPackage([parent.raw, child.raw]);
    return { chain, coins, old, parent, child, verdict };
  }

  it('takes what the parent alone could not replace', async () => {
    const { chain, parent, child, verdict } = await rivals(1_000n, 0n, 5_000n);
    expect(verdict).toEqual(ACCEPTED);
    expect(await mempoolOf(chain)).toEqual(sorted(parent, child));
  });

  it('pays all that it evicts and its own relay', async () => {
    const { verdict, chain, old } = await rivals(1_000n, 0n, 1_010n);
    expect(verdict).toEqual(
      later(
        /^package RBF failed: insufficient anti-DoS fees, rejecting replacement [0-9a-f]{64}, not enough additional/,
      ),
    );
    expect(await mempoolOf(chain)).toEqual(sorted(old));
  });

  it('has a child that is worth more than its parent', async () => {
    const { verdict } = await rivals(1_000n, 900n, 800n);
    expect(verdict).toEqual(later(/^package RBF failed: package feerate is less than or equal to parent feerate/));
  });

  it('leaves miners better off at every size', async () => {
    const { verdict } = await rivals(2_000n, 0n, 3_000n);
    expect(verdict).toEqual(later(/^package RBF failed: insufficient feerate: does not improve feerate diagram$/));
  });

  it('is one parent and one child', async () => {
    const { chain, coins } = await fundedChain(2);
    await chain.broadcast(owner.spend({ coins: [coins[0]!], feeSats: 1_000n }).raw);
    chain.setMempoolLimits({ minFeeRate: 5_000n as FeeRate });
    const parents = coins.map((coin) => owner.spend({ coins: [coin], feeSats: 100n }));
    const child = owner.spend({ coins: parents.map((parent) => parent.coin(0)), feeSats: 50_000n });
    expect(await chain.broadcastPackage([...parents, child].map(({ raw }) => raw))).toEqual(
      later(/^package RBF failed: package must be 1-parent-1-child$/),
    );
  });

  it('has no unconfirmed ancestors, and replaces groups of two at most', async () => {
    const { chain, coins } = await fundedChain(2);
    const waiting = owner.spend({ coins: [coins[1]!] });
    const { payment: old, coins: parts } = split(coins[0]!, 3, 1_000n);
    for (const { raw } of [waiting, old]) await chain.broadcast(raw);
    chain.setMempoolLimits({ minFeeRate: 5_000n as FeeRate });
    const related = owner.spend({ coins: [coins[0]!, waiting.coin(0)], feeSats: 100n });
    const child = owner.spend({ coins: [related.coin(0)], feeSats: 50_000n });
    expect(await chain.broadcastPackage([related.raw, child.raw])).toEqual(
      later(/^package RBF failed: new transaction cannot have mempool ancestors$/),
    );
    for (const part of parts.slice(1)) await chain.broadcast(owner.spend({ coins: [part], feeSats: 2_000n }).raw);
    const parent = owner.spend({ coins: [coins[0]!], feeSats: 100n });
    const payer = owner.spend({ coins: [parent.coin(0)], feeSats: 50_000n });
    expect(await chain.broadcastPackage([parent.raw, payer.raw])).toEqual(
      later(/^package RBF failed: [0-9a-f]{64} has 2 descendants, max 1 allowed$/),
    );
  });
});

describe('tests of several', () => {
  it('replace nothing, pay each for itself, and leave dust to no one', async () => {
    const { chain, coins } = await fundedChain(2);
    await chain.broadcast(owner.spend({ coins: [coins[0]!], feeSats: 1_000n }).raw);
    const rival = owner.spend({ coins: [coins[0]!], feeSats: 9_000n });
    const other = owner.spend({ coins: [coins[1]!] });
    expect(await chain.testTogether([other.raw, rival.raw])).toMatchObject([
      { allowed: null, reason: null },
      { allowed: false, reason: 'bip125-replacement-disallowed' },
    ]);
    const spendsTwice = owner.spend({ coins: [coins[1]!], feeSats: 2_000n });
    expect(await chain.testTogether([other.raw, spendsTwice.raw])).toMatchObject([
      { allowed: false, reason: 'conflict-in-package' },
      { allowed: false, reason: 'conflict-in-package' },
    ]);
  });
});
