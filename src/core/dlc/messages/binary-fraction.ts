/**
 * The parameters of a hyperbola in messages. dlcspecs (PayoutCurve.md; dialect `dlcspecs-vectors`) writes a sign (1 for positive), u64
 * and u16 behind the point; dlcdevkit and rust-dlc (`tagged`) an IEEE 754 double.
 */
import type { FixedPoint } from '../contract-info.ts';
import type { Dialect } from '../dialect.ts';
import type { MessageReader } from './message-reader.ts';
import { type MessageWriter, refusal } from './message-writer.ts';

const SPECIFIED_BITS = 16;
/** Before the point and behind it, of a double: no payout needs more, and what is computed with them stays small. */
const MAX_BITS = 128;
const MANTISSA_BITS = 52;
/** A double's exponent of the last mantissa bit is its biased exponent minus this. */
const EXPONENT_BIAS = 1075;

export function readBinaryFraction(reader: MessageReader, field: string, dialect: Dialect): FixedPoint {
  if (dialect === 'dlcspecs-vectors') {
    const negative = !reader.bool(`${field}_sign`);
    const integer = reader.u64(field);
    const extraPrecision = reader.u16(`${field}_extra_precision`);
    return {
      negative,
      magnitude: (integer << BigInt(SPECIFIED_BITS)) | BigInt(extraPrecision),
      fractionBits: SPECIFIED_BITS,
    };
  }
  const start = reader.offset;
  const value = reader.double(field);
  if (!Number.isFinite(value)) throw reader.problem(field, start, `is ${value}, and must be a finite number`);
  const fraction = binaryFraction(value);
  if (fraction.fractionBits > MAX_BITS || fraction.magnitude >> BigInt(fraction.fractionBits + MAX_BITS) !== 0n)
    throw reader.problem(
      field,
      start,
      `is ${value}: it may have ${MAX_BITS} bits before the point and as many behind it`,
    );
  return fraction;
}

export function writeBinaryFraction(writer: MessageWriter, field: string, value: FixedPoint, dialect: Dialect): void {
  if (dialect === 'tagged') {
    writer.double(doubleOf(value, field));
    return;
  }
  const scaled = rescale(value, SPECIFIED_BITS);
  if (scaled === null) throw refusal(field, `needs more than ${SPECIFIED_BITS} bits behind the point`);
  writer
    .bool(!value.negative)
    .u64(scaled >> BigInt(SPECIFIED_BITS), field)
    .u16(Number(scaled & 0xffffn), field);
}

/** A finite double, exactly. In lowest terms, with the sign of a zero kept. */
export function binaryFraction(value: number): FixedPoint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const negative = bits >> 63n === 1n;
  const biased = Number((bits >> BigInt(MANTISSA_BITS)) & 0x7ffn);
  const fraction = bits & ((1n << BigInt(MANTISSA_BITS)) - 1n);
  let magnitude = biased === 0 ? fraction : fraction | (1n << BigInt(MANTISSA_BITS));
  if (magnitude === 0n) return { negative, magnitude, fractionBits: 0 };
  let exponent = Math.max(biased, 1) - EXPONENT_BIAS;
  while (exponent < 0 && (magnitude & 1n) === 0n) {
    magnitude >>= 1n;
    exponent++;
  }
  return exponent >= 0
    ? { negative, magnitude: magnitude << BigInt(exponent), fractionBits: 0 }
    : { negative, magnitude, fractionBits: -exponent };
}

/** The double of exactly this value; refused where there is none. */
function doubleOf(value: FixedPoint, field: string): number {
  const { negative, magnitude, fractionBits } = value;
  // Two steps: 2^-1074 is a double, 2^1074 is none.
  const half = Math.floor(fractionBits / 2);
  const unsigned = Number(magnitude) * 2 ** -half * 2 ** -(fractionBits - half);
  const double = negative ? -unsigned : unsigned;
  const back = Number.isFinite(double) ? binaryFraction(double) : null;
  if (back === null || !sameMagnitude(back, value))
    throw refusal(field, 'is not exactly a double, as the message needs it');
  return double;
}

const sameMagnitude = (one: FixedPoint, other: FixedPoint): boolean =>
  one.magnitude << BigInt(other.fractionBits) === other.magnitude << BigInt(one.fractionBits);

/** The magnitude with `bits` behind the point, or null where that loses some. */
function rescale({ magnitude, fractionBits }: FixedPoint, bits: number): bigint | null {
  if (fractionBits <= bits) return magnitude << BigInt(bits - fractionBits);
  const lost = BigInt(fractionBits - bits);
  return (magnitude >> lost) << lost === magnitude ? magnitude >> lost : null;
}
