import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { contractMessages } from '../../../contracts/contract-answer.ts';
import { contractParams, OF_CONTRACTS } from '../message-fields.ts';
import { ACCEPT_HEX, OFFER_HEX, SIGN_HEX } from './message-examples.ts';
import { CONTRACT_ID } from './remote-examples.ts';

export const listContractMessage = (contracts: Pick<ContractService, 'messages'>) =>
  operation({
    ...OF_CONTRACTS,
    id: 'contract-message.list',
    path: '/api/v1/dlc/contracts/{contract_id}/messages',
    summary: 'The messages of a contract',
    description: 'As they were made and taken, byte for byte; of contracts whose both sides are here, too.',
    params: contractParams,
    success: { status: 200, answer: contractMessages, description: 'The messages that there are' },
    errors: ['not_found'],
    example: {
      params: { contract_id: CONTRACT_ID },
      response: { offer: OFFER_HEX, accept: ACCEPT_HEX, sign: SIGN_HEX },
    },
    run: ({ params }, context) => contracts.messages(params.contract_id, context),
  });
