import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { COMPUTED, contractParams } from '../message-fields.ts';
import { contractVerification, verificationExample } from '../verification/verification-answer.ts';
import { CONTRACT_ID } from './remote-examples.ts';

export const verifyContract = (contracts: Pick<ContractService, 'verify'>) =>
  operation({
    ...COMPUTED,
    id: 'contract.verify',
    path: '/api/v1/dlc/contracts/{contract_id}/verify',
    summary: 'Check a contract again, signature by signature',
    description:
      'Every check of its messages with its verdict, and of its funding inputs and output what the chain says.',
    params: contractParams,
    success: { status: 200, answer: contractVerification, description: 'Every check' },
    errors: ['not_found', 'unavailable', 'too_large'],
    example: { params: { contract_id: CONTRACT_ID }, response: verificationExample },
    run: ({ params }, context) => contracts.verify(params.contract_id, context),
  });
