/** The enterprise config: read and replaced by requests. */
import { namesVersion, versionTag } from '../../core/entity-tags.ts';
import { DomainError } from '../../core/errors.ts';
import { DEFAULT_CONFIG, type EnterpriseConfig } from '../../core/policies/account-rules.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { createChangeRules, type RulesDeps } from './change-rules.ts';
import { assertThere, namedByApprovers, namedIn } from './references.ts';

/** `updatedAt`: null if the account never set any rules. */
export type ShownConfig = EnterpriseConfig & { readonly updatedAt: number | null };

export function createConfigManagement(deps: RulesDeps) {
  const { store } = deps;
  const changeRules = createChangeRules(deps);
  return {
    get: async ({ accountId }: RequestContext): Promise<ShownConfig> =>
      (await store.read.enterpriseConfig.find(accountId)) ?? { ...DEFAULT_CONFIG, updatedAt: null },

    /** Throws `precondition_failed` if `ifMatch` names another version; null: any version. */
    replace: (
      config: Omit<EnterpriseConfig, 'version'>,
      ifMatch: string | null,
      context: RequestContext,
    ): Promise<ShownConfig> =>
      changeRules(context, {
        concerns: (_, policyId) => policyId === null,
        apply: async (tx, before, { version, at }) => {
          const { accountId } = context;
          const tag = versionTag(before.config.version);
          if (ifMatch !== null && !namesVersion(ifMatch, tag)) {
            const message = `rules, groups or config have changed: the version is now ${tag}`;
            throw new DomainError('precondition_failed', message, { field: 'headers.if-match' });
          }
          await assertThere(tx, accountId, [
            ...namedIn('wallet', 'internal_wallets', config.internalWallets),
            ...(config.policyChange === null ? [] : namedByApprovers('policy_change.from', config.policyChange.from)),
          ]);
          await tx.enterpriseConfig.update(accountId, config);
          return { result: { ...config, version, updatedAt: at }, target: null, old: before.config };
        },
      }),
  };
}
export type ConfigManagement = ReturnType<typeof createConfigManagement>;
