/** Coins for one side of a contract, chosen as for payments, with the fees that dlcspecs counts; leased until the contract is committed. */
import { formatBtc, satsHint } from '../../../core/amount.ts';
import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { generateChangeTarget } from '../../../core/coin-selection/change-target.ts';
import { eligibilityLadder } from '../../../core/coin-selection/eligibility.ts';
import { createPricer, type PricedCoin } from '../../../core/coin-selection/output-group.ts';
import { createRandomSource } from '../../../core/coin-selection/random-source.ts';
import { selectCoins } from '../../../core/coin-selection/select-coins.ts';
import type { Dialect } from '../../../core/dlc/dialect.ts';
import { feeShare, inputWeight, partyFees } from '../../../core/dlc/transactions/contract-fees.ts';
import { DUST_LIMIT_SATS } from '../../../core/dlc/transactions/contract-transaction.ts';
import { DomainError } from '../../../core/errors.ts';
import { type FeeRate, feeFor } from '../../../core/fee-rate.ts';
import { DISCARD_FEE_RATE, LONG_TERM_FEE_RATE } from '../../../core/payments/selection-parameters.ts';
import { describeHeldBack, type OtherCoins, spendableCoins } from '../../../core/payments/spendable-coins.ts';
import { outputSize } from '../../../core/relay-policy/dust.ts';
import { DEFAULT_MAX_ANCESTORS, MAX_STANDARD_WEIGHT } from '../../../core/relay-policy/limits.ts';
import { TRUC_VERSION } from '../../../core/relay-policy/truc.ts';
import type { FundingForm } from './funding-wallet.ts';

export interface SideAmounts {
  readonly collateralSats: bigint;
  readonly totalCollateralSats: bigint;
  readonly feeRateSatVb: bigint;
  readonly dialect: Dialect;
}

export interface CoinChoice extends SideAmounts {
  readonly form: FundingForm;
  /** 0: own change may be unconfirmed. 1: the other side cannot see whether it stays, so that every coin is in a block. */
  readonly minConf: 0 | 1;
}

/**
 * Enough for collateral, fees and, where there is enough, change above the dust limit. `besides`: what the wallet has besides the
 * candidates, for refusals to say. Throws `insufficient_funds`,
 * `too_large` and `too_many_ancestors` (field wallet_id).
 */
export function chooseCoins(
  candidates: readonly CandidateCoin[],
  choice: CoinChoice,
  randomBytes: (size: number) => Uint8Array,
  besides?: OtherCoins,
): CandidateCoin[] {
  const neededSats = neededWithout(choice);
  if (neededSats === 0n) return [];
  const { coins, heldBack } = spendableCoins(candidates, { minConf: 1 }, besides);
  // Contracts are version 2: beside an unconfirmed version 3 transaction they could not be relayed.
  const usable = coins.filter(
    (coin) => coin.confirmations > 0 || (choice.minConf === 0 && coin.txVersion !== TRUC_VERSION),
  );
  // The contract's fee is fixed: it cannot pay for unconfirmed ancestors that lack some.
  const priced = usable.map(contractPricer(choice)).filter((coin) => coin.bumpFeeSats === 0n);
  const select = (targetSats: bigint) => choose(priced, targetSats, choice, randomBytes);
  // dlcspecs wants change of a side to be above the dust limit; without it, it goes to the fee.
  const first = select(neededSats + DUST_LIMIT_SATS);
  const outcome = first.selection ? first : select(neededSats);
  if (outcome.selection) return outcome.selection.coins.map(({ coin }) => coin);
  const worthSats =
    priced.reduce((sum, { effectiveSats }) => sum + (effectiveSats > 0n ? effectiveSats : 0n), 0n) +
    (besides?.effectiveSats ?? 0n);
  // Coins besides the candidates hold less than each of these: it would be more inputs than fit.
  const tooMany = (besides?.worthwhile.count ?? 0) > 0 && worthSats >= neededSats;
  if (outcome.reason === 'max-weight' || tooMany) {
    throw new DomainError(
      'too_large',
      'the collateral needs more coins than fit into a transaction that nodes relay; consolidate the wallet first',
      { field: 'wallet_id' },
    );
  }
  if (worthSats >= neededSats) {
    throw new DomainError(
      'too_many_ancestors',
      'the funds lie behind chains of unconfirmed transactions; wait for a block',
      { field: 'wallet_id' },
    );
  }
  const availableSats = usable.reduce((sum, { amountSats }) => sum + amountSats, besides?.spendable.sats ?? 0n);
  throw new DomainError(
    'insufficient_funds',
    `${formatBtc(choice.collateralSats)} BTC of collateral plus fees for funding and closing are asked for, and the wallet has ` +
      `${formatBtc(availableSats)} BTC to spend: ${formatBtc(neededSats - worthSats)} BTC are missing at ` +
      `${choice.feeRateSatVb} sat/vB${describeHeldBack(heldBack)}${satsHint([choice.totalCollateralSats], availableSats)}`,
    { field: 'collateral' },
  );
}

