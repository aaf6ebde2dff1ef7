import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { contractParams, OF_CONTRACTS } from '../message-fields.ts';
import { contractPayouts, payoutsExample } from '../payouts/payout-answer.ts';
import { CONTRACT_ID } from './remote-examples.ts';

export const listContractPayout = (contracts: Pick<ContractService, 'payouts'>) =>
  operation({
    ...OF_CONTRACTS,
    id: 'contract-payout.list',
    path: '/api/v1/dlc/contracts/{contract_id}/payouts',
    summary: 'What a contract pays, by outcome',
    params: contractParams,
    success: { status: 200, answer: contractPayouts, description: 'A table for each event' },
    errors: ['not_found', 'too_large', 'unavailable'],
    example: { params: { contract_id: CONTRACT_ID }, response: payoutsExample },
    run: ({ params }, context) => contracts.payouts({ contractId: params.contract_id }, context),
  });
