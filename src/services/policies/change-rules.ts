/**
 * All changes of an account's rules, groups and config: one at a time, each raising the version, and refused if a rule would then require more
 * approvals than there are approvers.
 */
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { AccountRules } from '../../core/policies/account-rules.ts';
import { lockedOut, tooFewApprovers } from '../../core/policies/lockout.ts';
import type { Approvers } from '../../core/policies/policy.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { RulesChange as ShownChange } from './pass-change.ts';
import { readRules } from './rules-of.ts';
import { administrators, voicesOf } from './voices.ts';

export interface RulesDeps {
  readonly store: Store;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly signaturePolicy: 'required' | 'per-key';
}

export interface RulesChange<T> {
  /** Writes the change and returns the operation's result. `before`: the rules until now. */
  apply(
    tx: Repositories,
    before: AccountRules,
    /** The new version, and the time of the change. */
    next: { readonly version: number; readonly at: number },
  ): Promise<{
    readonly result: T;
    readonly target: string | null;
    /** The record before the change; null: it is created. */
    readonly old: object | null;
    /** What approvers see besides. */
    readonly shows?: Pick<ShownChange, 'besides' | 'gains'>;
  }>;
  /** It writes thousands of rows. */
  readonly isLarge?: true;
  /** Which approvers the change may affect: only these are checked to be enough; by default none. */
  concerns?(from: Approvers, policyId: string | null): boolean;
}

/** In a job, which records the request: `change` is what approvers see. */
export function rulesInJob({ clock, signaturePolicy }: Pick<RulesDeps, 'clock' | 'signaturePolicy'>) {
  return async <T>(
    tx: Repositories,
    accountId: AccountId,
    { apply, concerns }: Pick<RulesChange<T>, 'apply' | 'concerns'>,
  ) => {
    const at = clock();
    const { version: last } = await tx.enterpriseConfig.lockOrMake(accountId, at);
    const version = last + 1;
    const before = await readRules(tx, accountId);
    const { old, shows, ...effect } = await apply(tx, before, { version, at });
    await tx.enterpriseConfig.update(accountId, { version, updatedAt: at });
    if (concerns !== undefined) {
      await assertApprovable({ read: tx, accountId, at, signaturePolicy }, await readRules(tx, accountId), concerns);
    }
    const after = effect.result as object | null;
    return { ...effect, change: { ...shows, before: old, after, policyChange: before.config.policyChange } };
  };
}

export function createChangeRules({ store, ...deps }: RulesDeps) {
  const inJob = rulesInJob(deps);
  return <T>(context: RequestContext, { isLarge, ...change }: RulesChange<T>): Promise<T> => {
    const job = async (tx: Repositories): Promise<T> => {
      const effect = await inJob(tx, context.accountId, change);
      await recordRequest(tx, context, effect);
      return effect.result;
    };
    return isLarge ? store.writeLarge(context, job) : store.write(job);
  };
}

async function assertApprovable(
  counting: Parameters<typeof voicesOf>[0],
  { policies, config }: AccountRules,
  concerns: NonNullable<RulesChange<unknown>['concerns']>,
): Promise<void> {
  for (const { policyId, name, enabled, then } of policies) {
    if (!enabled || then.action !== 'approve' || !concerns(then.from, policyId)) continue;
    const problem = tooFewApprovers(then.required, await voicesOf(counting, then.from));
    if (problem !== null)
      throw new DomainError('policy_refused', `rule "${name}" could never be met: ${problem}`, {
        field: 'then.required',
      });
  }
  if (config.policyChange === null || !concerns(config.policyChange.from, null)) return;
  const { required, from } = config.policyChange;
  const problem = lockedOut(required, await voicesOf(counting, from), await administrators(counting));
  if (problem !== null) throw new DomainError('policy_refused', problem, { field: 'policy_change.required' });
}
