/** What a local oracle may announce: events that contracts can be made of. */
import { DomainError } from '../../errors.ts';
import { textProblem } from '../messages/wire-text.ts';
import type { EventDescriptor } from '../oracle-event.ts';

export const MAX_OUTCOMES = 1_000;
export const MAX_OUTCOME_LENGTH = 255;
export const MAX_DIGITS = 63;
export const MAX_EVENT_ID_LENGTH = 255;
const MAX_UNIT_LENGTH = 100;
/** In UTF-8: announcements are listed by the hundred. */
const MAX_OUTCOME_BYTES = 100_000;

/** The descriptor with its texts in normal form C. Throws `invalid_value` with the field. */
export function announcable(descriptor: EventDescriptor): EventDescriptor {
  if (descriptor.kind === 'enum') {
    const { length } = descriptor.outcomes;
    if (length < 2 || length > MAX_OUTCOMES) throw wrong('outcomes', `must be 2 to ${MAX_OUTCOMES}`);
    const seen = new Set<string>();
    const outcomes = descriptor.outcomes.map((outcome, at) => {
      const text = normalText(outcome, `outcomes[${at}]`, MAX_OUTCOME_LENGTH);
      if (seen.has(text))
        throw wrong(`outcomes[${at}]`, 'is a duplicate: outcomes are compared in Unicode normal form C');
      seen.add(text);
      return text;
    });
    const bytes = outcomes.reduce((sum, outcome) => sum + Buffer.byteLength(outcome), 0);
    if (bytes > MAX_OUTCOME_BYTES) throw wrong('outcomes', `must have at most ${MAX_OUTCOME_BYTES} bytes together`);
    return { kind: 'enum', outcomes };
  }
  const { base, digits, precision } = descriptor;
  if (base !== 2) throw wrong('numeric.base', 'must be 2: contracts are made of binary digits');
  if (!Number.isInteger(digits) || digits < 1 || digits > MAX_DIGITS)
    throw wrong('numeric.digits', `must be 1 to ${MAX_DIGITS}`);
  if (!Number.isInteger(precision) || Math.abs(precision) > 0x7fff_ffff)
    throw wrong('numeric.precision', 'must be a whole number of 32 bits');
  return { ...descriptor, unit: normalText(descriptor.unit, 'numeric.unit', MAX_UNIT_LENGTH, 0) };
}

/** In normal form C. Throws `invalid_value` with the field. */
export function normalText(given: string, field: string, longest: number, shortest = 1): string {
  if (given.length > longest || given.length < shortest)
    throw wrong(
      field,
      shortest === 0 ? `must have at most ${longest} characters` : `must have 1 to ${longest} characters`,
    );
  if (!given.isWellFormed()) throw wrong(field, 'holds half a surrogate pair');
  const text = given.normalize('NFC');
  const problem = textProblem(text);
  if (problem !== null) throw wrong(field, problem);
  if (text.includes('\0')) throw wrong(field, 'holds a zero character');
  return text;
}

const wrong = (field: string, message: string): DomainError =>
  new DomainError('invalid_value', `${field} ${message}`, { field });
