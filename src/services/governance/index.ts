import type { SnapshotJobs } from '../../core/governance/snapshot.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { RulesDeps } from '../policies/change-rules.ts';
import { createReplacePolicies } from '../policies/replace-policies.ts';
import { createDaoStatus } from './dao-status.ts';
import { createDaos, type GovernanceDeps } from './daos.ts';
import { createDelegations } from './delegations.ts';
import { createEnds } from './ends.ts';
import { createExecution, type ExecutionDeps } from './execution.ts';
import { createExportProposal, type ExportDeps } from './export-proposal.ts';
import { createHolders } from './holders.ts';
import { createProposals } from './proposals.ts';
import { createSnapshots } from './snapshots.ts';
import { createTokenService } from './token-service.ts';
import { createTreasury } from './treasury.ts';
import { createProposalTypes } from './types/index.ts';
import type { PolicyChangeDeps } from './types/policy-change.ts';
import { createVoteProofs } from './vote-proof.ts';
import { createVotes } from './votes.ts';

type Paying = Pick<ExecutionDeps, 'payments' | 'chooseFeeRate'>;
type Ruling = Pick<PolicyChangeDeps, 'parsePolicySet'> & Omit<RulesDeps, 'store'>;
type Recounting = { readonly computing: Computing<SnapshotJobs>; readonly audit: ExportDeps['audit'] };

export function createGovernance(deps: GovernanceDeps & Paying & Recounting & Ruling & { nonceKey: Uint8Array }) {
  const daos = createDaos(deps);
  const holders = createHolders({ ...deps, daos });
  const treasury = createTreasury({ ...deps, daos });
  const types = createProposalTypes({ ...deps, holders, treasury, replacePolicies: createReplacePolicies(deps) });
  const ends = createEnds(deps);
  const snapshots = createSnapshots({ ...deps, daos });
  const parts = {
    ...deps,
    daos,
    holders,
    types,
    ends,
    snapshots,
    voteProofs: createVoteProofs({ ...deps, snapshots }),
  };
  const proposals = createProposals(parts);
  return {
    ...{ network: deps.network, daos, holders, types, treasury, worker: ends.worker },
    tokens: createTokenService(parts),
    delegations: createDelegations(parts),
    proposals,
    votes: createVotes({ ...parts, proposals }),
    status: createDaoStatus({ ...parts, treasury }),
    executions: createExecution({ ...parts, proposals }),
    exportProposal: createExportProposal({ ...deps, proposals }),
    voteProofs: parts.voteProofs,
  };
}
export type Governance = ReturnType<typeof createGovernance>;
