import type { Brand } from './brand.ts';
import { DomainError } from './errors.ts';
import { numberHint } from './number-text.ts';

/** A feerate in satoshis per 1000 virtual bytes: what Bitcoin Core calls CFeeRate, so that 0.001 sat/vB is the smallest step. */
export type FeeRate = Brand<bigint, 'FeeRate'>;

export const MAX_FEE_RATE = 10_000_000n as FeeRate;

export function feeRate(satPerKvb: bigint): FeeRate {
  if (satPerKvb < 0n)
    throw new DomainError('invalid_fee_rate', `a feerate cannot be negative, got ${satPerKvb} sat/kvB`);
  return satPerKvb as FeeRate;
}

/** Why a string is not a decimal sat/vB feerate, or null when it is one. Zero is refused. */
export function feeRateProblem(text: string): string | null {
  if (!/^\d{1,15}(\.\d+)?$/.test(text))
    return `must be a decimal feerate in sat/vB${numberHint(text) ?? ' such as "2.5"'}`;
  if (!/^\d+(\.\d{1,3})?$/.test(text)) return 'must have at most 3 decimals (sat/vB)';
  const rate = toSatPerKvb(text);
  if (rate === 0n) return 'must be above 0 sat/vB';
  return rate > MAX_FEE_RATE ? 'must be at most 10000 sat/vB' : null;
}

/** Parses a decimal sat/vB string ("2.5"). Throws `invalid_fee_rate`. */
export function parseFeeRate(text: string): FeeRate {
  const problem = feeRateProblem(text);
  if (problem) throw new DomainError('invalid_fee_rate', problem);
  return toSatPerKvb(text) as FeeRate;
}

/** Formats a feerate in sat/vB without trailing zeros: 2500n -> "2.5". */
export function formatFeeRate(rate: FeeRate): string {
  const digits = rate.toString().padStart(4, '0');
  const fraction = digits.slice(-3).replace(/0+$/, '');
  return digits.slice(0, -3) + (fraction ? `.${fraction}` : '');
}

/** The fee of `vsize` virtual bytes, rounded up to a whole satoshi. */
export function feeFor(rate: FeeRate, vsize: number): bigint {
  return (rate * BigInt(vsize) + 999n) / 1000n;
}

/** The feerate that `feeSats` over `vsize` virtual bytes pays, rounded down. */
export function feeRateOf(feeSats: bigint, vsize: number): FeeRate {
  return ((feeSats * 1000n) / BigInt(vsize)) as FeeRate;
}

function toSatPerKvb(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * 1000n + BigInt(fraction.padEnd(3, '0'));
}

/** What a payment asks for: a feerate, what confirms within so many blocks, or `auto`. */
export type FeeChoice = FeeRate | 'auto' | { readonly blocks: number };

/** Bitcoin Core's estimator goes no further: a week. */
const MAX_FEE_TARGET = 1008;

const MAX_CHARACTERS = 40;
const TARGET = /^(\d{1,6}) blocks?$/;

/** Why a string is no FeeChoice, or null when it is one. */
export function feeChoiceProblem(text: string): string | null {
  if (text === 'auto') return null;
  const blocks = TARGET.exec(text)?.[1];
  if (blocks !== undefined) {
    return Number(blocks) >= 1 && Number(blocks) <= MAX_FEE_TARGET ? null : `must be 1 to ${MAX_FEE_TARGET} blocks`;
  }
  const [, target] = /^\s*(\d{1,6})[\s_-]*blocks?\s*$/i.exec(text.slice(0, MAX_CHARACTERS)) ?? [];
  if (target !== undefined) return `must be written "${target} ${Number(target) === 1 ? 'block' : 'blocks'}"`;
  if (/^[\d.]+$/.test(text) || numberHint(text) !== null) return feeRateProblem(text);
  if (/^\s*auto\s*$/i.test(text.slice(0, MAX_CHARACTERS))) return 'must be written "auto"';
  return 'must be a decimal feerate in sat/vB such as "2.5", a target such as "6 blocks", or "auto"';
}

/** Parses "2.5", "6 blocks" or "auto". Throws `invalid_fee_rate`. */
export function parseFeeChoice(text: string): FeeChoice {
  const problem = feeChoiceProblem(text);
  if (problem) throw new DomainError('invalid_fee_rate', problem);
  const blocks = TARGET.exec(text)?.[1];
  if (text === 'auto') return text;
  return blocks === undefined ? parseFeeRate(text) : { blocks: Number(blocks) };
}
