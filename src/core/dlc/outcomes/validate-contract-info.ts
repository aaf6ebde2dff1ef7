import { MAX_SATS } from '../../amount.ts';
import { DomainError } from '../../errors.ts';
import type {
  ContractCase,
  ContractInfo,
  EnumeratedDescriptor,
  NumericDescriptor,
  OracleInfo,
  RoundingInterval,
} from '../contract-info.ts';
import type { OracleAnnouncement } from '../oracle-event.ts';
import { POINT_SCALE } from './curve-segment.ts';
import { lastOutcome } from './digit-prefixes.ts';
import { checkEffort, curveSegments, scaledPayout } from './payout-curve.ts';

/** End points are u64, and implementations in use count outcomes in 64 bits. */
const MAX_DIGITS = 63;
const MAX_ROUNDING_INTERVALS = 10_000;
/** With a threshold above 16 even one outcome would need thousands of signatures where values may differ. */
const MAX_ORACLES = 100;
/** Of a disjoint contract. */
const MAX_EVENTS = 100;

/**
 * Checks that the terms say what is paid for everything that the oracles can attest, once, out of the collateral (dlcspecs Messaging.md,
 * "Validity requirement"). Signatures of announcements are not looked at, nor how many adaptor signatures there would be (adaptorCases).
 * Throws `contract_refused`; the field is relative to the case (`descriptor.payouts[3]`, `oracle_info.threshold`), behind
 * `cases[1].` in a disjoint contract.
 */
export function validateContractInfo(info: ContractInfo): void {
  if (info.totalCollateralSats <= 0n || info.totalCollateralSats > MAX_SATS) {
    throw refused('the collateral must be above 0 and at most 21000000 BTC', 'total_collateral');
  }
  if (info.cases.length === 0 || info.cases.length > MAX_EVENTS) {
    throw refused(`there must be 1 to ${MAX_EVENTS} events`, 'cases');
  }
  if (info.disjoint) {
    const functions = info.cases.flatMap(({ descriptor }) =>
      descriptor.kind === 'numeric' ? [descriptor.payoutFunction] : [],
    );
    checkEffort(functions, 'cases');
  }
  for (const [i, contractCase] of info.cases.entries()) {
    try {
      validateCase(contractCase, info.totalCollateralSats);
    } catch (error) {
      if (!(info.disjoint && error instanceof DomainError)) throw error;
      throw error.at(`cases[${i}].${error.details.field}`);
    }
  }
}

function validateCase({ descriptor, oracleInfo }: ContractCase, totalSats: bigint): void {
  const announcements = oracleInfo.kind === 'single' ? [oracleInfo.announcement] : oracleInfo.announcements;
  validateOracles(oracleInfo, announcements);
  if (descriptor.kind === 'enumerated') {
    if (oracleInfo.kind === 'multi' && oracleInfo.params) {
      throw refused('oracles may differ in numbers only', 'oracle_info.oracle_params');
    }
    validateOutcomes(descriptor, announcements, totalSats);
  } else {
    validateDigits(descriptor, announcements);
    if (oracleInfo.kind === 'multi') validateParams(oracleInfo, descriptor.digits);
    validateRounding(descriptor.roundingIntervals);
    validateFunction(descriptor, totalSats);
  }
}

function validateOracles(info: OracleInfo, announcements: readonly OracleAnnouncement[]): void {
  if (info.kind === 'multi') {
    if (announcements.length === 0 || announcements.length > MAX_ORACLES) {
      throw refused(`there must be 1 to ${MAX_ORACLES} oracles`, 'oracle_info.announcements');
    }
    if (!Number.isInteger(info.threshold) || info.threshold < 1 || info.threshold > announcements.length) {
      throw refused(`must be between 1 and the ${announcements.length} oracles`, 'oracle_info.threshold');
    }
  }
  const seen = new Set<string>();
  for (const [i, { publicKey }] of announcements.entries()) {
    const key = Buffer.from(publicKey).toString('hex');
    if (seen.has(key)) throw refused('the same oracle twice would decide twice', fieldOf(i));
    seen.add(key);
  }
}

const fieldOf = (announcement: number): string => `oracle_info.announcements[${announcement}]`;

function validateOutcomes(
  { payouts }: EnumeratedDescriptor,
  announcements: readonly OracleAnnouncement[],
  totalSats: bigint,
): void {
  const paid = new Set<string>();
  for (const [i, { outcome, offerPayoutSats }] of payouts.entries()) {
    const field = `descriptor.payouts[${i}]`;
    if (paid.has(outcome)) throw refused('an outcome must be paid once: it is there before', field);
    if (offerPayoutSats < 0n || offerPayoutSats > totalSats) {
      throw refused(`pays ${offerPayoutSats} of a collateral of ${totalSats} satoshis`, field);
    }
    paid.add(outcome);
  }
  for (const [i, { event }] of announcements.entries()) {
    if (event.descriptor.kind !== 'enum') throw refused('announces a number, not one of these outcomes', fieldOf(i));
    const announced = new Set(event.descriptor.outcomes);
    if (event.nonces.length !== 1) throw refused('an outcome is attested with one nonce', fieldOf(i));
    if (announced.size !== event.descriptor.outcomes.length) throw refused('announces an outcome twice', fieldOf(i));
    const unpaid = event.descriptor.outcomes.find((outcome) => !paid.has(outcome));
    if (unpaid !== undefined)
      throw refused(`says nothing of an outcome that is announced: ${unpaid}`, 'descriptor.payouts');
    const unannounced = payouts.findIndex(({ outcome }) => !announced.has(outcome));
    if (unannounced >= 0)
      throw refused('pays for an outcome that is not announced', `descriptor.payouts[${unannounced}]`);
  }
}

