/** From a request to the terms of a contract: every default filled in, everything checked that can be before anything is held. */
import { formatBtc } from '../../../core/amount.ts';
import type { ContractDescriptor, ContractInfo } from '../../../core/dlc/contract-info.ts';
import type { Dialect } from '../../../core/dlc/dialect.ts';
import type { TermsJobs } from '../../../core/dlc/jobs/terms-jobs.ts';
import { noncesOf, parseAnnouncement } from '../../../core/dlc/messages/announcement.ts';
import { MAX_EXCHANGED_CASES } from '../../../core/dlc/messages/message-size.ts';
import type { EventDescriptor, OracleAnnouncement } from '../../../core/dlc/oracle-event.ts';
import { MAX_ADAPTOR_CASES } from '../../../core/dlc/outcomes/adaptor-cases.ts';
import { defaultPayouts } from '../../../core/dlc/outcomes/default-payouts.ts';
import { roundingFromZero } from '../../../core/dlc/outcomes/rounding.ts';
import { DUST_LIMIT_SATS } from '../../../core/dlc/transactions/contract-transaction.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Computing } from '../../../engines/computing/computing.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import { announcementOf, dialectOf } from '../../oracles/stored-announcement.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import type { ContractTermsRequest } from '../contract-service.ts';
import type { ContractEvents, EventFinder, StoredAnnouncement } from './contract-events.ts';
import { requestField } from './request-field.ts';

export interface ResolvedTerms {
  readonly dialect: Dialect;
  readonly collateralSats: bigint;
  readonly offerCollateralSats: bigint;
  readonly descriptor: ContractDescriptor;
  /** What the oracles announce. */
  readonly eventDescriptor: EventDescriptor;
  readonly events: ContractEvents;
  readonly threshold: number;
  readonly oracleParams: ContractTermsRequest['oracleParams'];
  /** As records keep it. */
  readonly written: Pick<ContractRecord, 'payouts' | 'descriptor'>;
}

export interface TermsDependencies {
  readonly events: EventFinder;
  readonly computing: Computing<TermsJobs>;
}

/**
 * `halves`: the other side brings half unless said; a single holder brings everything. `exchanged`: with somebody elsewhere, by messages,
 * which hold fewer adaptor signatures than a contract may have.
 */
export async function resolveTerms(
  { events: finder, computing }: TermsDependencies,
  whose: Pick<RequestContext, 'accountId' | 'signal'>,
  request: ContractTermsRequest,
  { halves = false, exchanged = false }: { halves?: boolean; exchanged?: boolean } = {},
): Promise<ResolvedTerms> {
  const { collateralSats } = request;
  const offerCollateralSats = request.offerCollateralSats ?? (halves ? collateralSats / 2n : collateralSats);
  if (offerCollateralSats > collateralSats) {
    throw new DomainError('invalid_value', 'offer_collateral must not be above the collateral', {
      field: 'offer_collateral',
    });
  }
  const { descriptor, eventDescriptor, written } = described(request);
  refuseWithoutOutput(descriptor, collateralSats, offerCollateralSats);
  refuseSmallShare(request, offerCollateralSats);
  const events = await finder.find(whose.accountId, request, eventDescriptor);
  const terms: ResolvedTerms = {
    dialect: request.dialect ?? 'tagged',
    collateralSats,
    offerCollateralSats,
    descriptor,
    eventDescriptor,
    events,
    threshold: request.threshold ?? events.oracles.length,
    oracleParams: request.oracleParams,
    written,
  };
  await refuseUnsound(
    (given) => computing.run('terms.check', given, whose),
    terms,
    request.numeric?.roundingIntervals.length ?? 0,
    exchanged ? MAX_EXCHANGED_CASES : MAX_ADAPTOR_CASES,
  );
  return terms;
}

/** More adaptor signatures than may be are refused, too, before anything is held for them. */
async function refuseUnsound(
  check: (given: Parameters<TermsJobs['terms.check']>[0]) => Promise<null>,
  terms: ResolvedTerms,
  roundingAsked: number,
  most: number,
): Promise<void> {
  const { descriptor, dialect } = terms;
  try {
    await check({ info: previewInfo(terms), dialect, most });
  } catch (error) {
    const field = error instanceof DomainError ? error.details.field : undefined;
    throw field === undefined ? error : (error as DomainError).at(requestField(field, descriptor, roundingAsked));
  }
}

/**
 * An oracle attests in the dialect in which it announced, and those kept here in their own (`tagged`): a contract in another could be made,
 * and only ever refunded.
 */
