/** The state of an account's rules, approvals and connections, for monitoring. */
import { roleReaches, scopeAllows } from '../core/access.ts';
import type { AccountId } from '../core/ids.ts';
import type { AccountRules } from '../core/policies/account-rules.ts';
import type { CounterStore } from '../counters/counter-store.ts';
import type { Backlog } from '../store/repositories/metrics.ts';
import type { Repositories } from '../store/store.ts';
import type { ConnectionService, ConnectionView } from './connections/connection-service.ts';
import { type Quota, quotaOf } from './limits/request-limits.ts';
import type { RequestContext } from './requests/request-context.ts';

export interface EnterpriseStatus {
  readonly configVersion: number;
  readonly defaultAction: 'allow' | 'deny';
  readonly policies: { readonly inForce: number; readonly disabled: number };
  /** null where the credential may not read them; so are the connections. */
  readonly approvals: { readonly waiting: number; readonly oldestAt: number | null } | null;
  readonly quota: Quota;
  readonly connections: readonly ConnectionView[] | null;
}

export const createEnterpriseStatus =
  (deps: {
    connections: Pick<ConnectionService, 'all'>;
    approvals: Pick<Repositories['approvals'], 'waiting'>;
    /** Kept in memory under the config's version. */
    rulesOf: (accountId: AccountId) => Promise<Pick<AccountRules, 'policies' | 'config'>>;
    counters: Pick<CounterStore, 'look'>;
    clock: () => number;
  }) =>
  async (context: RequestContext): Promise<EnterpriseStatus> => {
    const { accountId, credential } = context;
    const { policies, config } = await deps.rulesOf(accountId);
    const inForce = policies.filter(({ enabled }) => enabled).length;
    const readsApprovals = scopeAllows(credential.scopes, 'approvals:read');
    const readsConnections =
      roleReaches(credential.role, 'admin') && scopeAllows(credential.scopes, 'connections:read');
    return {
      configVersion: config.version,
      defaultAction: config.defaultAction,
      policies: { inForce, disabled: policies.length - inForce },
      approvals: readsApprovals ? viewOf(await deps.approvals.waiting(accountId)) : null,
      quota: await quotaOf(deps, credential),
      connections: readsConnections ? await deps.connections.all(context) : null,
    };
  };

export type GetEnterpriseStatus = ReturnType<typeof createEnterpriseStatus>;

const viewOf = ({ count: waiting, oldestAt }: Backlog) => ({ waiting, oldestAt });