function validateDigits({ digits }: NumericDescriptor, announcements: readonly OracleAnnouncement[]): void {
  if (!Number.isInteger(digits) || digits < 1 || digits > MAX_DIGITS) {
    throw refused(`must be between 1 and ${MAX_DIGITS}`, 'descriptor.digits');
  }
  const [first] = announcements;
  for (const [i, { event }] of announcements.entries()) {
    const announced = event.descriptor;
    if (announced.kind !== 'digits') throw refused('announces an enumeration, not a number', fieldOf(i));
    if (announced.base !== 2) throw refused('a contract takes digits in base 2', fieldOf(i));
    if (announced.signed) throw refused('a contract takes numbers without a sign', fieldOf(i));
    if (announced.digits !== digits) {
      throw refused(`announces ${announced.digits} digits, and the contract pays for ${digits}`, fieldOf(i));
    }
    if (event.nonces.length !== digits) throw refused('a digit is attested with one nonce', fieldOf(i));
    if (first?.event.descriptor.kind === 'digits' && announced.precision !== first.event.descriptor.precision) {
      throw refused('announces another precision than the first oracle', fieldOf(i));
    }
  }
}

function validateParams({ params }: Extract<OracleInfo, { readonly kind: 'multi' }>, digits: number): void {
  if (!params) return;
  const { minFailExp, maxErrorExp } = params;
  if (!Number.isInteger(minFailExp) || minFailExp < 0 || minFailExp >= maxErrorExp) {
    throw refused('must be below max_error_exp', 'oracle_info.oracle_params.min_fail_exp');
  }
  if (!Number.isInteger(maxErrorExp) || maxErrorExp >= digits) {
    throw refused(
      `must be below the ${digits} digits: any value would do of the other oracles`,
      'oracle_info.oracle_params.max_error_exp',
    );
  }
}

function validateRounding(intervals: readonly RoundingInterval[]): void {
  const field = 'descriptor.rounding_intervals';
  if (intervals.length > MAX_ROUNDING_INTERVALS) {
    throw refused(`there may be ${MAX_ROUNDING_INTERVALS} rounding intervals, not ${intervals.length}`, field);
  }
  for (const [i, { beginInterval, roundingMod }] of intervals.entries()) {
    if (roundingMod < 1n) throw refused('rounding_mod must be at least 1 satoshi', `${field}[${i}]`);
    if (beginInterval < 0n || (i > 0 && beginInterval <= intervals[i - 1]!.beginInterval)) {
      throw refused('begin_interval must strictly rise', `${field}[${i}]`);
    }
  }
}

function validateFunction({ payoutFunction, digits }: NumericDescriptor, totalSats: bigint): void {
  const { pieces, lastEndPoint } = payoutFunction;
  const functionField = 'descriptor.payout_function';
  const within = (point: typeof lastEndPoint, field: string): void => {
    const { payoutSats, extraPrecision } = point;
    if (!Number.isInteger(extraPrecision) || extraPrecision < 0 || extraPrecision >= Number(POINT_SCALE)) {
      throw refused('extra_precision must be between 0 and 65535', field);
    }
    if (payoutSats < 0n || scaledPayout(point) > totalSats * POINT_SCALE) {
      throw refused(`pays ${payoutSats} of a collateral of ${totalSats} satoshis`, field);
    }
  };
  for (const [i, { endPoint, curve }] of pieces.entries()) {
    within(endPoint, `${functionField}.pieces[${i}].end_point`);
    if (curve.kind === 'hyperbola') continue;
    for (const [j, point] of curve.points.entries()) within(point, `${functionField}.pieces[${i}].curve.points[${j}]`);
  }
  within(lastEndPoint, `${functionField}.last_end_point`);
  if (pieces[0] && pieces[0].endPoint.eventOutcome !== 0n) {
    throw refused('the first end point must be at outcome 0', `${functionField}.pieces[0].end_point`);
  }
  if (lastEndPoint.eventOutcome !== lastOutcome(digits)) {
    throw refused(
      `the last end point must be at ${lastOutcome(digits)}, the last outcome of ${digits} digits`,
      `${functionField}.last_end_point`,
    );
  }
  curveSegments(payoutFunction);
}

const refused = (reason: string, field: string): DomainError => new DomainError('contract_refused', reason, { field });
