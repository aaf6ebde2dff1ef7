import { createDaos, type GovernanceDeps } from './daos.ts';
import { createDelegations } from './delegations.ts';
import { createHolders } from './holders.ts';
import { createTokenService } from './token-service.ts';
import { createTreasury } from './treasury.ts';
import { createProposalTypes } from './types/index.ts';

export function createGovernance(deps: GovernanceDeps & { nonceKey: Uint8Array }) {
  const daos = createDaos(deps);
  const holders = createHolders({ ...deps, daos });
  const treasury = createTreasury({ ...deps, daos });
  const parts = { ...deps, daos, holders };
  return {
    ...{ network: deps.network, daos, holders, treasury },
    types: createProposalTypes({ ...parts, treasury }),
    tokens: createTokenService(parts),
    delegations: createDelegations(parts),
  };
}
export type Governance = ReturnType<typeof createGovernance>;
