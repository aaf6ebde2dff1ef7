import { DomainError, type DomainErrorCode } from '../../core/errors.ts';
import type { Caller } from '../requests/request-context.ts';

/**
 * A credential that is who it says and may not be used: revoked, expired, from a wrong address. The caller is told no more than of any other
 * refusal; the audit log gets the record in the log of the account whose it is.
 */
export class CredentialRefused extends DomainError {
  readonly whose: Pick<Caller, 'accountId' | 'credential'>;

  constructor(code: DomainErrorCode, message: string, whose: Pick<Caller, 'accountId' | 'credential'>) {
    super(code, message);
    this.whose = whose;
  }
}
