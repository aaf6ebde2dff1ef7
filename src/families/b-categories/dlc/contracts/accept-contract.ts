import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import { Held } from '../../../../services/approvals/held-answer.ts';
import type { ContractService, ContractView } from '../../../../services/contracts/contract-service.ts';
import { approval } from '../../../approvals/approval-answer.ts';
import { contract } from '../../../contracts/contract-answer.ts';
import { contractWaiting, FUNDING_ERRORS } from '../../../contracts/contract-examples.ts';
import { expiryField } from '../../../contracts/contract-fields.ts';
import { idField } from '../../../fields.ts';
import { contractParams, DLC_BODY_LIMIT, messageField, ON_CONTRACT } from '../message-fields.ts';
import { acceptedExample, CONTRACT_ID, receivedExample } from './remote-examples.ts';

export const acceptContract = (contracts: Pick<ContractService, 'accept'>) =>
  operation({
    ...ON_CONTRACT,
    id: 'contract.accept',
    spends: ['contract_accept', 'contract_sign'],
    path: '/api/v1/dlc/contracts/{contract_id}/accept',
    summary: 'Accept an offer, or take its acceptance',
    description:
      'Whoever was offered the contract sends no message: coins of the wallet are held, every CET and the refund are adaptor-signed, and ' +
      'messages.accept is for the offerer. The offerer sends that message here: each of its signatures is verified, and the sign ' +
      'message is made (messages.sign). The same message again answers the same; another is refused. Where no sign message comes by expires_at, ' +
      'or none can be taken any more, an acceptance is cancelled and its coins are free.',
    params: contractParams,
    body: z
      .strictObject({
        message: messageField.optional().meta({ description: "The counterparty's accept message (42780), hex" }),
        wallet_id: idField('wal')
          .optional()
          .meta({ description: "Which wallet funds. Default: the account's default or only wallet" }),
        expires_at: expiryField.optional().meta({
          description:
            'Until when whoever accepts waits for the sign message: then it is cancelled. Default, and the latest, as of an offer taken',
        }),
      })
      .nullish(),
    bodyLimit: DLC_BODY_LIMIT,
    success: {
      ...{ status: 200, schema: contract.schema, description: 'The contract' },
      waiting: {
        ...contractWaiting(receivedExample),
        schema: z.union([contract.schema, approval.schema]),
        description:
          'A rule wants it approved first. Whoever accepts is answered the contract: its coins are held, and nothing is signed. Whoever offered ' +
          'is answered the approval, whose `result` is the answer: [guide](/docs/approvals)',
        when: (taken: ContractView | Held): boolean => taken instanceof Held || taken.status === 'awaiting_approval',
      },
    },
    present: (taken: ContractView | Held): unknown =>
      taken instanceof Held ? approval.present(taken.approval) : contract.present(taken),
    errors: ['not_found', 'state_conflict', 'invalid_message', 'contract_refused', 'invalid_value', ...FUNDING_ERRORS],
    example: { params: { contract_id: CONTRACT_ID }, body: {}, response: acceptedExample },
    run: ({ params, body }, context) =>
      contracts.accept(
        params.contract_id,
        { message: body?.message, walletId: body?.wallet_id, expiresAt: body?.expires_at },
        context,
      ),
  });
