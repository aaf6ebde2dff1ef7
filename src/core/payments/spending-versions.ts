import type { CandidateCoin } from '../coin-selection/candidate.ts';
import { DomainError } from '../errors.ts';
import { MAX_STANDARD_WEIGHT, WITNESS_SCALE } from '../policy/limits.ts';
import { TRUC_CHILD_MAX_VSIZE, TRUC_VERSION } from '../policy/truc.ts';
import { sum } from './assemble-plan.ts';
import type { SpendableCoins } from './spendable-coins.ts';

/** A transaction version with the coins that it may spend. */
export interface SpendingVersion {
  readonly version: 2 | 3;
  /** To choose from. */
  readonly coins: readonly CandidateCoin[];
  readonly maxWeight: number;
}

/**
 * Which versions a payment may have, best first (BIP431): 2, without unconfirmed outputs of version 3 transactions; or 3 with those of
 * one such transaction, small, and nothing else that is unconfirmed. Throws `truc_violation` where included coins cannot go together.
 */
export function spendingVersions({ coins, preset }: SpendableCoins): SpendingVersion[] {
  const confirmed = (coin: CandidateCoin): boolean => coin.confirmations > 0;
  const presetUnconfirmed = preset.filter((coin) => !confirmed(coin));
  const presetTruc = presetUnconfirmed.filter((coin) => coin.txVersion === TRUC_VERSION);
  if (presetTruc.length > 0) {
    const parent = presetTruc[0]!.txid;
    if (presetUnconfirmed.some((coin) => coin.txid !== parent))
      throw new DomainError(
        'truc_violation',
        `${parent} is an unconfirmed version 3 transaction: no other unconfirmed coin can be spent together with its outputs`,
        { field: 'coin_control.include' },
      );
    return [childOf(parent, coins)];
  }
  const version2 = coins.filter((coin) => confirmed(coin) || coin.txVersion !== TRUC_VERSION);
  const versions: SpendingVersion[] = [{ version: 2, coins: version2, maxWeight: MAX_STANDARD_WEIGHT }];
  if (version2.length === coins.length || presetUnconfirmed.length > 0) return versions;
  return [...versions, ...trucParents(coins).map((parent) => childOf(parent, coins))];
}

function childOf(parent: string, coins: readonly CandidateCoin[]): SpendingVersion {
  return {
    version: TRUC_VERSION,
    coins: coins.filter((coin) => coin.confirmations > 0 || coin.txid === parent),
    maxWeight: TRUC_CHILD_MAX_VSIZE * WITNESS_SCALE,
  };
}

/** Unconfirmed version 3 transactions that may still have a child, the one that pays us most first. */
function trucParents(coins: readonly CandidateCoin[]): string[] {
  const byParent = new Map<string, CandidateCoin[]>();
  for (const coin of coins) {
    if (coin.confirmations > 0 || coin.txVersion !== TRUC_VERSION) continue;
    if ((coin.ancestry?.ancestorCount ?? 1) > 1 || (coin.ancestry?.descendantCount ?? 1) > 1) continue;
    byParent.set(coin.txid, [...(byParent.get(coin.txid) ?? []), coin]);
  }
  return [...byParent].sort(([, a], [, b]) => (sum(b) > sum(a) ? 1 : -1)).map(([txid]) => txid);
}
