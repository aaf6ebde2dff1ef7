import { z } from 'zod';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractService } from '../../../../services/contracts/contract-service.ts';
import { dialectField, unprovenField } from '../../../a-transactions/contracts/contract-fields.ts';
import { OFFER_HEX } from '../contracts/remote-examples.ts';
import { COMPUTED, DLC_BODY_LIMIT, messageField } from '../message-fields.ts';
import { presentVerification, verificationAnswer, verificationExample } from './verification-answer.ts';

export const checkContract = (contracts: Pick<ContractService, 'verifyMessages'>) =>
  operation({
    ...COMPUTED,
    id: 'contract.check',
    path: '/api/v1/dlc/verify',
    summary: 'Check the messages of a contract',
    description:
      'Whoever they are from: nothing of it is kept. An offer alone, with the answer to it, or with all three: every check with its ' +
      'verdict, every adaptor signature verified. What only the chain can say is left out.',
    body: z
      .strictObject({
        offer: messageField,
        accept: messageField.optional(),
        sign: messageField.optional(),
        dialect: dialectField.optional(),
        accept_unproven_oracles: unprovenField,
      })
      .superRefine(({ accept, sign }, context) => {
        if (sign !== undefined && accept === undefined)
          context.addIssue({ code: 'custom', path: ['accept'], message: 'is required with a sign message' });
      }),
    bodyLimit: DLC_BODY_LIMIT,
    success: { status: 200, schema: verificationAnswer, description: 'Every check' },
    errors: ['invalid_message', 'too_large', 'unavailable'],
    example: { body: { offer: OFFER_HEX }, response: verificationExample },
    // A short offer may have a hundred thousand cases.
    inWorker: () => true,
    run: ({ body: { accept_unproven_oracles: acceptUnprovenOracles, ...messages } }, context) =>
      contracts.verifyMessages({ ...messages, acceptUnprovenOracles }, context),
    present: presentVerification,
  });
