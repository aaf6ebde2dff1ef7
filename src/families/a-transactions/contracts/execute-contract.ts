import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { ContractService } from '../../../services/contracts/contract-service.ts';
import { orHeld } from '../../approvals/or-held.ts';
import { contract } from '../../contracts/contract-answer.ts';
import { executedExample } from '../../contracts/contract-examples.ts';
import { contractParams, outcomeField } from '../../contracts/contract-fields.ts';

export const executeContract = (contracts: Pick<ContractService, 'execute'>) =>
  operation({
    id: 'contract.execute',
    spends: ['contract_execute', 'attest'],
    family: 'a',
    method: 'PUT',
    path: '/api/v1/contracts/{contract_id}/execute',
    summary: 'Settle a contract by an outcome',
    description:
      'The local oracle attests the outcome; of another oracle the attestation must be there, or be found at its URL. The CET of the ' +
      'outcome is broadcast before the answer. The same outcome again answers the same record; another is refused.',
    tag: 'Contracts',
    effect: 'write',
    access: { scope: 'contracts:write', role: 'operator' },
    params: contractParams,
    body: z.strictObject({
      outcome: outcomeField.meta({ description: 'One of the outcomes; a number in decimals', examples: ['draw'] }),
    }),
    ...orHeld(contract, 'The contract'),
    errors: [
      'not_found',
      'invalid_value',
      'state_conflict',
      'attestation_missing',
      'outcome_conflict',
      'oracle_frozen',
      'signing_unavailable',
      'node_unavailable',
      'node_syncing',
      'unavailable',
      'policy_refused',
      'too_large',
    ],
    example: {
      params: { contract_id: executedExample.contract_id },
      body: { outcome: 'draw' },
      response: executedExample,
    },
    run: ({ params, body }, context) => contracts.execute(params.contract_id, { outcome: body.outcome }, context),
  });
