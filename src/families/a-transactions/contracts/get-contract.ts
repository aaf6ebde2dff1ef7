import { operation } from '../../../hooks/operation.ts';
import type { ContractService } from '../../../services/contracts/contract-service.ts';
import { contract } from '../../contracts/contract-answer.ts';
import { contractExample } from '../../contracts/contract-examples.ts';
import { contractParams } from '../../contracts/contract-fields.ts';

export const getContract = (contracts: Pick<ContractService, 'get'>) =>
  operation({
    id: 'contract.get',
    family: 'a',
    method: 'GET',
    path: '/api/v1/contracts/{contract_id}',
    summary: 'Read one contract',
    tag: 'Contracts',
    effect: 'read',
    access: { scope: 'contracts:read', role: 'viewer' },
    params: contractParams,
    success: { status: 200, answer: contract, description: 'The contract' },
    errors: ['not_found'],
    example: { params: { contract_id: contractExample.contract_id }, response: contractExample },
    run: ({ params }, context) => contracts.get(params.contract_id, context),
  });
