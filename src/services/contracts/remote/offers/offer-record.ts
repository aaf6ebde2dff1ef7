/** What the record of a contract says of an offer that came from elsewhere. */

import { hex } from '../../../../core/bytes.ts';
import { announcementsOf } from '../../../../core/dlc/contract/encryption-points.ts';
import type { ContractCase } from '../../../../core/dlc/contract-info.ts';
import type { OfferMessage } from '../../../../core/dlc/dlc-messages.ts';
import type { OracleAnnouncement } from '../../../../core/dlc/oracle-event.ts';
import type { ContractRecord } from '../../../../store/repositories/contract-rows.ts';
import { writtenDescriptor } from '../../written-descriptor.ts';

/** Each once, in the order of the cases and of preference. */
export function announcementsOfOffer({ contractInfo }: OfferMessage): OracleAnnouncement[] {
  const seen = new Set<string>();
  return contractInfo.cases
    .flatMap(({ oracleInfo }) => announcementsOf(oracleInfo))
    .filter(({ publicKey, event }) => {
      const name = `${hex(publicKey)} ${event.eventId}`;
      return !seen.has(name) && seen.add(name);
    });
}

/** Payouts and descriptor tell of contracts with one case; of the others the messages do. Threshold: so few attestations may decide. */
export function termsOfOffer(
  offer: OfferMessage,
): Pick<
  ContractRecord,
  | 'threshold'
  | 'payouts'
  | 'descriptor'
  | 'collateralSats'
  | 'offerCollateralSats'
  | 'feeRateSatVb'
  | 'cetLocktime'
  | 'refundLocktime'
  | 'temporaryContractId'
> {
  const { cases, totalCollateralSats } = offer.contractInfo;
  const only = cases.length === 1 ? cases[0]! : null;
  return {
    threshold: Math.min(...cases.map(({ oracleInfo }) => (oracleInfo.kind === 'single' ? 1 : oracleInfo.threshold))),
    payouts:
      only?.descriptor.kind === 'enumerated'
        ? only.descriptor.payouts.map(({ outcome, offerPayoutSats }) => ({
            outcome,
            offerSats: offerPayoutSats.toString(),
          }))
        : [],
    descriptor: only && descriptorOf(only),
    collateralSats: totalCollateralSats,
    offerCollateralSats: offer.party.collateralSats,
    feeRateSatVb: offer.feeRateSatVb,
    cetLocktime: offer.cetLocktime,
    refundLocktime: offer.refundLocktime,
    temporaryContractId: hex(offer.temporaryContractId),
  };
}

function descriptorOf({ descriptor, oracleInfo }: ContractCase) {
  if (descriptor.kind === 'enumerated') return null;
  const [announcement] = announcementsOf(oracleInfo);
  const event = announcement?.event.descriptor;
  const { unit, precision } = event?.kind === 'digits' ? event : { unit: '', precision: 0 };
  return writtenDescriptor({ ...descriptor, unit, precision });
}
