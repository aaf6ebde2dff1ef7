import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { pageExample, paginated } from '../../../answer.ts';
import { listedContract } from '../../../contracts/contract-answer.ts';
import { externalIdField, idField, pageQuery } from '../../../fields.ts';
import { omitUndefined, pageOf } from '../../../optional-values.ts';
import { receivedExample } from '../contracts/remote-examples.ts';
import { OF_CONTRACTS } from '../message-fields.ts';

export const listOfferedContract = (contracts: Pick<ContractService, 'list'>) =>
  operation({
    ...OF_CONTRACTS,
    id: 'contract.list-offered',
    path: '/api/v1/dlc/offers',
    summary: 'List open offers, newest first',
    description:
      'Those that we made (role offerer) and those that we were made (role accepter), as long as nobody has accepted.',
    query: z.strictObject({
      ...pageQuery,
      role: z.enum(['offerer', 'accepter']).optional(),
      oracle: idField('ora').optional().meta({ description: 'Offers that ask this oracle' }),
      external_id: externalIdField.optional(),
    }),
    success: { status: 200, answer: paginated(listedContract), description: 'A page of contracts, offered' },
    errors: ['invalid_value'],
    example: {
      query: { role: 'accepter', limit: '20' },
      response: pageExample({ ...receivedExample, messages: {} }),
    },
    run: ({ query: { role, oracle: oracleId, external_id: externalId, ...page } }, context) =>
      contracts.list({ status: 'offered', ...omitUndefined({ role, oracleId, externalId }) }, pageOf(page), context),
  });
