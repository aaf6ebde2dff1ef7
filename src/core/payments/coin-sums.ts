import type { CandidateCoin } from '../coin-selection/candidate.ts';
import { type FeeRate, feeFor } from '../fee-rate.ts';
import { WITNESS_SCALE } from '../relay-policy/limits.ts';
import { TRUC_VERSION } from '../relay-policy/truc.ts';
import { inputWeight, type SizedInput } from '../transactions/sizing.ts';
import { sum } from './assemble-plan.ts';
import { type CoinSum, type CoinSums, hindranceOf, type OtherCoins } from './spendable-coins.ts';

/** What an input of the wallet's coins costs. */
export const inputFee = ({ scriptType, inputWeight: given }: SizedInput, feeRate: FeeRate): bigint =>
  feeFor(feeRate, Math.ceil(inputWeight(scriptType, given) / WITNESS_SCALE));

/** What a wallet has besides `known`, which are counted in `all`. Never less than nothing: coins may have come between the two. */
export function restOf(
  all: CoinSums,
  known: readonly CandidateCoin[],
  minConf: number,
  inputFeeSats: bigint,
): OtherCoins {
  const spendable: CandidateCoin[] = [];
  let [immatureSats, unconfirmedSats] = [all.immatureSats, all.unconfirmedSats];
  for (const coin of known) {
    const hindrance = hindranceOf(coin, minConf);
    if (hindrance === null) spendable.push(coin);
    else if (hindrance.kind === 'immature') immatureSats -= coin.amountSats;
    else unconfirmedSats -= coin.amountSats;
  }
  const worthwhile = less(
    all.worthwhile,
    spendable.filter((coin) => coin.amountSats > inputFeeSats && !isTruc(coin)),
  );
  return {
    worthwhile,
    spendable: less(all.spendable, spendable),
    effectiveSats: worthwhile.sats - BigInt(worthwhile.count) * inputFeeSats,
    trucSats: atLeastNothing(all.trucSats - sum(spendable.filter(isTruc))),
    immatureSats: atLeastNothing(immatureSats),
    unconfirmedSats: atLeastNothing(unconfirmedSats),
  };
}

const isTruc = (coin: CandidateCoin): boolean => coin.confirmations === 0 && coin.txVersion === TRUC_VERSION;
const less = ({ count, sats }: CoinSum, coins: readonly CandidateCoin[]): CoinSum => ({
  count: Math.max(0, count - coins.length),
  sats: atLeastNothing(sats - sum(coins)),
});
const atLeastNothing = (sats: bigint): bigint => (sats > 0n ? sats : 0n);
