import type { PricedCoin } from '../coin-selection/output-group.ts';
import { DomainError } from '../errors.ts';
import { MAX_STANDARD_WEIGHT, WITNESS_SCALE } from '../relay-policy/limits.ts';
import { TRUC_CHILD_MAX_VSIZE, TRUC_VERSION } from '../relay-policy/truc.ts';

/** A transaction version with the coins that it may spend. */
export interface SpendingVersion {
  readonly version: 2 | 3;
  /** To choose from. */
  readonly coins: readonly PricedCoin[];
  readonly maxWeight: number;
}

/** What a payment's inputs are to come to. */
export interface SpendingGoal {
  /** null: whatever all coins come to. */
  readonly targetSats: bigint | null;
  /** Virtual bytes of all but inputs and change. */
  readonly fixedVsize: number;
  /** Recipients pay the fee: coins count with their amounts. */
  readonly subtractFee: boolean;
}

/** Each is a search of its own. One that fails though its coins could reach the target is rare: they must do so nearly all and without change. */
const MAX_PARENTS = 3;

/**
 * Which versions a payment may have, best first (BIP431): 2, without unconfirmed outputs of version 3 transactions; or 3 with those of
 * one such transaction, small, and nothing else that is unconfirmed. Throws `truc_violation` where included coins cannot go together.
 */
export function spendingVersions(
  coins: readonly PricedCoin[],
  preset: readonly PricedCoin[],
  goal: SpendingGoal,
): SpendingVersion[] {
  const presetUnconfirmed = preset.filter((priced) => !isConfirmed(priced));
  const presetTruc = presetUnconfirmed.filter(isVersion3);
  if (presetTruc.length > 0) {
    const parent = presetTruc[0]!.coin.txid;
    if (presetUnconfirmed.some(({ coin }) => coin.txid !== parent))
      throw new DomainError(
        'truc_violation',
        `${parent} is an unconfirmed version 3 transaction: no other unconfirmed coin can be spent together with its outputs`,
        { field: 'coin_control.include' },
      );
    return [childOf(parent, coins)];
  }
  const version2 = coins.filter((priced) => isConfirmed(priced) || !isVersion3(priced));
  const versions: SpendingVersion[] = [{ version: 2, coins: version2, maxWeight: MAX_STANDARD_WEIGHT }];
  if (version2.length === coins.length || presetUnconfirmed.length > 0) return versions;
  return [...versions, ...trucParents(coins, preset, goal).map((parent) => childOf(parent, coins))];
}

const isConfirmed = ({ coin }: PricedCoin): boolean => coin.confirmations > 0;
const isVersion3 = ({ coin }: PricedCoin): boolean => coin.txVersion === TRUC_VERSION;

const MAX_CHILD_WEIGHT = TRUC_CHILD_MAX_VSIZE * WITNESS_SCALE;

function childOf(parent: string, coins: readonly PricedCoin[]): SpendingVersion {
  return {
    version: TRUC_VERSION,
    coins: coins.filter((priced) => isConfirmed(priced) || priced.coin.txid === parent),
    maxWeight: MAX_CHILD_WEIGHT,
  };
}

/**
 * Unconfirmed version 3 transactions that may still have a child and whose coins, with the largest confirmed ones that fit beside them,
 * may reach the target: the few that reach furthest, in that order.
 */
function trucParents(coins: readonly PricedCoin[], preset: readonly PricedCoin[], goal: SpendingGoal): string[] {
  const worth = ({ coin, effectiveSats }: PricedCoin): bigint => (goal.subtractFee ? coin.amountSats : effectiveSats);
  const worthOf = (some: readonly PricedCoin[]): bigint => some.reduce((total, priced) => total + worth(priced), 0n);
  const largestFirst = (some: readonly PricedCoin[]): PricedCoin[] =>
    some.filter((priced) => worth(priced) > 0n).sort((a, b) => Number(worth(b) - worth(a)));
  const presetWeight = preset.reduce((weight, priced) => weight + priced.weight, 0);
  // Its fixed part is rounded up to a whole virtual byte.
  const inputWeight = MAX_CHILD_WEIGHT - WITNESS_SCALE * (goal.fixedVsize - 1) - presetWeight;
  const fitting = Math.floor(
    inputWeight / coins.reduce((least, { weight }) => Math.min(least, weight), MAX_CHILD_WEIGHT),
  );
  const missingSats = (goal.targetSats ?? 0n) - worthOf(preset);
  const confirmed = largestFirst(coins.filter(isConfirmed));
  const largest = confirmed.slice(0, Math.max(0, fitting));
  return [...byParent(coins)]
    .map(([txid, outputs]) => {
      const own = largestFirst(outputs);
      const fits = goal.targetSats !== null || confirmed.length + own.length <= fitting;
      return { txid, fits, reachSats: worthOf(largestFirst([...largest, ...own]).slice(0, Math.max(0, fitting))) };
    })
    .filter(({ fits, reachSats }) => fits && reachSats >= missingSats)
    .sort((a, b) => Number(b.reachSats - a.reachSats))
    .slice(0, MAX_PARENTS)
    .map(({ txid }) => txid);
}

function byParent(coins: readonly PricedCoin[]): Map<string, PricedCoin[]> {
  const parents = new Map<string, PricedCoin[]>();
  for (const priced of coins) {
    const { txid, ancestry } = priced.coin;
    if (isConfirmed(priced) || !isVersion3(priced)) continue;
    if ((ancestry?.ancestorCount ?? 1) > 1 || (ancestry?.descendantCount ?? 1) > 1) continue;
    const others = parents.get(txid);
    if (others) others.push(priced);
    else parents.set(txid, [priced]);
  }
  return parents;
}
