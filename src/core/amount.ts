import { DomainError } from './errors.ts';
import { numberHint } from './number-text.ts';

const SATS_PER_BTC = 100_000_000n;
export const MAX_SATS = 21_000_000n * SATS_PER_BTC;

/** Why a string is not a decimal BTC amount, or null when it is one. */
export function btcProblem(text: string): string | null {
  if (/^\d{1,8}(\.\d{1,8})?$/.test(text) && (text.length < 8 || toSats(text) <= MAX_SATS)) return null;
  const [, whole] = /^(\d{1,16})(?: ?(?:sats?|satoshis?))?$/i.exec(text) ?? [];
  if (whole !== undefined && (whole !== text || BigInt(whole) * SATS_PER_BTC > MAX_SATS)) {
    return `must be a decimal BTC amount: ${whole} satoshis are "${formatBtc(BigInt(whole))}"`;
  }
  if (!/^\d{1,8}(\.\d+)?$/.test(text))
    return `must be a decimal BTC amount${numberHint(text) ?? ' such as "0.00150000"'}`;
  if (!/^\d+(\.\d{1,8})?$/.test(text)) return 'must have at most 8 decimals (1 satoshi is 0.00000001)';
  return 'must be at most 21000000 BTC';
}

/** Nodes relay no less to the commonest scripts: what is smaller, nobody means as satoshis. */
const MIN_SATS = 546n;

/** The end of a refusal for lack of funds where an amount in whole BTC looks like satoshis, for which there is enough; else ''. */
export function satsHint(amountsSats: readonly bigint[], availableSats: bigint): string {
  const [meant] = amountsSats
    .filter((amount) => amount % SATS_PER_BTC === 0n)
    .map((amount) => amount / SATS_PER_BTC)
    .filter((sat) => sat >= MIN_SATS && sat <= availableSats);
  return meant === undefined ? '' : `; amounts are BTC: ${meant} sat is "${formatBtc(meant)}"`;
}

/** Why something that is no string is no amount either. */
export function btcTypeProblem(given: unknown): string {
  const whole = typeof given === 'number' && Number.isSafeInteger(given) && given > 0;
  const meant = whole
    ? `: "${given}" is ${given} BTC, ${given} sat is "${formatBtc(BigInt(given))}"`
    : ' such as "0.00150000"';
  return `must be a decimal BTC amount in quotation marks${meant}`;
}

/** The satoshis of a decimal BTC string ("0.00150000"), 0 to 21,000,000 BTC. Throws `invalid_amount`. */
export function parseBtc(text: string): bigint {
  const problem = btcProblem(text);
  if (problem) throw new DomainError('invalid_amount', problem);
  return toSats(text);
}

/** Formats satoshis as decimal BTC with exactly 8 decimals; negative amounts keep their sign. */
export function formatBtc(amountSats: bigint): string {
  const sign = amountSats < 0n ? '-' : '';
  const digits = (amountSats < 0n ? -amountSats : amountSats).toString().padStart(9, '0');
  return `${sign}${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

function toSats(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * SATS_PER_BTC + BigInt(fraction.padEnd(8, '0'));
}
