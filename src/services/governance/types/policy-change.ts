import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { Repositories } from '../../../store/store.ts';
import { isAllowed } from '../../approvals/asked-by.ts';
import type { GivenPolicy, ReplacePolicies } from '../../policies/replace-policies.ts';
import type { AppliedType, Given } from './proposal-type.ts';

/** Characters of JSON: what is checked in one go. */
const LONGEST = 65_536;

export interface PolicyChangeDeps {
  readonly replacePolicies: ReplacePolicies;
  /** Throws `invalid_value`, naming the field. */
  readonly parsePolicySet: (given: unknown) => GivenPolicy[];
}

/** The complete set of rules of /enterprise, in place of those that there are when it is executed. */
export function createPolicyChange({ replacePolicies, parsePolicySet }: PolicyChangeDeps): AppliedType {
  async function below<T>(place: string, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw new DomainError(error.code, error.message, { field: `${place}${error.details.field ?? ''}` });
    }
  }
  const parsed = (parameters: Given) => below('parameters.', () => parsePolicySet(parameters));
  const inRules = <T>(work: () => Promise<T>): Promise<T> => below('parameters.policies', work);
  const check = (tx: Repositories, accountId: AccountId, rules: readonly GivenPolicy[]) =>
    inRules(() => replacePolicies.check(tx, accountId, rules));

  return {
    async check(tx, { accountId }, parameters) {
      if (JSON.stringify(parameters).length > LONGEST)
        throw new DomainError('too_large', `must have at most ${LONGEST} characters of JSON`, { field: 'parameters' });
      await check(tx, accountId, await parsed(parameters));
      return parameters;
    },
    async apply(tx, { accountId }, parameters, { credential }) {
      if (!isAllowed(credential, { scope: 'policies:write', role: 'admin' }))
        throw new DomainError('forbidden', 'rules are changed with the scope policies:write, too');
      const rules = await parsed(parameters);
      const before = await inRules(() => replacePolicies.replace(tx, accountId, rules));
      return {
        before: { policies: before.map(({ policyId, name }) => ({ policy_id: policyId, name })) },
        after: parameters,
      };
    },
  };
}
