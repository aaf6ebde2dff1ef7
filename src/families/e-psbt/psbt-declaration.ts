/** What the operations on PSBTs have in common. */
import { DomainError, type DomainErrorCode } from '../../core/errors.ts';
import { type FieldBudget, MOST_FIELDS } from '../../core/psbt/key-value.ts';
import type { PsbtV2 } from '../../core/psbt/psbt.ts';
import { psbtFromText } from '../../core/psbt/psbt-text.ts';
import { requireV2 } from '../../core/psbt/require-v2.ts';
import { requireUsualSize } from '../../services/psbt/psbt-size.ts';
import { PSBT_BODY_LIMIT } from './psbt-fields.ts';

export const PSBT_OPERATION = {
  family: 'e',
  method: 'POST',
  tag: 'PSBT',
  effect: 'compute',
  limitClass: 'standard',
  idempotent: false,
  bodyLimit: PSBT_BODY_LIMIT,
} as const;

export const ANYONE_WHO_READS = { scope: 'psbts:read', role: 'viewer' } as const;

export const DESCRIPTOR_ERRORS = [
  'invalid_descriptor',
  'wrong_network',
  'unsupported',
] as const satisfies readonly DomainErrorCode[];

/** Throws `invalid_psbt` at `field`, which says which map and field of the PSBT are wrong; and `too_large`. */
export function psbtV2Of(text: string, field = 'psbt', budget?: FieldBudget): PsbtV2 {
  try {
    const psbt = requireV2(psbtFromText(text, budget));
    requireUsualSize(psbt);
    return psbt;
  } catch (error) {
    throw error instanceof DomainError && field !== 'psbt' ? error.at(field) : error;
  }
}

/** At least one: the schema sees to it. */
export function psbtsV2Of(texts: readonly string[]): [PsbtV2, ...PsbtV2[]] {
  const budget: FieldBudget = { left: MOST_FIELDS };
  return texts.map((text, index) => psbtV2Of(text, `psbts[${index}]`, budget)) as [PsbtV2, ...PsbtV2[]];
}
