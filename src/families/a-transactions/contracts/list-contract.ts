import { operation } from '../../../hooks/operation.ts';
import type { ContractService } from '../../../services/contracts/contract-service.ts';
import { contractAnswer, presentListed } from '../../contracts/contract-answer.ts';
import { contractExample } from '../../contracts/contract-examples.ts';
import { contractsQuery } from '../../contracts/contract-fields.ts';
import { paginationAnswer, presentPage } from '../../fields.ts';
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
    success: { status: 200, schema: paginationAnswer(contractAnswer), description: 'A page of contracts' },
    errors: ['invalid_value'],
    example: {
      query: { status: 'funded', limit: '20' },
      response: {
        data: [contractExample],
        pagination: { total: 1, limit: 20, offset: 0, has_more: false, next_cursor: null },
      },
    },
    run: ({ query: { status, role, oracle: oracleId, external_id: externalId, ...page } }, context) =>
      contracts.list(omitUndefined({ status, role, oracleId, externalId }), pageOf(page), context),
    present: (page) => presentPage(page, presentListed),
  });
