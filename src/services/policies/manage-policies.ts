/** Rules: created, shown, changed and deleted by requests. */
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { Policy } from '../../core/policies/policy.ts';
import { tooManyLengths } from '../../core/policies/windows.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { PolicyRecord } from '../../store/repositories/policies.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { createChangeRules, type RulesDeps } from './change-rules.ts';
import { assertThere, missingAmong, namedByPolicy } from './references.ts';

export const MAX_POLICIES = 200;
/** In all rules of an account together: what waits for approval holds those of the rules that it has to meet. */
const MAX_NAMES = 5_000;

/** `missing`: ids in the rule that no longer exist or were revoked. */
export type ShownPolicy = PolicyRecord & { readonly missing: readonly string[] };
export type NewPolicy = Omit<Policy, 'policyId' | 'position'> & { readonly position?: number | undefined };
type Given<T> = { readonly [K in keyof T]?: T[K] | undefined };
export type PolicyPatch = Given<Omit<Policy, 'policyId'>>;

export function createPolicyManagement(deps: RulesDeps) {
  const { store, randomBytes } = deps;
  const changeRules = createChangeRules(deps);

  async function shown(
    read: Repositories,
    accountId: AccountId,
    policies: readonly PolicyRecord[],
  ): Promise<ShownPolicy[]> {
    const references = policies.map(namedByPolicy);
    const missing = new Set(
      (await missingAmong(read, accountId, references.flat(), { ended: true })).map(({ id }) => id),
    );
    const of = (at: number) => [...new Set(references[at]?.map(({ id }) => id).filter((id) => missing.has(id)))];
    return policies.map((policy, at) => ({ ...policy, missing: of(at) }));
  }

  const one = async (read: Repositories, policy: PolicyRecord): Promise<ShownPolicy> =>
    (await shown(read, policy.accountId, [policy]))[0] as ShownPolicy;

  return {
    async get(policyId: string, { accountId }: RequestContext): Promise<ShownPolicy> {
      return await one(store.read, await found(store.read, accountId, policyId));
    },

    /** By position. */
    async page(
      filter: { enabled?: boolean },
      page: PageRequest,
      { accountId }: RequestContext,
    ): Promise<Page<ShownPolicy>> {
      const { data, ...rest } = await store.read.policies.page(accountId, filter, page);
      return { ...rest, data: await shown(store.read, accountId, data) };
    },

    create: ({ position: wanted, ...given }: NewPolicy, context: RequestContext): Promise<ShownPolicy> => {
      const policyId = newId('pol', randomBytes);
      return changeRules(context, {
        concerns: (_, concerned) => concerned === policyId,
        apply: async (tx, { policies }, { at }) => {
          const { accountId } = context;
          if (policies.length >= MAX_POLICIES)
            throw new DomainError('policy_refused', `an account has at most ${MAX_POLICIES} rules: delete one first`);
          assertFew(given, policies);
          const position = placed(wanted ?? policies.length + 1, policies.length + 1);
          await assertThere(tx, accountId, namedByPolicy(given));
          await tx.policies.shift(accountId, position, policies.length, 1);
          const policy = { ...given, policyId, accountId, position, createdAt: at, updatedAt: at };
          await tx.policies.insert(policy);
          return { result: await one(tx, policy), target: policyId, old: null };
        },
      });
    },

    /** Absent members of the patch stay unchanged; `when` and `then` are replaced as a whole. */
    update: (policyId: string, patch: PolicyPatch, context: RequestContext): Promise<ShownPolicy> =>
      changeRules(context, {
        concerns: (_, concerned) => concerned === policyId && (patch.then !== undefined || patch.enabled === true),
        apply: async (tx, { policies }, { at }) => {
          const { accountId } = context;
          const old = await found(tx, accountId, policyId);
          const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
          const policy: PolicyRecord = { ...old, ...given, updatedAt: at };
          assertFew(
            policy,
            policies.filter((other) => other.policyId !== policyId),
            old,
          );
          // What the rule named before may have been deleted since: only new names must exist.
          await assertThere(
            tx,
            accountId,
            namedByPolicy({ when: patch.when ?? {}, then: patch.then ?? { action: 'allow' } }),
          );
          const position = placed(policy.position, policies.length);
          if (position < old.position) await tx.policies.shift(accountId, position, old.position - 1, 1);
          if (position > old.position) await tx.policies.shift(accountId, old.position + 1, position, -1);
          await tx.policies.update(accountId, policyId, policy);
          return { result: await one(tx, policy), target: policyId, old };
        },
      }),

    delete: (policyId: string, context: RequestContext): Promise<null> =>
      changeRules(context, {
        apply: async (tx, { policies }) => {
          const { accountId } = context;
          const old = await found(tx, accountId, policyId);
          await tx.policies.delete(accountId, policyId);
          await tx.policies.shift(accountId, old.position + 1, policies.length, -1);
          return { result: null, target: policyId, old };
        },
      }),
  };
}
export type PolicyManagement = ReturnType<typeof createPolicyManagement>;

async function found(read: Repositories, accountId: AccountId, policyId: string): Promise<PolicyRecord> {
  const policy = await read.policies.find(accountId, policyId);
  if (policy === null) throw new DomainError('not_found', 'there is no such rule', { field: 'policy_id' });
  return policy;
}

type Rule = Pick<Policy, 'enabled' | 'when' | 'then'>;

/** `old`: as it was. What an account had before the limit stays, and may be made less. */
export function assertFew(policy: Rule, others: readonly Policy[], old: Rule | null = null): void {
  const all = [...others, policy].reduce((sum, one) => sum + namesIn(one), 0);
  if (all > MAX_NAMES && namesIn(policy) > (old === null ? 0 : namesIn(old)))
    throw new DomainError(
      'policy_refused',
      `the rules of an account name at most ${MAX_NAMES} people, keys, groups, wallets, entries and tags together, and these would name ${all}: name groups instead of their members`,
    );
  assertFewLengths(policy, others);
}

const namesIn = (rule: Rule): number => namedByPolicy(rule).length + (rule.when.destinations?.tags?.length ?? 0);

function assertFewLengths(policy: Rule, others: readonly Policy[]): void {
  const problem = policy.when.window?.per === 'destination' ? tooManyLengths([...others, policy]) : null;
  if (policy.enabled && problem !== null)
    throw new DomainError('policy_refused', `${problem}: use one that another rule has`, {
      field: 'when.window.hours',
    });
}

function placed(position: number, last: number): number {
  if (position <= last) return position;
  throw new DomainError('invalid_value', `must be at most ${last}: rules are numbered without gaps`, {
    field: 'position',
  });
}
