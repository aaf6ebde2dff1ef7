import { createDaos, type GovernanceDeps } from './daos.ts';
import { createHolders } from './holders.ts';
import { createTokenService } from './token-service.ts';

export function createGovernance(deps: GovernanceDeps & { nonceKey: Uint8Array }) {
  const daos = createDaos(deps);
  const holders = createHolders({ ...deps, daos });
  return { network: deps.network, daos, holders, tokens: createTokenService({ ...deps, daos, holders }) };
}
export type Governance = ReturnType<typeof createGovernance>;
