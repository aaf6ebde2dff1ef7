import { createDaos, type GovernanceDeps } from './daos.ts';
import { createHolders } from './holders.ts';
import { createTokenService } from './token-service.ts';
import { createProposalTypes } from './types/index.ts';

export function createGovernance(deps: GovernanceDeps & { nonceKey: Uint8Array }) {
  const daos = createDaos(deps);
  const holders = createHolders({ ...deps, daos });
  const types = createProposalTypes({ ...deps, holders });
  return { network: deps.network, daos, holders, types, tokens: createTokenService({ ...deps, daos, holders }) };
}
export type Governance = ReturnType<typeof createGovernance>;
