import type { ContractCase, ContractInfo } from '../contract-info.ts';
import type { Dialect } from '../dialect.ts';
import { DUST_LIMIT_SATS } from '../transactions/contract-transaction.ts';
import { countAdaptorCases } from './adaptor-cases.ts';
import { tiesOf } from './curve-segment.ts';
import { payoutRuns } from './payout-runs.ts';
import { type LeastShares, leastShares } from './rounding-tolerance.ts';

const DEFAULT_PREVIEW_ROWS = 100;

export interface PayoutRow {
  /** An enumeration's, or numbers with both ends included. */
  readonly outcome: string | { readonly from: bigint; readonly to: bigint };
  readonly offerPayoutSats: bigint;
  readonly acceptPayoutSats: bigint;
  /** Least of any CET that would be taken from the other side (rounding-tolerance.ts). */
  readonly least: LeastShares;
  /** Whose share is above 0 and too small to be paid out (dlcspecs Transactions.md): it goes to the miner. */
  readonly dropped: readonly ('offer' | 'accept')[];
}

/** What one of the contract's events decides. */
export interface PayoutPreview {
  readonly kind: 'enumerated' | 'numeric';
  /** Evenly out of all, the first and the last among them. */
  readonly rows: readonly PayoutRow[];
  readonly rowsLeftOut: number;
  /** That each side makes. */
  readonly adaptorSignatures: number;
  readonly lowestOfferPayoutSats: bigint;
  readonly highestOfferPayoutSats: bigint;
}

/**
 * What sound terms (validateContractInfo) pay, by event. Funding and fees are on top: a CET pays the shares that are shown, whatever the
 * feerate. Throws `contract_refused` as countAdaptorCases does.
 */
export function payoutPreview(
  info: ContractInfo,
  dialect: Dialect,
  { maxRows = DEFAULT_PREVIEW_ROWS }: { readonly maxRows?: number } = {},
): PayoutPreview[] {
  const { totalCollateralSats } = info;
  return info.cases.map((contractCase) => {
    const adaptorSignatures = countAdaptorCases(contractCase, totalCollateralSats, dialect);
    const shares = sharesOf(contractCase, totalCollateralSats, dialect);
    const shown = evenly(shares, maxRows);
    const payouts = shares.map(({ offerPayoutSats }) => offerPayoutSats);
    return {
      kind: contractCase.descriptor.kind,
      rows: shown.map((share) => rowOf(share, contractCase, totalCollateralSats)),
      rowsLeftOut: shares.length - shown.length,
      adaptorSignatures,
      lowestOfferPayoutSats: payouts.reduce((low, payout) => (payout < low ? payout : low)),
      highestOfferPayoutSats: payouts.reduce((high, payout) => (payout > high ? payout : high)),
    };
  });
}

/** Every outcome of an enumeration; of numbers the ranges that pay the same. */
export function sharesOf(
  { descriptor }: ContractCase,
  totalCollateralSats: bigint,
  dialect: Dialect = 'tagged',
): Pick<PayoutRow, 'outcome' | 'offerPayoutSats'>[] {
  if (descriptor.kind === 'enumerated') return [...descriptor.payouts];
  return Array.from(
    payoutRuns(descriptor, totalCollateralSats, tiesOf(dialect)),
    ({ start, end, offerPayoutSats }) => ({
      outcome: { from: start, to: end },
      offerPayoutSats,
    }),
  );
}

function rowOf(
  { outcome, offerPayoutSats }: Pick<PayoutRow, 'outcome' | 'offerPayoutSats'>,
  { descriptor }: ContractCase,
  totalCollateralSats: bigint,
): PayoutRow {
  const acceptPayoutSats = totalCollateralSats - offerPayoutSats;
  const shares = [
    ['offer', offerPayoutSats],
    ['accept', acceptPayoutSats],
  ] as const;
  const dropped = shares.filter(([, share]) => share > 0n && share < DUST_LIMIT_SATS).map(([side]) => side);
  const least = leastShares(offerPayoutSats, totalCollateralSats, descriptor.kind);
  return { outcome, offerPayoutSats, acceptPayoutSats, least, dropped };
}

function evenly<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  if (most < 2) return all.slice(0, most);
  return Array.from({ length: most }, (_, i) => all[Math.round((i * (all.length - 1)) / (most - 1))]!);
}
