/** The whole set of rules of an account in place of those there are. */
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { Policy } from '../../core/policies/policy.ts';
import type { Repositories } from '../../store/store.ts';
import { type RulesDeps, rulesInJob } from './change-rules.ts';
import { assertFew, MAX_POLICIES } from './manage-policies.ts';
import { assertThere, namedByPolicy } from './references.ts';

export type GivenPolicy = Pick<Policy, 'name' | 'enabled' | 'when' | 'then'>;

export function createReplacePolicies({ randomBytes, ...deps }: Omit<RulesDeps, 'store'>) {
  const inJob = rulesInJob(deps);

  /** Throws `policy_refused`, `not_found` where they name what is not there; the field is one of the list's. */
  async function check(tx: Repositories, accountId: AccountId, rules: readonly GivenPolicy[]): Promise<Policy[]> {
    if (rules.length > MAX_POLICIES)
      throw new DomainError('policy_refused', `an account has at most ${MAX_POLICIES} rules`, { field: '' });
    const policies = rules.map((rule, at) => ({ ...rule, policyId: newId('pol', randomBytes), position: at + 1 }));
    for (const [at, policy] of policies.entries())
      try {
        assertFew(policy, policies.slice(0, at));
        await assertThere(tx, accountId, namedByPolicy(policy));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        throw error.at(error.details.field ? `[${at}].${error.details.field}` : `[${at}]`);
      }
    return policies;
  }

  return {
    check,
    /** In a job that records the request: answers the rules before. Throws as `check` does, and `policy_refused` where approvals could never be given. */
    replace: async (tx: Repositories, accountId: AccountId, rules: readonly GivenPolicy[]) => {
      const { result } = await inJob(tx, accountId, {
        concerns: () => true,
        async apply(_tx, { policies: before }, { at }) {
          const policies = await check(tx, accountId, rules);
          for (const { policyId } of before) await tx.policies.delete(accountId, policyId);
          for (const policy of policies)
            await tx.policies.insert({ ...policy, accountId, createdAt: at, updatedAt: at });
          return { result: before, target: null, old: null };
        },
      });
      return result;
    },
  };
}
export type ReplacePolicies = ReturnType<typeof createReplacePolicies>;
