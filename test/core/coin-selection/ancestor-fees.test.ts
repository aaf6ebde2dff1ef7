import { describe, expect, it } from 'vitest';
import { ancestorFee } from '../../../src/core/coin-selection/ancestor-fees.ts';
import type { AncestorTransaction, CandidateCoin } from '../../../src/core/coin-selection/candidate.ts';
import type { FeeRate } from '../../../src/core/fee-rate.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import { leastRatio } from '../../builders/worst/thread-cpu.ts';
import { coin } from './coins.ts';

const RATE = 10_000n as FeeRate;
/** 100 vB each: 1,000 sat are asked for. */
const transaction = (txid: string, feeSats: bigint, ...parents: string[]): AncestorTransaction => ({
  ...{ txid, vsize: 100, feeSats, parents },
});
const sums = { ancestorCount: 1, ancestorVsize: 0, ancestorFeesSats: 0n, descendantCount: 1, descendantVsize: 0 };
/** A coin of the last of these. */
const coinOf = (...transactions: AncestorTransaction[]): CandidateCoin => ({
  ...coin(100_000n, { confirmations: 0, ancestry: { ...sums, transactions } }),
  txid: transactions.at(-1)!.txid as Txid,
});

describe('what lifting unconfirmed ancestors costs', () => {
  const parent = transaction('a', 100n);
  const [left, right] = [transaction('b', 200n, 'a'), transaction('c', 300n, 'a')];

  it('is what all of them lack', () => {
    expect(ancestorFee([coinOf(parent, left)], RATE)).toBe(900n + 800n);
  });

  it('is paid once for ancestors that several coins share', () => {
    expect(ancestorFee([coinOf(parent, left), coinOf(parent, right)], RATE)).toBe(900n + 800n + 700n);
    expect(ancestorFee([coinOf(parent, left), coinOf(parent, left)], RATE)).toBe(900n + 800n);
  });

  it('counts no ancestor that a block takes by itself, neither as missing nor as help', () => {
    const rich = transaction('a', 5_000n);
    expect(ancestorFee([coinOf(rich, left)], RATE)).toBe(800n);
  });

  it('is nothing where a child pays for its parent', () => {
    expect(ancestorFee([coinOf(parent, transaction('b', 1_900n, 'a'))], RATE)).toBe(0n);
    expect(ancestorFee([coinOf(parent, transaction('b', 1_899n, 'a'))], RATE)).toBe(1n);
  });

  const beside = (coin: CandidateCoin, ...relatives: AncestorTransaction[]): CandidateCoin => ({
    ...coin,
    ancestry: { ...coin.ancestry!, relatives },
  });

  it('is nothing for what another child lifts already, with all that the child is built on', () => {
    const child = transaction('c', 1_900n, 'a');
    expect(ancestorFee([beside(coinOf(parent), child)], RATE)).toBe(0n);
    expect(ancestorFee([beside(coinOf(parent, left), child)], RATE)).toBe(800n);
    expect(ancestorFee([beside(coinOf(parent), transaction('c', 1_899n, 'a'))], RATE)).toBe(900n);
    // The child itself is paid for by nobody.
    expect(ancestorFee([beside(coinOf(parent), transaction('c', 10n, 'a'))], RATE)).toBe(900n);
    const poor = transaction('d', 0n);
    expect(ancestorFee([beside(coinOf(parent), poor, transaction('c', 1_900n, 'a', 'd'))], RATE)).toBe(900n);
    expect(ancestorFee([beside(coinOf(parent), poor, transaction('c', 2_900n, 'a', 'd'))], RATE)).toBe(0n);
  });

  it('is nothing for confirmed coins, and taken from the sums where no more is known', () => {
    expect(ancestorFee([coin(1n, { confirmations: 1 })], RATE)).toBe(0n);
    const ancestry = { ...sums, ancestorVsize: 200, ancestorFeesSats: 300n };
    expect(ancestorFee([coin(1n, { confirmations: 0, ancestry })], RATE)).toBe(1_700n);
  });

  it('takes no longer than a moment for coins behind as many ancestors as there may be', async () => {
    const chain = (name: number) =>
      Array.from({ length: 25 }, (_, at) =>
        transaction(`${name}/${at}`, 5_000n, ...(at > 0 ? [`${name}/${at - 1}`] : [])),
      );
    const coins = Array.from({ length: 200 }, (_, name) =>
      coinOf(...chain(name), transaction(`${name}`, 0n, `${name}/24`)),
    );
    const ratio = await leastRatio(() => expect(ancestorFee(coins, RATE)).toBe(200n * 1_000n), 50);
    expect(ratio).toBeLessThan(50);
  });

  it('takes no longer than a moment for coins whose ancestors have as many other descendants as there may be', async () => {
    const coins = Array.from({ length: 200 }, (_, name) =>
      beside(
        coinOf(transaction(`${name}`, 0n)),
        ...Array.from({ length: 63 }, (_, at) => transaction(`${name}/${at}`, 100n + BigInt(at), `${name}`)),
      ),
    );
    const ratio = await leastRatio(() => expect(ancestorFee(coins, RATE)).toBe(200n * 1_000n), 10);
    expect(ratio).toBeLessThan(10);
  });
});
