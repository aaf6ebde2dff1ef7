import { DomainError } from '../../../errors.ts';
import type { ContractCheck, ContractCheckName } from '../contract-check.ts';

/** Collects the checks of one message. */
export interface CheckList {
  readonly checks: ContractCheck[];
  /** Failed for the reason, passed where there is none. */
  judge(check: ContractCheckName, reason: string | null, index?: number): void;
  skip(check: ContractCheckName, reason: string, index?: number): void;
  /** Runs what throws `contract_refused` or `invalid_…`; answers what it made, null where it failed. */
  attempt<T>(check: ContractCheckName, make: () => T, index?: number): T | null;
}

export function checkList(message: 'offer' | 'accept' | 'sign'): CheckList {
  const checks: ContractCheck[] = [];
  const judge = (check: ContractCheckName, reason: string | null, index: number | null = null): void => {
    checks.push({ check, verdict: reason === null ? 'passed' : 'failed', message, index, reason });
  };
  return {
    checks,
    judge,
    skip: (check, reason, index) => checks.push({ check, verdict: 'skipped', message, index: index ?? null, reason }),
    attempt(check, make, index) {
      try {
        const made = make();
        judge(check, null, index);
        return made;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        judge(check, reasonOf(check, error), index);
        return null;
      }
    },
  };
}

/** Some refusals name the check themselves, others a field of the message. */
function reasonOf(check: ContractCheckName, { message, details: { field } }: DomainError): string {
  const named = /^[a-z_]+: /.exec(message);
  if (named) return message.slice(named[0].length);
  return check === 'contract_info' && field ? `${field}: ${message}` : message;
}
