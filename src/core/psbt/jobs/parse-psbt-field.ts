import { DomainError } from '../../errors.ts';
import { type FieldBudget, MAX_FIELDS } from '../codec/key-value.ts';
import { psbtFromText } from '../codec/psbt-text.ts';
import type { PsbtV2 } from '../psbt.ts';
import { requireUsualSize } from '../psbt-size.ts';
import { requireV2 } from '../require-v2.ts';

/** Throws `invalid_psbt` at `field`, which says which map and field of the PSBT are wrong; and `too_large`. */
export function parsePsbtField(text: string, field = 'psbt', budget?: FieldBudget): PsbtV2 {
  try {
    const psbt = requireV2(psbtFromText(text, budget));
    requireUsualSize(psbt);
    return psbt;
  } catch (error) {
    throw error instanceof DomainError && field !== 'psbt' ? error.at(field) : error;
  }
}

/** At least one: the caller sees to it. */
export function parsePsbtFields(texts: readonly string[]): [PsbtV2, ...PsbtV2[]] {
  const budget: FieldBudget = { left: MAX_FIELDS };
  return texts.map((text, index) => parsePsbtField(text, `psbts[${index}]`, budget)) as [PsbtV2, ...PsbtV2[]];
}
