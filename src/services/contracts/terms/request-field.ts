import type { ContractDescriptor, PayoutFunction } from '../../../core/dlc/contract-info.ts';

/** A field of contract info, as `validateContractInfo` names it, by the name that requests have for it. */
export const requestField = (field: string, descriptor: ContractDescriptor, roundingAsked: number): string => {
  const named = field
    .replace(/^total_collateral$/, 'collateral')
    .replace(/^descriptor\.payouts\b.*/, 'payouts')
    .replace(/^oracle_info\.announcements\b/, 'oracles')
    .replace(/^oracle_info\./, '');
  if (descriptor.kind === 'enumerated') return named;
  // One that begins at 0 is added where none was asked for.
  const added = descriptor.roundingIntervals.length - roundingAsked;
  return named
    .replace(/^descriptor\.rounding_intervals\[(\d+)\]/, (_, index) => `descriptor.rounding[${Number(index) - added}]`)
    .replace(/^descriptor\.rounding_intervals\b/, 'descriptor.rounding')
    .replace(
      /^descriptor\.payout_function\.(.*)$/,
      (_, rest) => `descriptor.${askedPoint(rest, descriptor.payoutFunction)}`,
    );
};

/** Requests have the points of all pieces in one row. */
function askedPoint(field: string, { pieces }: PayoutFunction): string {
  const pointsOf = ({ curve }: PayoutFunction['pieces'][number]): number =>
    1 + (curve.kind === 'polynomial' ? curve.points.length : 0);
  const before = (piece: number): number => pieces.slice(0, piece).reduce((sum, one) => sum + pointsOf(one), 0);
  if (field.startsWith('last_end_point')) return `payout_points[${before(pieces.length)}]`;
  const [, piece, rest] = /^pieces\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
  if (piece === undefined) return 'payout_points';
  const first = before(Number(piece));
  const [, between] = /^curve\.points\[(\d+)\]/.exec(rest ?? '') ?? [];
  if (between !== undefined) return `payout_points[${first + 1 + Number(between)}]`;
  const [, parameter] =
    /^curve\.(a|b|c|d|translate_outcome|translate_payout|use_positive_piece)$/.exec(rest ?? '') ?? [];
  return `payout_points[${first}]${parameter === undefined ? '' : `.hyperbola.${parameter}`}`;
}