/** Collateral, and the side's fees without its inputs. */
function neededWithout({ form, collateralSats, totalCollateralSats, feeRateSatVb, dialect }: CoinChoice): bigint {
  const share = feeShare(collateralSats, totalCollateralSats, dialect);
  const lengths = { payoutScriptLength: form.scriptLength, changeScriptLength: form.scriptLength };
  const { fundingFeeSats, closingFeeSats } = partyFees({ inputs: [], ...lengths }, feeRateSatVb, share);
  return share === 'none' ? 0n : collateralSats + fundingFeeSats + closingFeeSats;
}

/** What one input costs. */
export const inputFeeSats = ({ form, feeRateSatVb }: Pick<CoinChoice, 'form' | 'feeRateSatVb'>): bigint =>
  feeFor(perKvb(feeRateSatVb), Math.ceil(inputWeight(form) / 4));

/** As for payments, by the weight that dlcspecs counts for an input, each rounded up by itself. */
function contractPricer({ form, feeRateSatVb }: CoinChoice): (coin: CandidateCoin) => PricedCoin {
  const weight = inputWeight(form);
  const price = createPricer({
    feeRate: perKvb(feeRateSatVb),
    longTermFeeRate: LONG_TERM_FEE_RATE,
    subtractFee: false,
  });
  return (coin) => ({ ...price({ ...coin, inputWeight: weight }), coin });
}

const perKvb = (rateSatVb: bigint): FeeRate => (rateSatVb * 1000n) as FeeRate;

function choose(
  coins: readonly PricedCoin[],
  targetSats: bigint,
  { form, feeRateSatVb, collateralSats, minConf }: CoinChoice,
  randomBytes: (size: number) => Uint8Array,
) {
  const random = createRandomSource(randomBytes);
  const spendFeeSats = feeFor(DISCARD_FEE_RATE, Math.ceil(inputWeight(form) / 4));
  return selectCoins({
    coins,
    preset: [],
    together: true,
    targetSats,
    ladder: eligibilityLadder(1, DEFAULT_MAX_ANCESTORS).filter((rung) => minConf === 0 || rung.ownConfirmations > 0),
    parameters: {
      // The side pays for its change output whether it has one or not.
      changeFeeSats: 0n,
      costOfChangeSats: spendFeeSats,
      minViableChangeSats: DUST_LIMIT_SATS,
      feeRate: perKvb(feeRateSatVb),
      longTermFeeRate: LONG_TERM_FEE_RATE,
      changeTargetSats: generateChangeTarget(collateralSats, 0n, random),
      subtractFee: false,
      maxInputWeight: MAX_STANDARD_WEIGHT / 2,
      changeWeight: 4 * outputSize(form.scriptLength),
      random,
    },
  });
}
