import { formatBtc } from '../amount.ts';
import type { CandidateCoin } from '../coin-selection/candidate.ts';
import { DomainError } from '../errors.ts';
import { outpointKey } from '../outpoint.ts';
import { COINBASE_MATURITY } from '../relay-policy/limits.ts';
import { sum } from './assemble-plan.ts';
import type { PaymentRequest } from './payment-plan.ts';

/** Amounts that exist but may not be spent now, for saying so when funds are short. */
export interface HeldBack {
  readonly lockedSats: bigint;
  readonly immatureSats: bigint;
  readonly unconfirmedSats: bigint;
  readonly excludedSats: bigint;
}

export interface CoinSum {
  readonly count: number;
  readonly sats: bigint;
}

/** Coins of a wallet in sum. */
export interface CoinSums {
  readonly spendable: CoinSum;
  /** Those of them that hold more than their input costs, but for unconfirmed outputs of version 3 transactions. */
  readonly worthwhile: CoinSum;
  /** These. */
  readonly trucSats: bigint;
  readonly immatureSats: bigint;
  readonly unconfirmedSats: bigint;
}

/** What a wallet has besides a plan's candidates. */
export interface OtherCoins extends CoinSums {
  /** What the worthwhile ones add, their inputs paid. */
  readonly effectiveSats: bigint;
}

export interface SpendableCoins {
  /** To choose from, without the preset ones. */
  readonly coins: readonly CandidateCoin[];
  /** Asked for by `include`. */
  readonly preset: readonly CandidateCoin[];
  readonly heldBack: HeldBack;
}

/** Sorts candidates by what may be done with them; `besides`: what the wallet has besides them. Throws `coin_unavailable` where an included coin cannot be spent, saying why. */
export function spendableCoins(
  candidates: readonly CandidateCoin[],
  control: NonNullable<PaymentRequest['coinControl']> & { readonly minConf: number },
  besides?: OtherCoins,
): SpendableCoins {
  const excluded = new Set((control.exclude ?? []).map(outpointKey));
  const included = new Map((control.include ?? []).map((outpoint, index) => [outpointKey(outpoint), index]));
  const coins: CandidateCoin[] = [];
  const preset: CandidateCoin[] = [];
  const held = {
    locked: [] as CandidateCoin[],
    immature: [] as CandidateCoin[],
    unconfirmed: [] as CandidateCoin[],
    excluded: [] as CandidateCoin[],
  };
  const asked = included.size > 0 || excluded.size > 0;
  for (const coin of candidates) {
    const key = asked ? outpointKey(coin) : '';
    const hindrance = hindranceOf(coin, control.minConf);
    const index = included.get(key);
    if (index !== undefined) {
      if (excluded.has(key)) throw unavailable(index, `${key} is both included and excluded`);
      if (hindrance) throw unavailable(index, `${key} ${hindrance.reason}`);
      included.delete(key);
      preset.push(coin);
    } else if (excluded.has(key)) held.excluded.push(coin);
    else if (hindrance) held[hindrance.kind].push(coin);
    else coins.push(coin);
  }
  for (const [key, index] of included) throw unavailable(index, `${key} is not an unspent coin of this wallet`);
  const heldBack = {
    lockedSats: sum(held.locked),
    immatureSats: sum(held.immature) + (besides?.immatureSats ?? 0n),
    unconfirmedSats: sum(held.unconfirmed) + (besides?.unconfirmedSats ?? 0n),
    excludedSats: sum(held.excluded),
  };
  return { coins, preset, heldBack };
}

/** Why a coin may not be spent now. */
export interface Hindrance {
  readonly kind: 'locked' | 'immature' | 'unconfirmed';
  readonly reason: string;
}

export function hindranceOf(coin: CandidateCoin, minConf: number): Hindrance | null {
  if (coin.locked) return { kind: 'locked', reason: 'is locked, frozen or claimed by another payment' };
  if (coin.coinbase && coin.confirmations < COINBASE_MATURITY)
    return {
      kind: 'immature',
      reason: `is a mining reward with ${coin.confirmations} of the ${COINBASE_MATURITY} confirmations it needs`,
    };
  const asked = coin.own && minConf <= 1 ? 0 : minConf;
  const older = coin.olderBlocks ?? 0;
  if (older > asked && coin.confirmations < older)
    return {
      kind: 'unconfirmed',
      reason: `has ${coin.confirmations} confirmations, and its script waits for ${older}`,
    };
  const needed = asked;
  if (coin.confirmations < needed)
    return {
      kind: 'unconfirmed',
      reason: `has ${coin.confirmations} confirmations and needs ${needed} (min_conf)`,
    };
  return null;
}

const unavailable = (index: number, message: string): DomainError =>
  new DomainError('coin_unavailable', message, { field: `coin_control.include[${index}]` });

/** "; besides, 0.10000000 BTC are locked, …", or nothing. */
export function describeHeldBack(held: HeldBack): string {
  const parts = [
    [held.unconfirmedSats, 'wait for confirmations'],
    [held.immatureSats, 'are mining rewards that are not mature yet'],
    [held.lockedSats, 'are locked, frozen or claimed by other payments'],
    [held.excludedSats, 'are excluded by coin_control'],
  ] as const;
  const told = parts.filter(([amount]) => amount > 0n).map(([amount, what]) => `${formatBtc(amount)} BTC ${what}`);
  return told.length > 0 ? `; besides, ${told.join(', ')}` : '';
}
