import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { contract } from '../../../contracts/contract-answer.ts';
import { contractExample } from '../../../contracts/contract-examples.ts';
import { contractParams, OF_CONTRACTS } from '../message-fields.ts';

export const getDlcContract = (contracts: Pick<ContractService, 'get'>) =>
  operation({
    ...OF_CONTRACTS,
    id: 'dlc-contract.get',
    path: '/api/v1/dlc/contracts/{contract_id}',
    summary: 'Read one contract',
    description: 'The same as GET /api/v1/contracts/{contract_id}.',
    params: contractParams,
    success: { status: 200, answer: contract, description: 'The contract' },
    errors: ['not_found'],
    example: { params: { contract_id: contractExample.contract_id }, response: contractExample },
    run: ({ params }, context) => contracts.get(params.contract_id, context),
  });
