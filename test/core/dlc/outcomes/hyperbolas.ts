import type { FixedPoint, PayoutCurvePiece } from '../../../../src/core/dlc/contract-info.ts';

export type Hyperbola = Extract<PayoutCurvePiece, { readonly kind: 'hyperbola' }>;

/** In sixteenths. */
const fixed = (sixteenths: number): FixedPoint => ({
  negative: sixteenths < 0,
  magnitude: BigInt(Math.abs(sixteenths)),
  fractionBits: 4,
});

/** Parameters in sixteenths. */
export const hyperbola = (given: {
  usePositivePiece: boolean;
  translateOutcome: number;
  translatePayout: number;
  a: number;
  b: number;
  c: number;
  d: number;
}): Hyperbola => ({
  kind: 'hyperbola',
  usePositivePiece: given.usePositivePiece,
  translateOutcome: fixed(given.translateOutcome),
  translatePayout: fixed(given.translatePayout),
  a: fixed(given.a),
  b: fixed(given.b),
  c: fixed(given.c),
  d: fixed(given.d),
});
