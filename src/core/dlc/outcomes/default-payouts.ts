import { DomainError } from '../../errors.ts';
import type { EnumeratedDescriptor } from '../contract-info.ts';

const MIN_OUTCOMES = 2;
const MAX_OUTCOMES = 1_000;

/**
 * What outcomes pay where nothing else is said: the first everything to the offerer, the last everything to the accepter, linear between;
 * the offerer's share rounded down, the rest the accepter's. Outcomes as they came, in NFC. Throws `invalid_value` for fewer
 * than 2 or more than 1,000, empty ones, and ones that are the same after NFC.
 */
export function defaultPayouts(outcomes: readonly string[], collateralSats: bigint): EnumeratedDescriptor['payouts'] {
  if (outcomes.length < MIN_OUTCOMES || outcomes.length > MAX_OUTCOMES) {
    throw new DomainError(
      'invalid_value',
      `there must be ${MIN_OUTCOMES} to ${MAX_OUTCOMES} outcomes, not ${outcomes.length}`,
      { field: 'outcomes' },
    );
  }
  const last = BigInt(outcomes.length - 1);
  return distinctOutcomes(outcomes).map((outcome, i) => ({
    outcome,
    offerPayoutSats: (collateralSats * (last - BigInt(i))) / last,
  }));
}

function distinctOutcomes(outcomes: readonly string[]): string[] {
  const first = new Map<string, number>();
  return outcomes.map((given, i) => {
    const outcome = given.normalize('NFC');
    const field = `outcomes[${i}]`;
    if (outcome === '') throw new DomainError('invalid_value', 'an outcome must not be empty', { field });
    const before = first.get(outcome);
    if (before !== undefined) {
      throw new DomainError('invalid_value', `the same outcome as outcomes[${before}] (in Unicode’s NFC)`, { field });
    }
    first.set(outcome, i);
    return outcome;
  });
}
