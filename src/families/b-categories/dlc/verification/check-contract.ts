import { z } from 'zod';
import type { Messages } from '../../../../core/dlc/jobs/message-jobs.ts';
import type { Network } from '../../../../core/network.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { ContractCheck, ContractService } from '../../../../services/contracts/contract-service.ts';
import { checkPosted, failedOf, verdictOf } from '../../../../services/contracts/remote/verify-messages.ts';
import { dialectField, unprovenField } from '../../../contracts/contract-fields.ts';
import { OFFER_HEX } from '../contracts/message-examples.ts';
import { COMPUTED, DLC_BODY_LIMIT, messageField } from '../message-fields.ts';
import { contractVerification } from './verification-answer.ts';

const bodyField = z
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
  });

const CHECKED: z.input<typeof contractVerification.schema> = {
  valid: true,
  rounding_tolerance: '0.00000001',
  checks: [
    { check: 'announcement_signature', verdict: 'passed', message: 'offer', index: 0, reason: null },
    {
      check: 'announcement_unchanged',
      verdict: 'skipped',
      message: 'offer',
      index: 0,
      reason: 'no announcement of the event is known here',
    },
  ],
};

/** `contracts` is null in a worker, where the signatures are not gone through: they are by all workers, in parts. */
export const checkContract = ({
  network,
  contracts,
}: {
  network: Network;
  contracts: Pick<ContractService, 'verifySignatures'> | null;
}) =>
  operation({
    ...COMPUTED,
    id: 'contract.check',
    path: '/api/v1/dlc/verify',
    summary: 'Check the messages of a contract',
    description:
      'Whoever they are from: nothing of it is kept. An offer alone, with the answer to it, or with all three: every check with its ' +
      'verdict, every adaptor signature verified. What only the chain can say is left out.',
    body: bodyField,
    bodyLimit: DLC_BODY_LIMIT,
    success: { status: 200, answer: contractVerification, description: 'Every check' },
    errors: ['invalid_message', 'too_large', 'unavailable'],
    example: { body: { offer: OFFER_HEX }, response: CHECKED },
    // A short offer may have a hundred announcements.
    inWorker: () => true,
    asks: async (body) => {
      const { messages, checks } = await lookedAt(body, network);
      return failedOf(checks) === undefined ? messages : null;
    },
    lookUp: (messages, context) => {
      if (contracts === null) throw new Error('signatures are verified where contracts are');
      return contracts.verifySignatures(messages as Messages, context);
    },
    run: async ({ body, found }) => {
      const { messages, checks } = await lookedAt(body, network);
      return verdictOf([...checks, ...((found ?? []) as ContractCheck[])], messages);
    },
  });

async function lookedAt(
  { accept_unproven_oracles: acceptUnprovenOracles = false, dialect = 'tagged', ...sent }: z.output<typeof bodyField>,
  network: Network,
) {
  const messages = { ...sent, dialect };
  return { messages, checks: await checkPosted(messages, { network, acceptUnprovenOracles }) };
}
