import { DomainError } from '../../../errors.ts';
import type { ContractCheck, ContractCheckName } from '../contract-check.ts';

/** Collects the checks of one message. */
export function checkList(message: 'offer' | 'accept' | 'sign') {
  const checks: ContractCheck[] = [];
  const judge = (check: ContractCheckName, reason: string | null, index: number | null = null): void => {
    checks.push({ check, verdict: reason === null ? 'passed' : 'failed', message, index, reason });
  };
  return {
    checks,
    /** Failed for the reason, passed where there is none. */
    judge,
    skip: (check: ContractCheckName, reason: string, index?: number) =>
      checks.push({ check, verdict: 'skipped', message, index: index ?? null, reason }),
    /** Runs what throws `contract_refused` or `invalid_…`; answers what it made, null where it failed. */
    attempt<T>(check: ContractCheckName, make: () => T, index?: number) {
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

export type CheckList = ReturnType<typeof checkList>;

/** Some refusals name the check themselves, others a field of the message. */
function reasonOf(check: ContractCheckName, { message, details: { field } }: DomainError): string {
  const named = /^[a-z_]+: /.exec(message);
  if (named) return message.slice(named[0].length);
  return check === 'contract_info' && field ? `${field}: ${message}` : message;
}
