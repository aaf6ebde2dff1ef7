import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { contractParams, OF_CONTRACTS } from '../message-fields.ts';
import { backupExample, contractBackup } from './backup-fields.ts';
import { CONTRACT_ID } from './remote-examples.ts';

export const backupContract = (contracts: Pick<ContractService, 'backup'>) =>
  operation({
    ...OF_CONTRACTS,
    id: 'contract.backup',
    path: '/api/v1/dlc/contracts/{contract_id}/backup',
    summary: 'What settles a contract elsewhere',
    description:
      "Messages with both sides' signatures, announcements, attestations, and which keys of the wallet sign: no private key. With the " +
      "wallet's own backup it is all that another service needs. It can be taken again at any time; the one of before keeps its worth.",
    params: contractParams,
    success: {
      status: 200,
      answer: contractBackup,
      description: 'The backup',
      headers: { 'cache-control': 'no-store' },
    },
    errors: ['not_found', 'state_conflict'],
    example: { params: { contract_id: CONTRACT_ID }, response: backupExample },
    run: ({ params }, context) => contracts.backup(params.contract_id, context),
  });
