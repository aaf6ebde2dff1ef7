/** Payout curves and rounding intervals in messages (dlcspecs PayoutCurve.md, NumericOutcome.md). */
import type { FixedPoint, PayoutCurvePiece, PayoutFunction, PayoutPoint, RoundingInterval } from '../contract-info.ts';
import type { Dialect } from '../dialect.ts';
import { readBinaryFraction, writeBinaryFraction } from './binary-fraction.ts';
import type { MessageReader } from './message-reader.ts';
import type { MessageWriter } from './message-writer.ts';

const POINT_BYTES = 18;
const HYPERBOLA_PARAMETERS = ['translateOutcome', 'translatePayout', 'a', 'b', 'c', 'd'] as const;

export function readPayoutFunction(reader: MessageReader, dialect: Dialect): PayoutFunction {
  const pieces = reader.items(reader.count(POINT_BYTES + 2, 'pieces'), 'pieces', () => ({
    endPoint: reader.within('end_point', () => readPoint(reader)),
    curve: reader.within('curve', () => readCurve(reader, dialect)),
  }));
  return { pieces, lastEndPoint: reader.within('last_end_point', () => readPoint(reader)) };
}

export function writePayoutFunction(
  writer: MessageWriter,
  { pieces, lastEndPoint }: PayoutFunction,
  dialect: Dialect,
): void {
  writer.list(pieces, ({ endPoint, curve }) => {
    writePoint(writer, endPoint);
    writeCurve(writer, curve, dialect);
  });
  writePoint(writer, lastEndPoint);
}

export const readRoundingIntervals = (reader: MessageReader): RoundingInterval[] =>
  reader.items(reader.count(16, 'rounding_intervals'), 'rounding_intervals', () => ({
    beginInterval: reader.u64('begin_interval'),
    roundingMod: reader.u64('rounding_mod'),
  }));

export const writeRoundingIntervals = (writer: MessageWriter, intervals: readonly RoundingInterval[]): MessageWriter =>
  writer.list(intervals, ({ beginInterval, roundingMod }) =>
    writer.u64(beginInterval, 'rounding_intervals.begin_interval').u64(roundingMod, 'rounding_intervals.rounding_mod'),
  );

const readPoint = (reader: MessageReader): PayoutPoint => ({
  eventOutcome: reader.u64('event_outcome'),
  payoutSats: reader.u64('payout'),
  extraPrecision: reader.u16('extra_precision'),
});

const writePoint = (writer: MessageWriter, { eventOutcome, payoutSats, extraPrecision }: PayoutPoint): MessageWriter =>
  writer
    .u64(eventOutcome, 'payout_function.event_outcome')
    .u64(payoutSats, 'payout_function.payout')
    .u16(extraPrecision, 'payout_function.extra_precision');

function readCurve(reader: MessageReader, dialect: Dialect): PayoutCurvePiece {
  const start = reader.offset;
  const type = reader.bigSize('type');
  if (type === 0n)
    return {
      kind: 'polynomial',
      points: reader.items(reader.count(POINT_BYTES, 'points'), 'points', () => readPoint(reader)),
    };
  if (type !== 1n) throw reader.problem('type', start, `is ${type}, neither a polynomial (0) nor a hyperbola (1)`);
  reader.spend(HYPERBOLA_PARAMETERS.length, 'curve');
  const usePositivePiece = reader.bool('use_positive_piece');
  const [translateOutcome, translatePayout, a, b, c, d] = HYPERBOLA_PARAMETERS.map((name) =>
    readBinaryFraction(reader, name.replace('translate', 'translate_').toLowerCase(), dialect),
  ) as [FixedPoint, FixedPoint, FixedPoint, FixedPoint, FixedPoint, FixedPoint];
  return { kind: 'hyperbola', usePositivePiece, translateOutcome, translatePayout, a, b, c, d };
}

function writeCurve(writer: MessageWriter, curve: PayoutCurvePiece, dialect: Dialect): void {
  if (curve.kind === 'polynomial') {
    writer.bigSize(0).list(curve.points, (point) => writePoint(writer, point));
    return;
  }
  writer.bigSize(1).bool(curve.usePositivePiece);
  for (const name of HYPERBOLA_PARAMETERS) writeBinaryFraction(writer, name, curve[name], dialect);
}
