import { DomainError } from '../errors.ts';
import type { Psbt, PsbtV2 } from './psbt.ts';

/** The PSBT, where it is of version 2. Throws `invalid_psbt` that names the way there. */
export function requireV2(psbt: Psbt): PsbtV2 {
  if (psbt.version === 2) return psbt;
  throw new DomainError(
    'invalid_psbt',
    'this takes a PSBT of version 2 (BIP370), and this one is of version 0: migrate it at /api/psbt/migrate first',
    { field: 'psbt' },
  );
}
