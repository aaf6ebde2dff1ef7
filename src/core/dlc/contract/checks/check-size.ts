import type { ContractDescriptor, ContractInfo } from '../../contract-info.ts';
import { announcementsOf } from '../encryption-points.ts';

/** Outcomes, or end points, points and rounding intervals of curves, all that a record of the contract shows. */
const MAX_PAYOUTS = 1_500;
/** Each is a point that is looked for on the curve whenever the message is read: of 20 oracles 63 digits. */
const MAX_NONCES = 1_300;
/** Of all announcements: of 20 oracles 1,000. */
const MAX_ANNOUNCED = 25_000;

/** What is beyond what may be agreed on: a message that is read in some milliseconds may be read wherever one is. null where nothing is. */
export function sizeProblem({ cases }: ContractInfo): string | null {
  const announcements = cases.flatMap(({ oracleInfo }) => announcementsOf(oracleInfo));
  const count = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
  for (const [what, most, found] of [
    ['outcomes or points of curves', MAX_PAYOUTS, count(cases.map(({ descriptor }) => payoutsOf(descriptor)))],
    ['nonces', MAX_NONCES, count(announcements.map(({ event }) => event.nonces.length))],
    [
      'announced outcomes',
      MAX_ANNOUNCED,
      count(
        announcements.map(({ event: { descriptor } }) => (descriptor.kind === 'enum' ? descriptor.outcomes.length : 0)),
      ),
    ],
  ] as const) {
    if (found > most) return `it has ${found} ${what}, and ${most} are taken at most`;
  }
  return null;
}

function payoutsOf(descriptor: ContractDescriptor): number {
  if (descriptor.kind === 'enumerated') return descriptor.payouts.length;
  const { payoutFunction, roundingIntervals } = descriptor;
  const points = payoutFunction.pieces.map(({ curve }) => (curve.kind === 'polynomial' ? curve.points.length : 0));
  return points.reduce((sum, one) => sum + one + 1, roundingIntervals.length);
}
