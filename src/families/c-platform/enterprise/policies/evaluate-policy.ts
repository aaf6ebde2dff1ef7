import { z } from 'zod';
import { SPENDING_OPERATIONS } from '../../../../core/policies/policy.ts';
import { recordedVerdict } from '../../../../core/policies/recorded-verdict.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { EvaluatePolicies } from '../../../../services/policies/evaluate-policies.ts';
import { answer } from '../../../answer.ts';
import { approvers } from '../../../approvals/approval-answer.ts';
import { amountField, amountOrZeroField, idField, namedObject, namedRequest } from '../../../fields.ts';
import { verdict } from '../../../verdict-field.ts';

const recipient = z
  .strictObject({
    address: z.string().min(1, 'must not be empty').max(120, 'must have at most 120 characters').optional(),
    address_book_id: idField('abe').optional(),
    amount: amountField,
  })
  .refine(
    ({ address, address_book_id: id }) => (address === undefined) !== (id === undefined),
    'must have one of address and address_book_id',
  );

const initiator = z
  .union(
    [z.strictObject({ user_id: idField('usr') }), z.strictObject({ api_key_id: idField('key') })],
    'must have user_id or api_key_id',
  )
  .transform((one) => ('user_id' in one ? { userId: one.user_id } : { apiKeyId: one.api_key_id }))
  .meta({ description: 'Who would ask; the caller unless said' });

const evaluation = answer(
  'PolicyEvaluation',
  {
    ...verdict.shape,
    message: z.string().nullable().meta({ description: 'Of the first rule or screening list that denies' }),
    requirements: z.array(
      namedObject('PolicyRequirement', {
        policy_id: z.string(),
        required: z.int(),
        from: approvers.schema,
        expires_in_hours: z.int(),
      }),
    ),
  },
  (said: Awaited<ReturnType<EvaluatePolicies>>) => ({
    rules: [...recordedVerdict(said).rules],
    ...(said.listed.length > 0 && { screening: [...(recordedVerdict(said).screening ?? [])] }),
    message: said.message || null,
  }),
);

export const evaluatePolicy = (evaluate: EvaluatePolicies) =>
  operation({
    id: 'policy.evaluate',
    family: 'c',
    method: 'POST',
    path: '/api/v1/enterprise/policies/evaluate',
    summary: 'What the rules would say',
    description:
      'Of something hypothetical, now: with what is spent by now, at this time of day, and with the address book as it is. No coins are looked at ' +
      "and nothing is kept; a payment's dry run tells the same of that payment.",
    tag: 'Policies',
    effect: 'compute',
    access: { scope: 'policies:read', role: 'operator' },
    body: namedRequest('PolicyEvaluationRequest', {
      operation: z.enum(SPENDING_OPERATIONS).default('payment'),
      wallet_id: idField('wal').optional(),
      recipients: z.array(recipient).max(500, 'must have at most 500 recipients').default([]),
      fee: amountOrZeroField
        .optional()
        .meta({ description: 'The fee; of a bump or cancellation what it adds. Default: 0' }),
      initiator: initiator.optional(),
    }),
    success: { status: 200, answer: evaluation, description: 'The verdict' },
    errors: ['not_found', 'state_conflict', 'invalid_address', 'wrong_network'],
    example: {
      body: {
        operation: 'payment',
        recipients: [{ address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: '0.6' }],
      },
      response: {
        action: 'deny',
        rules: [
          {
            policy_id: 'pol_5hNw2LmQ9vXcT4yHn6PzRa',
            name: 'Ceiling',
            action: 'deny',
            matched: { amount_over: '0.60000000 above 0.50000000' },
          },
        ],
        message: 'more than half a bitcoin goes through the board',
        requirements: [],
      },
    },
    run: ({ body: { wallet_id: walletId, fee: feeSats = 0n, ...asked } }, context) =>
      evaluate(
        { operation: asked.operation, walletId, recipients: asked.recipients, feeSats, initiator: asked.initiator },
        context,
      ),
  });
