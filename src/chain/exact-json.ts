/** JSON whose fractions stay text: an amount in BTC never passes through a float. */

type SourceReviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const keepFractionsAsText: SourceReviver = (_key, value, context) =>
  typeof value === 'number' && !Number.isSafeInteger(value) ? (context.source ?? value) : value;

/** JSON.parse, but numbers with a fraction, an exponent's fraction, or beyond 2^53 arrive as their source text. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, keepFractionsAsText as (key: string, value: unknown) => unknown);
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A decimal as an integer count of 10^-scale units ("0.00150000", 8 -> 150000n). What lies below one unit is rounded up, so that a
 * feerate floor is never understated. Throws TypeError on anything else.
 */
export function scaledInteger(decimal: string | number, scale: number): bigint {
  const match = DECIMAL.exec(String(decimal));
  if (!match) throw new TypeError(`not a decimal number: ${String(decimal).slice(0, 40)}`);
  const [, sign, whole = '0', fraction = '', exponent = '0'] = match;
  const shift = scale - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  if (shift >= 0) return (sign ? -digits : digits) * 10n ** BigInt(shift);
  const unit = 10n ** BigInt(-shift);
  return sign ? -(digits / unit) : (digits + unit - 1n) / unit;
}

/** BTC as the node writes it, in satoshis. Also BTC/kvB in sat/kvB. */
export const satsFromBtc = (btc: string | number): bigint => scaledInteger(btc, 8);
