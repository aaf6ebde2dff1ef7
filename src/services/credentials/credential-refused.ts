import { DomainError, type DomainErrorCode, type DomainErrorDetails } from '../../core/errors.ts';
import type { Caller } from '../requests/request-context.ts';

/**
 * Refused, and whose it was is known: a credential that is revoked, expired, from a wrong address; a login of somebody who is there. The
 * caller is told no more than of any other refusal; the audit log gets the record in the log of the account whose it is.
 */
export class CredentialRefused extends DomainError {
  readonly whose: Pick<Caller, 'accountId' | 'credential'>;

  constructor(
    code: DomainErrorCode,
    message: string,
    whose: Pick<Caller, 'accountId' | 'credential'>,
    details: DomainErrorDetails = {},
  ) {
    super(code, message, details);
    this.whose = whose;
  }
}

/** Runs work of which it is known whose it is; what it refuses says so, in the same words. */
export async function refusingAs<T>(whose: CredentialRefused['whose'], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new CredentialRefused(error.code, error.message, whose, error.details);
  }
}
