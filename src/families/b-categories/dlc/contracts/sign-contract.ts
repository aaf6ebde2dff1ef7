import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { orHeld } from '../../../approvals/or-held.ts';
import { contract } from '../../../contracts/contract-answer.ts';
import { contractParams, DLC_BODY_LIMIT, messageField, ON_CONTRACT } from '../message-fields.ts';
import { SIGN_HEX } from './message-examples.ts';
import { CONTRACT_ID, fundedExample } from './remote-examples.ts';

export const signContract = (contracts: Pick<ContractService, 'sign'>) =>
  operation({
    ...ON_CONTRACT,
    id: 'contract.sign',
    spends: ['contract_sign'],
    path: '/api/v1/dlc/contracts/{contract_id}/sign',
    summary: 'Take the sign message and fund the contract',
    description:
      "Whoever accepted sends the offerer's sign message: its signatures and the witnesses of the offerer's coins are verified, our " +
      'inputs signed, and the funding transaction broadcast. The offerer sends no message and is answered messages.sign once more.',
    params: contractParams,
    body: z
      .strictObject({
        message: messageField.optional().meta({ description: "The offerer's sign message (42782), hex" }),
      })
      .nullish(),
    bodyLimit: DLC_BODY_LIMIT,
    ...orHeld(contract, 'The contract'),
    errors: [
      'policy_refused',
      'not_found',
      'state_conflict',
      'invalid_message',
      'contract_refused',
      'coin_unavailable',
      'signing_unavailable',
      'node_unavailable',
      'node_syncing',
      'unavailable',
      'too_large',
    ],
    example: { params: { contract_id: CONTRACT_ID }, body: { message: SIGN_HEX }, response: fundedExample },
    run: ({ params, body }, context) => contracts.sign(params.contract_id, { message: body?.message }, context),
  });
