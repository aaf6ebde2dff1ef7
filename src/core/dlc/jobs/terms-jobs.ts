/** What terms come to, with plain data in and out as in psbt-jobs.ts: evaluating a payout curve may take seconds. */
import { payoutSvg } from '../../pictures/payout-curve.ts';
import { contractOf } from '../contract/contract-of.ts';
import { announcementsOf } from '../contract/encryption-points.ts';
import { type StressedTransaction, type StressOptions, stressFees } from '../contract/fee-stress.ts';
import { type TypicalTerms, typicalContract } from '../contract/typical-contract.ts';
import type { ContractInfo } from '../contract-info.ts';
import type { Dialect } from '../dialect.ts';
import { parseAccept } from '../messages/accept.ts';
import { parseOffer } from '../messages/offer.ts';
import { countAdaptorCases } from '../outcomes/adaptor-cases.ts';
import { type PayoutPreview, payoutPreview, sharesOf } from '../outcomes/payout-preview.ts';
import { validateContractInfo } from '../outcomes/validate-contract-info.ts';

/** Terms, or the offer (on the wire) that has them. */
export type TermsParams = ({ readonly info: ContractInfo } | { readonly offer: Uint8Array }) & {
  readonly dialect: Dialect;
};

export interface ContractPayouts {
  readonly totalCollateralSats: bigint;
  readonly events: readonly PayoutPreview[];
}

export type StressParams = StressOptions & {
  /** `accept` null: nobody has accepted yet. */
  readonly of:
    | TypicalTerms
    | { readonly offer: Uint8Array; readonly accept: Uint8Array | null; readonly dialect: Dialect };
};

export const termsJobs = {
  /** Throws `contract_refused` and `invalid_…` where they are not sound, or would need more adaptor signatures than `most`. */
  'terms.check'({
    info,
    dialect,
    most,
  }: {
    readonly info: ContractInfo;
    readonly dialect: Dialect;
    readonly most: number;
  }): null {
    validateContractInfo(info);
    for (const contractCase of info.cases) countAdaptorCases(contractCase, info.totalCollateralSats, dialect, most);
    return null;
  },

  'terms.payouts'(given: TermsParams): ContractPayouts {
    const info = infoOf(given);
    return { totalCollateralSats: info.totalCollateralSats, events: payoutPreview(info, given.dialect) };
  },

  /** Of what the first event pays, SVG. */
  'terms.picture'(given: TermsParams): string {
    const info = infoOf(given);
    const [first] = info.cases;
    if (first === undefined) throw new Error('a contract without an event');
    const event = announcementsOf(first.oracleInfo)[0]?.event;
    return payoutSvg({
      title: event?.eventId ?? '',
      collateralSats: info.totalCollateralSats,
      shares: sharesOf(first, info.totalCollateralSats),
      ...(event?.descriptor.kind === 'digits'
        ? { unit: event.descriptor.unit, precision: event.descriptor.precision }
        : {}),
    });
  },

  'terms.fees'({ of, ...options }: StressParams): StressedTransaction[] {
    if ('info' in of) return stressFees(typicalContract(of), options);
    const offer = parseOffer(of.offer, of.dialect);
    const contract =
      of.accept === null
        ? typicalContract({
            info: offer.contractInfo,
            offerCollateralSats: offer.party.collateralSats,
            feeRateSatVb: offer.feeRateSatVb,
            dialect: of.dialect,
          })
        : contractOf(offer, parseAccept(of.accept, of.dialect).party, of.dialect);
    return stressFees(contract, options);
  },
};

export type TermsJobs = typeof termsJobs;

const infoOf = (given: TermsParams): ContractInfo =>
  'info' in given ? given.info : parseOffer(given.offer, given.dialect).contractInfo;
