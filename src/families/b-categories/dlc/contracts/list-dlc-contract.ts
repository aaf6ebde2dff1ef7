import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { listedContract } from '../../../contracts/contract-answer.ts';
import { contractExample } from '../../../contracts/contract-examples.ts';
import { contractsQuery } from '../../../contracts/contract-fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { OF_CONTRACTS } from '../message-fields.ts';

export const listDlcContract = (contracts: Pick<ContractService, 'list'>) =>
  operation({
    ...OF_CONTRACTS,
    id: 'dlc-contract.list',
    path: '/api/v1/dlc/contracts',
    summary: 'List contracts, newest first',
    description: 'The same as GET /api/v1/contracts.',
    query: contractsQuery,
    success: { status: 200, answer: paginated(listedContract), description: 'A page of contracts' },
    errors: ['invalid_value'],
    example: {
      query: { role: 'accepter', limit: '20' },
      response: pageExample({ ...contractExample, role: 'accepter', custody: 'shared' }),
    },
    run: ({ query: { status, role, oracle: oracleId, external_id: externalId, ...page } }, context) =>
      contracts.list(omitUndefined({ status, role, oracleId, externalId }), pageOf(page), context),
  });
