import { createHash } from 'node:crypto';
import type { CandidateCoin } from '../../../src/core/coin-selection/candidate.ts';
import { type OutputGroup, priceCoin, toGroup } from '../../../src/core/coin-selection/output-group.ts';
import { createRandomSource, type RandomSource } from '../../../src/core/coin-selection/random-source.ts';
import { feeRate } from '../../../src/core/fee-rate.ts';
import type { Txid } from '../../../src/core/outpoint.ts';

export const CENT = 1_000_000n;
export const COIN = 100_000_000n;
/** Cents with decimals, exactly: cents('0.33') = 330000n. */
export const cents = (text: string): bigint => btc(text) / 100n;
export const btc = (text: string): bigint => {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(8, '0'));
};

let made = 0;

/** A coin of its own transaction and script; `vsize` is that of its input. */
export function coin(amountSats: bigint, fields: Partial<CandidateCoin> & { vsize?: number } = {}): CandidateCoin {
  const { vsize = 68, ...rest } = fields;
  const unique = createHash('sha256').update(`coin ${made++}`).digest('hex');
  return {
    txid: unique as Txid,
    vout: 0,
    amountSats,
    scriptPubKey: `0020${unique}`,
    scriptType: 'p2wsh',
    inputWeight: vsize * 4,
    change: false,
    index: made,
    confirmations: 144,
    own: false,
    coinbase: false,
    txVersion: 2,
    ...rest,
  };
}

export interface Rates {
  readonly now?: bigint;
  readonly longTerm?: bigint;
  readonly subtractFee?: boolean;
}

/** Each coin as a group of its own, priced at `now` and `longTerm` sat/kvB (default 0). */
export function groups(coins: readonly CandidateCoin[], rates: Rates = {}): OutputGroup[] {
  const subtractFee = rates.subtractFee ?? false;
  const feeRates = { feeRate: feeRate(rates.now ?? 0n), longTermFeeRate: feeRate(rates.longTerm ?? 0n), subtractFee };
  return coins.map((one) => toGroup([priceCoin(one, feeRates)], subtractFee));
}

/** A group that holds and costs what is said. */
export function group(amountSats: bigint, feeSats = 0n, longTermFeeSats = 0n, weight = 272): OutputGroup {
  const one = coin(amountSats);
  const priced = { coin: one, weight, feeSats, longTermFeeSats, bumpFeeSats: 0n, effectiveSats: amountSats - feeSats };
  return toGroup([priced], false);
}

export const amounts = (chosen: readonly OutputGroup[] | null): bigint[] =>
  (chosen ?? [])
    .flatMap((one) => one.coins.map((priced) => priced.coin.amountSats))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

export const total = (chosen: readonly OutputGroup[] | null): bigint =>
  (chosen ?? []).reduce((sum, one) => sum + one.amountSats, 0n);

/** Repeatable bytes. */
export function bytesFrom(seed: string | number): (size: number) => Uint8Array {
  let counter = 0;
  return (size) => {
    const chunks: Buffer[] = [];
    for (let length = 0; length < size; length += 32)
      chunks.push(createHash('sha256').update(`${seed}/${counter++}`).digest());
    return Buffer.concat(chunks).subarray(0, size);
  };
}

export const randomFrom = (seed: string | number): RandomSource => createRandomSource(bytesFrom(seed));
export const MAX_WEIGHT = 400_000;

/** All subsets of a small list. */
export function* subsets<T>(items: readonly T[]): Generator<T[]> {
  for (let mask = 0; mask < 1 << items.length; mask++) yield items.filter((_, index) => mask & (1 << index));
}
