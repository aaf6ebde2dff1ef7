/** What a contract on a number pays, as callers write it (dlcspecs PayoutCurve.md, NumericOutcome.md). */
import { z } from 'zod';
import { btcProblem, parseBtc } from '../../core/amount.ts';
import type { FixedPoint, PayoutCurvePiece, PayoutPoint } from '../../core/dlc/contract-info.ts';
import type { NumericTerms } from '../../services/contracts/contract-service.ts';
import { writtenDescriptor } from '../../services/contracts/written-descriptor.ts';
import { namedObject } from '../fields.ts';

/** Terms of a curve that is to be evaluated for each of its pieces. */
const MAX_POINTS = 1_000;
const MAX_INTERVALS = 1_000;
/** Binary digits that an event's value may have. */
const MAX_DIGITS = 63;

/** Decimal BTC, 0 allowed. */
export const shareField = z
  .string()
  .meta({ description: 'Decimal BTC amount, at most 8 decimals; 0 is one', examples: ['0.00150000'] })
  .transform((value, context): bigint => {
    const problem = btcProblem(value);
    if (problem === null) return parseBtc(value);
    context.issues.push({ code: 'custom', message: problem, input: value });
    return z.NEVER;
  });

const WHOLE = 'must be a whole number, as a number or in decimals';
/** An outcome that is a number: what the oracle's digits come to. */
const outcomeNumberField = z
  .union([z.int(WHOLE).min(0, 'must not be negative'), z.string().regex(/^\d{1,20}$/, WHOLE)], WHOLE)
  .transform((value) => BigInt(value))
  .meta({ description: "Value of the event's digits, a whole number", examples: ['42000'] });

const u16Field = z.int().min(0, 'must not be negative').max(0xffff, 'must be at most 65535');

const FIXED_POINT = 'must be a decimal number whose fraction is a multiple of 1/65536, such as "-1.5"';
/** sign * (u64 + u16 / 65536), written in decimals. */
const fixedPointField = z
  .string()
  .max(40, FIXED_POINT)
  .meta({ description: 'Decimal number; its fraction is a multiple of 1/65536', examples: ['-1.5'] });

function parseFixedPoint(value: string): FixedPoint | null {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d{1,20})(?:\.(\d{1,16}))?$/.exec(value) ?? [];
  if (whole === '') return null;
  const scaled = BigInt(fraction) * 65_536n;
  const scale = 10n ** BigInt(fraction.length);
  if (scaled % scale !== 0n || BigInt(whole) >= 1n << 64n) return null;
  return { negative: sign === '-', magnitude: BigInt(whole) * 65_536n + scaled / scale, fractionBits: 16 };
}

const NUMBERS = ['translate_outcome', 'translate_payout', 'a', 'b', 'c', 'd'] as const;

const hyperbolaField = z
  .strictObject({
    use_positive_piece: z.boolean(),
    translate_outcome: fixedPointField,
    translate_payout: fixedPointField,
    a: fixedPointField,
    b: fixedPointField,
    c: fixedPointField,
    d: fixedPointField,
  })
  .meta({ id: 'HyperbolaRequest', description: 'Parameters of a hyperbola in satoshis (dlcspecs PayoutCurve.md)' })
  // All six in one step, up to the first that is wrong: thousands of issues would hold the serving thread.
  .transform((given, context) => {
    const parsed: Partial<Record<(typeof NUMBERS)[number], FixedPoint>> = {};
    for (const name of NUMBERS) {
      const number = parseFixedPoint(given[name]);
      if (number === null) {
        context.issues.push({ code: 'custom', message: FIXED_POINT, input: given[name], path: [name] });
        return z.NEVER;
      }
      parsed[name] = number;
    }
    return { usePositivePiece: given.use_positive_piece, ...(parsed as Required<typeof parsed>) };
  });

const payoutPointField = z
  .strictObject({
    outcome: outcomeNumberField,
    payout: shareField.meta({ description: "The offerer's share at this outcome, BTC" }),
    extra_precision: u16Field.default(0).meta({ description: 'Added to the payout: so many 65536ths of a satoshi' }),
    is_endpoint: z.boolean().default(true).meta({
      description:
        'Pieces begin and end at endpoints; the other points bend the piece they are on (a polynomial through all of them)',
    }),
    hyperbola: hyperbolaField
      .optional()
      .meta({ description: 'The piece that begins here, in the place of a polynomial' }),
  })
  .superRefine((point, context) => {
    if (point.hyperbola && !point.is_endpoint)
      context.addIssue({ code: 'custom', path: ['hyperbola'], message: 'belongs to the endpoint at which it begins' });
  })
  .meta({ id: 'PayoutPointRequest' });

