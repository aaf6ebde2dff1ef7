import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { contract } from '../../../contracts/contract-answer.ts';
import { contractParams, ON_CONTRACT } from '../message-fields.ts';
import { CONTRACT_ID, refundedExample } from './remote-examples.ts';

export const refundContract = (contracts: Pick<ContractService, 'refund'>) =>
  operation({
    ...ON_CONTRACT,
    id: 'contract.refund',
    spends: [],
    path: '/api/v1/dlc/contracts/{contract_id}/refund',
    summary: 'Give both sides their collateral back',
    description: 'After refund_locktime, where no outcome has settled it. The service does it by itself, too.',
    params: contractParams,
    success: { status: 200, answer: contract, description: 'The contract' },
    errors: ['not_found', 'state_conflict', 'signing_unavailable', 'node_unavailable', 'node_syncing', 'unavailable'],
    example: { params: { contract_id: CONTRACT_ID }, response: refundedExample },
    run: ({ params }, context) => contracts.refund(params.contract_id, context),
  });
