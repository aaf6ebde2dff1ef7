import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { orHeld } from '../../../approvals/or-held.ts';
import { contract } from '../../../contracts/contract-answer.ts';
import { contractExample } from '../../../contracts/contract-examples.ts';
import { wholeFeeRateField } from '../../../contracts/contract-fields.ts';
import { contractParams, ON_CONTRACT } from '../message-fields.ts';

export const cpfpContract = (contracts: Pick<ContractService, 'cpfp'>) =>
  operation({
    ...ON_CONTRACT,
    id: 'contract.cpfp',
    spends: ['contract_cpfp'],
    path: '/api/v1/dlc/contracts/{contract_id}/cpfp',
    summary: 'Help the unconfirmed transaction of a contract by a child',
    description:
      'Its funding transaction, CET or refund, whichever waits for a block: an output of ours is spent back to the wallet so that both ' +
      'together pay the feerate. Nothing of the contract changes.',
    params: contractParams,
    body: z.strictObject({
      fee_rate: wholeFeeRateField.meta({
        description: 'What the transaction and its child shall pay together, sat/vB',
      }),
    }),
    ...orHeld(
      contract,
      'The contract',
      200,
      'the approval. The child waits as a payment; `subject` is its unsigned txid, and `result` stays null',
    ),
    errors: [
      'not_found',
      'state_conflict',
      'nothing_to_spend',
      'fee_too_low',
      'insufficient_funds',
      'truc_violation',
      'too_many_ancestors',
      'too_large',
      'signing_unavailable',
      'node_unavailable',
      'node_syncing',
      'unavailable',
    ],
    example: {
      params: { contract_id: contractExample.contract_id },
      body: { fee_rate: '15' },
      response: contractExample,
    },
    run: ({ params, body }, context) => contracts.cpfp(params.contract_id, { feeRateSatVb: body.fee_rate }, context),
  });