export const numericDescriptorField = z
  .strictObject({
    base: z.literal(2).default(2).meta({ description: 'Of the digits that the oracle attests' }),
    digits: z
      .int()
      .min(1, 'must be at least 1')
      .max(MAX_DIGITS, `must be at most ${MAX_DIGITS}`)
      .meta({ description: 'Outcomes are 0 to 2^digits - 1' }),
    unit: z
      .string()
      .max(100, 'must have at most 100 characters')
      .default('')
      .meta({ examples: ['USD'] }),
    precision: z
      .int()
      .min(-(2 ** 31), 'must be an int32')
      .max(2 ** 31 - 1, 'must be an int32')
      .default(0)
      .meta({ description: 'The value is the outcome times 10 to this' }),
    payout_points: z
      .array(payoutPointField)
      .min(2, 'must have at least two points: the first outcome and the last')
      .max(MAX_POINTS, `must have at most ${MAX_POINTS} points`),
    rounding: z
      .array(
        z.strictObject({
          begin_interval: outcomeNumberField.meta({ description: 'From this outcome on' }),
          rounding_mod: shareField.meta({ description: 'Payouts are rounded to the nearest multiple of this, BTC' }),
        }),
      )
      .max(MAX_INTERVALS, `must have at most ${MAX_INTERVALS} intervals`)
      .default([]),
  })
  .superRefine(({ payout_points: points }, context) => {
    // What is wrong by itself has no value to be held against others.
    if (context.issues.length > 0) return;
    for (const index of [0, points.length - 1]) {
      if (points[index]?.is_endpoint === false) {
        const path = ['payout_points', index, 'is_endpoint'];
        context.addIssue({ code: 'custom', path, message: 'must be true: the curve begins and ends here' });
      }
    }
    const last = points.length - 1;
    if (points[last]?.hyperbola) {
      const path = ['payout_points', last, 'hyperbola'];
      context.addIssue({ code: 'custom', path, message: 'begins at the last point, where nothing follows' });
    }
    points.forEach((point, index) => {
      const before = points[index - 1];
      if (before !== undefined && point.outcome <= before.outcome) {
        const path = ['payout_points', index, 'outcome'];
        context.addIssue({ code: 'custom', path, message: 'must be above the outcome of the point before' });
      }
      if (before?.hyperbola && !point.is_endpoint) {
        const path = ['payout_points', index, 'is_endpoint'];
        context.addIssue({ code: 'custom', path, message: 'must be true: on a hyperbola there are no further points' });
      }
    });
  })
  .meta({ id: 'NumericDescriptorRequest' });

type NumericDescriptorBody = z.output<typeof numericDescriptorField>;
type PointBody = NumericDescriptorBody['payout_points'][number];

const pointOf = ({ outcome, payout, extra_precision }: PointBody): PayoutPoint => ({
  eventOutcome: outcome,
  payoutSats: payout,
  extraPrecision: extra_precision,
});

const hyperbolaOf = (given: NonNullable<PointBody['hyperbola']>): PayoutCurvePiece => {
  const { translate_outcome: translateOutcome, translate_payout: translatePayout, ...rest } = given;
  return { kind: 'hyperbola', translateOutcome, translatePayout, ...rest };
};

/** Endpoints and what lies between them, as pieces. */
export function numericTermsOf(body: NumericDescriptorBody): NumericTerms {
  const pieces: { endPoint: PayoutPoint; curve: PayoutCurvePiece }[] = [];
  const { payout_points: points } = body;
  let begin = 0;
  for (let end = 1; end < points.length; end++) {
    if (!(points[end] as PointBody).is_endpoint) continue;
    const first = points[begin] as PointBody;
    const curve: PayoutCurvePiece = first.hyperbola
      ? hyperbolaOf(first.hyperbola)
      : { kind: 'polynomial', points: points.slice(begin + 1, end).map(pointOf) };
    pieces.push({ endPoint: pointOf(first), curve });
    begin = end;
  }
  const terms = {
    digits: body.digits,
    unit: body.unit,
    precision: body.precision,
    payoutFunction: { pieces, lastEndPoint: pointOf(points[points.length - 1] as PointBody) },
    roundingIntervals: body.rounding.map((interval) => ({
      beginInterval: interval.begin_interval,
      roundingMod: interval.rounding_mod,
    })),
  };
  return { ...terms, written: writtenDescriptor(terms) };
}

const fixedPointAnswer = z.string();
export const numericDescriptorAnswer = namedObject('NumericDescriptor', {
  base: z.int(),
  digits: z.int(),
  unit: z.string(),
  precision: z.int(),
  payout_points: z.array(
    z.object({
      outcome: z.string(),
      payout: z.string(),
      extra_precision: z.int(),
      is_endpoint: z.boolean(),
      hyperbola: z
        .object({
          use_positive_piece: z.boolean(),
          translate_outcome: fixedPointAnswer,
          translate_payout: fixedPointAnswer,
          a: fixedPointAnswer,
          b: fixedPointAnswer,
          c: fixedPointAnswer,
          d: fixedPointAnswer,
        })
        .nullable(),
    }),
  ),
  rounding: z.array(z.object({ begin_interval: z.string(), rounding_mod: z.string() })),
});
