import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { orHeld } from '../../../approvals/or-held.ts';
import { contract } from '../../../contracts/contract-answer.ts';
import { FUNDING_ERRORS } from '../../../contracts/contract-examples.ts';
import { contractParams, ON_CONTRACT } from '../message-fields.ts';
import { CONTRACT_ID, cancelledExample } from './remote-examples.ts';

export const cancelContract = (contracts: Pick<ContractService, 'cancel'>) =>
  operation({
    ...ON_CONTRACT,
    id: 'contract.cancel',
    spends: ['contract_cancel'],
    path: '/api/v1/dlc/contracts/{contract_id}/cancel',
    summary: 'Give a contract up before it is funded',
    description:
      'An offer, or one whose signing is under way, ends and its coins are free. After our signatures went out it is taken back by ' +
      'spending one of our funding inputs otherwise, as long as the funding transaction is not in a block.',
    params: contractParams,
    ...orHeld(contract, 'The contract'),
    errors: ['not_found', 'state_conflict', 'descendants_would_be_evicted', ...FUNDING_ERRORS],
    example: { params: { contract_id: CONTRACT_ID }, response: cancelledExample },
    run: ({ params }, context) => contracts.cancel(params.contract_id, context),
  });
