import { DomainError } from '../errors.ts';
import type { Psbt } from './psbt.ts';

/**
 * Of one PSBT: several times what nodes relay in one transaction. Signing takes some tenths of a millisecond an input, in which nothing
 * else is answered; and a body of 10 MiB could hold half a million empty outputs, whose answer would have a hundred.
 */
export const MAX_INPUTS = 10_000;
export const MAX_OUTPUTS = 10_000;

/** Throws `too_large`. */
export function requireUsualSize({ inputs, outputs }: Psbt): void {
  if (inputs.length <= MAX_INPUTS && outputs.length <= MAX_OUTPUTS) return;
  throw new DomainError(
    'too_large',
    `a PSBT with up to ${MAX_INPUTS} inputs and ${MAX_OUTPUTS} outputs is worked on, and this one has ${inputs.length} and ${outputs.length}`,
    { field: 'psbt' },
  );
}
