/** Between an outcome as people say it and what an oracle signs for it (dlcspecs Oracle.md). */
import { DomainError } from '../../errors.ts';
import { textProblem } from '../messages/wire-text.ts';
import type { EventDescriptor } from '../oracle-event.ts';

/** Decimal numbers of more digits are beyond every event. */
const NUMBER = /^-?\d{1,30}$/;

/**
 * What is signed, in the order of the nonces: the outcome, or a sign and digits. A number beyond the event's range is attested as the
 * nearest that it has (Oracle.md: "max_value or more", "min_value or less"). Throws `invalid_value` (field outcome).
 */
export function outcomesToAttest(descriptor: EventDescriptor, outcome: string): string[] {
  if (descriptor.kind === 'enum') {
    const text = textProblem(outcome) === null ? outcome : normalized(outcome);
    if (text !== null && descriptor.outcomes.includes(text)) return [text];
    throw wrong('the event has no such outcome: it is one of those that were announced');
  }
  if (!NUMBER.test(outcome)) throw wrong('must be a whole number in decimals, in units of 10 to the precision');
  const { base, digits, signed } = descriptor;
  const most = BigInt(base) ** BigInt(digits) - 1n;
  const value = BigInt(outcome);
  const size = value >= 0n ? value : signed ? -value : 0n;
  const text = digitsOf(size > most ? most : size, base, digits);
  return signed ? [value < 0n ? '-' : '+', ...text] : text;
}

/** The outcome, or the number that the digits are, in decimals. */
export function attestedOutcome(descriptor: EventDescriptor, outcomes: readonly string[]): string {
  if (descriptor.kind === 'enum') return outcomes[0] ?? '';
  const [sign, ...rest] = descriptor.signed ? outcomes : ['+', ...outcomes];
  const base = BigInt(descriptor.base);
  const value = rest.reduce((sum, digit) => sum * base + BigInt(digit), 0n);
  return `${sign === '-' && value > 0n ? '-' : ''}${value}`;
}

function digitsOf(value: bigint, base: number, digits: number): string[] {
  const found: string[] = [];
  for (let rest = value; found.length < digits; rest /= BigInt(base)) found.push(String(rest % BigInt(base)));
  return found.reverse();
}

/** null for what is no text however it is written. */
function normalized(text: string): string | null {
  if (!text.isWellFormed() || text.length > 1_000) return null;
  const form = text.normalize('NFC');
  return textProblem(form) === null ? form : null;
}

const wrong = (message: string): DomainError => new DomainError('invalid_value', message, { field: 'outcome' });
