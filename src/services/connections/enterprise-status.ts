/** How an account's rules and connections stand now, for whoever watches over them. */
import type { AccountRules } from '../../core/policies/account-rules.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ConnectionService, ConnectionView } from './connection-service.ts';

export interface EnterpriseStatus {
  readonly configVersion: number;
  readonly defaultAction: 'allow' | 'deny';
  readonly policies: { readonly inForce: number; readonly disabled: number };
  readonly connections: readonly ConnectionView[];
}

export const createEnterpriseStatus =
  (deps: {
    connections: Pick<ConnectionService, 'all'>;
    rulesOf: (accountId: string) => Promise<Pick<AccountRules, 'policies' | 'config'>>;
  }) =>
  async (context: RequestContext): Promise<EnterpriseStatus> => {
    const { policies, config } = await deps.rulesOf(context.accountId);
    const inForce = policies.filter(({ enabled }) => enabled).length;
    return {
      configVersion: config.version,
      defaultAction: config.defaultAction,
      policies: { inForce, disabled: policies.length - inForce },
      connections: await deps.connections.all(context),
    };
  };

export type GetEnterpriseStatus = ReturnType<typeof createEnterpriseStatus>;
