import { DomainError } from '../../errors.ts';
import { sighashName, signsNoOutput, signsOneInput, signsOneOutput } from '../../scripts/sighash-type.ts';

export const mismatch = (message: string): DomainError => new DomainError('psbt_mismatch', message, { field: 'psbt' });

/** Of something in an input that came back. */
export const foreign = ({ index }: { readonly index: number }, what: string): DomainError =>
  mismatch(`input ${index} has ${what}`);

/** Throws `unsafe_to_sign` for what is neither ALL nor DEFAULT: whoever sees such a signature could put it on another transaction. */
export function refuseOpenSighash(hashType: number, index: number): void {
  if (!signsNoOutput(hashType) && !signsOneOutput(hashType) && !signsOneInput(hashType)) return;
  const name = sighashName(hashType) ?? `0x${hashType.toString(16)}`;
  throw new DomainError(
    'unsafe_to_sign',
    `input ${index} has a signature of sighash type ${name}, which leaves the transaction open to changes: sign with ALL or DEFAULT`,
    { field: 'psbt' },
  );
}
