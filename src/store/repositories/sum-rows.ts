import type { AccountId } from '../../core/ids.ts';
/** What is kept of a wallet's coins and scripts (migrations/0017). */

/** A coin that is live and unspent. */
export interface CoinClass {
  readonly confirmed: boolean;
  readonly coinbase: boolean;
  readonly locked: boolean;
  readonly frozen: boolean;
}

export interface ScriptClass {
  readonly change: boolean;
  readonly reserved: boolean;
  readonly used: boolean;
}

/** What is kept of one class of a wallet. */
export interface Sum<C> {
  readonly of: C;
  readonly items: bigint;
  /** 0 of scripts. */
  readonly amountSats: bigint;
}

/** Classes below are of coins, the others of scripts. */
export const FIRST_OF_SCRIPTS = 16n;

export const coinClass = (bits: bigint): CoinClass => ({
  confirmed: (bits & 1n) !== 0n,
  coinbase: (bits & 2n) !== 0n,
  locked: (bits & 4n) !== 0n,
  frozen: (bits & 8n) !== 0n,
});

export const scriptClass = (bits: bigint): ScriptClass => ({
  change: (bits & 1n) !== 0n,
  reserved: (bits & 2n) !== 0n,
  used: (bits & 4n) !== 0n,
});

/** How many are of classes with these properties; one that is undefined is not asked for. */
export function countOf<C extends CoinClass | ScriptClass>(
  sums: readonly Sum<C>[],
  asked: { readonly [P in keyof C]?: boolean | undefined },
): number {
  let count = 0n;
  for (const { of, items } of sums) {
    const fits = Object.entries(asked).every(([property, is]) => is === undefined || of[property as keyof C] === is);
    if (fits) count += items;
  }
  return Number(count);
}

declare module '../schema.ts' {
  interface Schema {
    wallet_sums: { wallet_id: string; account_id: AccountId; class: bigint; items: bigint; amount_sats: bigint };
  }
}
