import { familyPlugin } from '../../hooks/family.ts';
import type { Governance } from '../../services/governance/index.ts';
import { orWaiting } from '../approvals/or-waiting.ts';
import { executeDao } from './dao/execute-dao.ts';
import { getDaoStatus } from './dao/get-dao-status.ts';
import { getDaoTreasury } from './dao/get-dao-treasury.ts';
import { listDaoParameter } from './dao/list-dao-parameter.ts';
import { replaceDaoTreasury } from './dao/replace-dao-treasury.ts';
import { createDelegation } from './delegations/create-delegation.ts';
import { deleteDelegation } from './delegations/delete-delegation.ts';
import { listDelegation } from './delegations/list-delegation.ts';
import { createHolder } from './holders/create-holder.ts';
import { getHolder } from './holders/get-holder.ts';
import { listHolder } from './holders/list-holder.ts';
import { proveHolder } from './holders/prove-holder.ts';
import { cancelProposal } from './proposals/cancel-proposal.ts';
import { createProposal } from './proposals/create-proposal.ts';
import { exportProposal } from './proposals/export-proposal.ts';
import { getProposal } from './proposals/get-proposal.ts';
import { listProposal } from './proposals/list-proposal.ts';
import { governanceSocket } from './socket/governance-socket.ts';
import { addGovernanceSocket, type GovernanceSocketDeps } from './socket/index.ts';
import { burnToken } from './tokens/burn-token.ts';
import { getTokenBalance } from './tokens/get-token-balance.ts';
import { getTokenSupply } from './tokens/get-token-supply.ts';
import { listToken } from './tokens/list-token.ts';
import { mintToken } from './tokens/mint-token.ts';
import { transferToken } from './tokens/transfer-token.ts';
import { createVote } from './votes/create-vote.ts';
import { listProposalVote } from './votes/list-proposal-vote.ts';
import { listVote } from './votes/list-vote.ts';
import { proveVote } from './votes/prove-vote.ts';

/** Family G: an account's DAO. */
export const governance = familyPlugin<GovernanceSocketDeps & { governance: Governance }>({
  name: 'g-governance',
  tags: {
    Governance:
      'The account’s DAO: its parameters, who holds tokens, how they move and are delegated, proposals and votes: [guide](/docs/governance).',
  },
  operations: ({ governance }) => {
    const { holders, tokens, delegations, treasury, proposals, votes, executions } = governance;
    return orWaiting([
      listDaoParameter(governance),
      getDaoStatus(governance),
      getDaoTreasury(treasury),
      replaceDaoTreasury(treasury),
      executeDao(executions),
      listHolder(holders),
      createHolder(holders),
      getHolder(holders),
      proveHolder(holders),
      getTokenBalance(tokens),
      listToken(tokens),
      getTokenSupply(tokens),
      mintToken(tokens),
      burnToken(tokens),
      transferToken(tokens),
      createDelegation(delegations),
      listDelegation(delegations),
      deleteDelegation(delegations),
      listProposal(proposals),
      createProposal(proposals),
      getProposal(proposals),
      exportProposal(governance.exportProposal),
      cancelProposal(proposals),
      createVote(votes),
      proveVote(votes),
      listVote(votes),
      listProposalVote(votes),
    ]);
  },
  sockets: [governanceSocket],
  needs: ['websocket-server'],
  routes: async (app, services) => addGovernanceSocket(app, services),
});
