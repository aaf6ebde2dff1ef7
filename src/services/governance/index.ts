import { createDaos, type GovernanceDeps } from './daos.ts';
import { createHolders } from './holders.ts';
import { createTokenService } from './token-service.ts';
import { createTreasury } from './treasury.ts';
import { createProposalTypes } from './types/index.ts';

export function createGovernance(deps: GovernanceDeps & { nonceKey: Uint8Array }) {
  const daos = createDaos(deps);
  const holders = createHolders({ ...deps, daos });
  const treasury = createTreasury({ ...deps, daos });
  const types = createProposalTypes({ ...deps, holders, treasury });
  const tokens = createTokenService({ ...deps, daos, holders });
  return { network: deps.network, daos, holders, treasury, types, tokens };
}
export type Governance = ReturnType<typeof createGovernance>;
