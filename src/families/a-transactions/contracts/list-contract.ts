import { operation } from '../../../hooks/operation.ts';
import type { ContractService } from '../../../services/contracts/contract-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { listedContract } from '../../contracts/contract-answer.ts';
import { contractExample } from '../../contracts/contract-examples.ts';
import { contractsQuery } from '../../contracts/contract-fields.ts';
import { omitUndefined, pageOf } from '../../optional-values.ts';

export const listContract = (contracts: Pick<ContractService, 'list'>) =>
  operation({
    id: 'contract.list',
    family: 'a',
    method: 'GET',
    path: '/api/v1/contracts',
    summary: 'List contracts, newest first',
    tag: 'Contracts',
    effect: 'read',
    access: { scope: 'contracts:read', role: 'viewer' },
    query: contractsQuery,
    success: { status: 200, answer: paginated(listedContract), description: 'A page of contracts' },
    errors: ['invalid_value'],
    example: {
      query: { status: 'funded', limit: '20' },
      response: pageExample(contractExample),
    },
    run: ({ query: { status, role, oracle: oracleId, external_id: externalId, ...page } }, context) =>
      contracts.list(omitUndefined({ status, role, oracleId, externalId }), pageOf(page), context),
  });
