import { GENESIS_HASHES } from '../../../genesis.ts';
import type { Network } from '../../../network.ts';
import { internalHash } from '../../../outpoint.ts';
import type { OfferMessage } from '../../dlc-messages.ts';
import { validateContractInfo } from '../../outcomes/validate-contract-info.ts';
import { DUST_LIMIT_SATS } from '../../transactions/contract-transaction.ts';
import type { ContractCheck } from '../contract-check.ts';
import { checkAnnouncements } from './check-announcements.ts';
import type { CheckContext } from './check-context.ts';
import { type CheckList, checkList } from './check-list.ts';
import { locktimeProblem, orderProblem } from './check-locktimes.ts';
import { checkParty } from './check-party.ts';
import { sizeProblem } from './check-size.ts';

const PROTOCOL_VERSION = 1;

/** Every check of an offer; it is fine where none failed (dlcspecs Protocol.md, The `offer_dlc` Message). */
export function checkOffer(offer: OfferMessage, context: CheckContext): ContractCheck[] {
  const list = checkList('offer');
  const { party, feeRateSatVb, contractInfo } = offer;
  const { dialect, feeRateLimits } = context;
  list.judge('protocol_version', versionProblem(offer.protocolVersion));
  list.judge('chain_hash', chainProblem(offer.chainHash, context.network));
  const tooMuch = context.stands ? null : sizeProblem(contractInfo);
  if (tooMuch !== null) {
    list.judge('contract_info', tooMuch);
    return list.checks;
  }
  list.attempt('contract_info', () => validateContractInfo(contractInfo));
  checkAnnouncements(list, offer, dialect, context.announcements ?? []);
  list.judge('collateral', collateralProblem(offer, dialect));
  list.judge('locktimes', context.stands ? orderProblem(offer) : locktimeProblem(offer, context.tip));
  const { leastSatVb, mostSatVb } = feeRateLimits;
  const withinLimits = feeRateSatVb >= leastSatVb && feeRateSatVb <= mostSatVb;
  list.judge('fee_rate', withinLimits ? null : `${feeRateSatVb} sat/vB is not between ${leastSatVb} and ${mostSatVb}`);
  checkSerialIds(list, offer);
  checkParty({ list, side: 'offer', party, offer, dialect, others: [] });
  return list.checks;
}

const versionProblem = (version: number): string | null =>
  version === PROTOCOL_VERSION ? null : `version ${version} of the protocol is not spoken here`;

const chainProblem = (chainHash: Uint8Array, network: Network): string | null =>
  Buffer.compare(chainHash, internalHash(GENESIS_HASHES[network])) === 0 ? null : `it is not of ${network}`;

/** Each side 1,000 satoshis or, where dlcdevkit's single funding is spoken, nothing; and every way to close it makes an output. */
function collateralProblem({ party, contractInfo }: OfferMessage, dialect: CheckContext['dialect']): string | null {
  const { totalCollateralSats, cases } = contractInfo;
  const { collateralSats } = party;
  if (collateralSats > totalCollateralSats)
    return `the offerer's ${collateralSats} satoshis are more than the total of ${totalCollateralSats}`;
  for (const [side, sats] of [
    ['offerer', collateralSats],
    ['accepter', totalCollateralSats - collateralSats],
  ] as const) {
    const single = sats === 0n && dialect === 'tagged';
    if (sats < DUST_LIMIT_SATS && !single)
      return `the ${side}'s collateral of ${sats} satoshis is below ${DUST_LIMIT_SATS}`;
  }
  if (totalCollateralSats >= 2n * DUST_LIMIT_SATS - 1n) return null;
  // Below, both outputs may be dust, and a transaction without outputs is none.
  const empty = cases.some(({ descriptor }) =>
    descriptor.kind === 'numeric'
      ? true
      : descriptor.payouts.some(
          ({ offerPayoutSats }) =>
            offerPayoutSats < DUST_LIMIT_SATS && totalCollateralSats - offerPayoutSats < DUST_LIMIT_SATS,
        ),
  );
  return empty ? `of ${totalCollateralSats} satoshis an outcome may leave nobody as much as ${DUST_LIMIT_SATS}` : null;
}

function checkSerialIds(list: CheckList, { party, fundOutputSerialId }: OfferMessage): void {
  const inputs = duplicateOf(party.fundingInputs.map(({ serialId }) => serialId));
  if (inputs !== null) list.judge('serial_ids', `two funding inputs have the serial id ${inputs}`);
  else if (party.changeSerialId === fundOutputSerialId)
    list.judge('serial_ids', 'change and funding output have the same serial id');
  else list.judge('serial_ids', null);
}

/** One that stands there twice, null where none does. */
export function duplicateOf(serialIds: readonly bigint[]): bigint | null {
  const seen = new Set<bigint>();
  for (const serialId of serialIds) {
    if (seen.has(serialId)) return serialId;
    seen.add(serialId);
  }
  return null;
}
