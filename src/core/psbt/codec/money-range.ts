import { MAX_SATS } from '../../amount.ts';

/** Where the amounts of one side of a transaction come to more than 21,000,000 BTC (Bitcoin Core's MoneyRange); null: nowhere. */
export function aboveAllMoney(amountsSats: Iterable<bigint | null>): number | null {
  let totalSats = 0n;
  let index = 0;
  for (const amountSats of amountsSats) {
    totalSats += amountSats ?? 0n;
    if (totalSats > MAX_SATS) return index;
    index += 1;
  }
  return null;
}

/** How a refusal says it, of an input or output. */
export const ABOVE_ALL_MONEY = 'with it, the amounts come to more than 21,000,000 BTC, which is all that there can be';
