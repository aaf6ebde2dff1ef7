import { createDaoStatus } from './dao-status.ts';
import { createDaos, type GovernanceDeps } from './daos.ts';
import { createDelegations } from './delegations.ts';
import { createEnds } from './ends.ts';
import { createExecution, type ExecutionDeps } from './execution.ts';
import { createHolders } from './holders.ts';
import { createProposals } from './proposals.ts';
import { createTokenService } from './token-service.ts';
import { createTreasury } from './treasury.ts';
import { createProposalTypes } from './types/index.ts';
import { createVotes } from './votes.ts';

type Paying = Pick<ExecutionDeps, 'payments' | 'chooseFeeRate'>;

export function createGovernance(deps: GovernanceDeps & Paying & { nonceKey: Uint8Array }) {
  const daos = createDaos(deps);
  const holders = createHolders({ ...deps, daos });
  const treasury = createTreasury({ ...deps, daos });
  const types = createProposalTypes({ ...deps, holders, treasury });
  const ends = createEnds(deps);
  const parts = { ...deps, daos, holders, types, ends };
  const proposals = createProposals(parts);
  return {
    ...{ network: deps.network, daos, holders, types, treasury, worker: ends.worker },
    tokens: createTokenService(parts),
    delegations: createDelegations(parts),
    proposals,
    votes: createVotes({ ...parts, proposals }),
    status: createDaoStatus({ ...parts, treasury }),
    executions: createExecution(parts),
  };
}
export type Governance = ReturnType<typeof createGovernance>;