export function assertAttestable({ dialect, events }: ResolvedTerms): void {
  const other = events.oracles.find((_oracle, position) => {
    const announced = events.announced[position];
    return (announced ? dialectOf(announcementOf(announced)) : 'tagged') !== dialect;
  });
  if (other === undefined) return;
  throw new DomainError(
    'invalid_value',
    `oracle ${other.oracleId} does not attest in the dialect ${dialect}: the contract could never be settled`,
    { field: 'dialect' },
  );
}

/** With the announcements in the order of the oracles. */
export function contractInfo(terms: ResolvedTerms, announcements: readonly OracleAnnouncement[]): ContractInfo {
  const [first] = announcements;
  return {
    totalCollateralSats: terms.collateralSats,
    disjoint: false,
    cases: [
      {
        descriptor: terms.descriptor,
        oracleInfo:
          announcements.length === 1
            ? { kind: 'single', announcement: first! }
            : {
                kind: 'multi',
                threshold: terms.threshold,
                announcements,
                params: terms.descriptor.kind === 'numeric' ? (terms.oracleParams ?? null) : null,
              },
      },
    ],
  };
}

/** As it would be offered; where the local oracle has not announced yet, its nonces are still zeros. */
export function previewInfo(terms: ResolvedTerms): ContractInfo {
  const { events, eventDescriptor } = terms;
  return contractInfo(
    terms,
    events.oracles.map((oracle, position) => {
      const announced = events.announced[position];
      return announced ? parsedAnnouncement(announced) : toCome(oracle.publicKey, eventDescriptor);
    }),
  );
}

const parsedAnnouncement = ({ announcement }: StoredAnnouncement['event']): OracleAnnouncement =>
  parseAnnouncement(Buffer.from(announcement, 'hex'));

const toCome = (publicKey: string, descriptor: EventDescriptor): OracleAnnouncement => ({
  signature: new Uint8Array(64),
  publicKey: Buffer.from(publicKey, 'hex'),
  event: {
    nonces: Array.from({ length: noncesOf(descriptor) }, () => new Uint8Array(32)),
    maturityEpoch: 0,
    descriptor,
    eventId: 'payout by outcome',
  },
});

function described(request: ContractTermsRequest): Pick<ResolvedTerms, 'descriptor' | 'eventDescriptor' | 'written'> {
  const { numeric, outcomes = [], collateralSats } = request;
  if (numeric) {
    const { digits, unit, precision, payoutFunction, roundingIntervals } = numeric;
    return {
      descriptor: { kind: 'numeric', digits, payoutFunction, roundingIntervals: roundingFromZero(roundingIntervals) },
      eventDescriptor: { kind: 'digits', base: 2, signed: false, unit, precision, digits },
      written: { payouts: [], descriptor: numeric.written },
    };
  }
  const given = request.payouts;
  const payouts = given
    ? outcomes.map((outcome) => ({ outcome, offerPayoutSats: given.get(outcome) ?? 0n }))
    : defaultPayouts(outcomes, collateralSats);
  return {
    descriptor: { kind: 'enumerated', payouts },
    eventDescriptor: { kind: 'enum', outcomes },
    written: {
      payouts: payouts.map(({ outcome, offerPayoutSats }) => ({ outcome, offerSats: offerPayoutSats.toString() })),
      descriptor: null,
    },
  };
}

/** dlcspecs' least collateral of a side, which nobody's check lets pass; nothing at all is dlcdevkit's single funding. */
function refuseSmallShare(
  { collateralSats, offerCollateralSats: asked }: ContractTermsRequest,
  offerSats: bigint,
): void {
  const shares = [offerSats, collateralSats - offerSats];
  if (!shares.some((sats) => sats > 0n && sats < DUST_LIMIT_SATS)) return;
  const [offerer, accepter] = shares.map(formatBtc);
  throw new DomainError(
    'dust',
    `each side brings nothing or at least ${formatBtc(DUST_LIMIT_SATS)} BTC of the collateral: the offerer would bring ${offerer}, the accepter ${accepter}`,
    { field: asked === undefined ? 'collateral' : 'offer_collateral' },
  );
}

/** A transaction has at least one output: of two shares below the dust limit none is made. */
function refuseWithoutOutput(descriptor: ContractDescriptor, totalSats: bigint, offerCollateralSats: bigint): void {
  const paysNobody = (offerSats: bigint): boolean =>
    offerSats < DUST_LIMIT_SATS && totalSats - offerSats < DUST_LIMIT_SATS;
  const shares = [
    offerCollateralSats,
    ...(descriptor.kind === 'enumerated'
      ? descriptor.payouts.map(({ offerPayoutSats }) => offerPayoutSats)
      : [totalSats / 2n]),
  ];
  if (!shares.some(paysNobody)) return;
  throw new DomainError(
    'dust',
    `shares below ${DUST_LIMIT_SATS} satoshis are not paid out, and both would be: the collateral is too small`,
    { field: 'collateral' },
  );
}
