/** What a rule looks like on the wire. */
import { z } from 'zod';
import { ROLES } from '../../../../core/access.ts';
import {
  type PolicyConditions,
  SPENDING_OPERATIONS,
  WEEKDAYS,
  WINDOW_SCOPES,
} from '../../../../core/policies/policy.ts';
import { amount, answer, time } from '../../../answer.ts';
import { approvers } from '../../../approvals/approval-answer.ts';
import { idField } from '../../../fields.ts';

export const policyParams = z.strictObject({ policy_id: idField('pol') });

const texts = z.array(z.string()).optional();
const roles = z.array(z.enum(ROLES)).optional();

const feeOver = answer(
  'PolicyFeeOver',
  { share: z.string().optional(), amount: amount.optional() },
  ({ shareMillionths, sats }: NonNullable<PolicyConditions['feeOver']>) => ({
    ...(shareMillionths === undefined ? {} : { share: String(shareMillionths / 1e6) }),
    ...(sats === undefined ? {} : { amount: amount.encode(sats) }),
  }),
);

const destinations = answer(
  'PolicyDestinations',
  { address_book: texts, outside: z.literal(true).optional() },
  ({ entries = [], tags = [] }: NonNullable<PolicyConditions['destinations']>) =>
    entries.length + tags.length === 0 ? {} : { address_book: [...entries, ...tags] },
);

const conditions = answer('PolicyConditions', {
  operations: z.array(z.enum(SPENDING_OPERATIONS)).optional(),
  wallets: texts,
  assets: texts,
  initiators: z.object({ roles, user_ids: texts, api_key_ids: texts, groups: texts }).optional(),
  destinations: destinations.schema.optional(),
  screening: z.object({ lists: texts }).optional(),
  amount_over: amount.optional(),
  window: z
    .object({
      hours: z.int(),
      per: z.enum(WINDOW_SCOPES),
      amount_over: amount.optional(),
      count_over: z.int().optional(),
    })
    .optional(),
  fee_over: feeOver.schema.optional(),
  hours: z
    .object({ timezone: z.string(), days: z.array(z.enum(WEEKDAYS)).optional(), from: z.string(), to: z.string() })
    .optional(),
});

const action = answer('PolicyAction', {
  action: z.enum(['allow', 'deny', 'approve']),
  message: z.string().optional().meta({ description: 'Of a denial' }),
  required: z.int().optional().meta({ description: 'Of what is to be approved, as the rest' }),
  from: approvers.schema.optional(),
  expires_in_hours: z.int().optional(),
});

export const policy = answer('Policy', {
  policy_id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  position: z.int(),
  when: conditions.schema,
  then: action.schema,
  missing: z.array(z.string()).meta({
    description: 'Of what the rule names, what is no longer there or was revoked: it matches nobody any more',
  }),
  created_at: time,
  updated_at: time,
});

export const policyExample = {
  policy_id: 'pol_5hNw2LmQ9vXcT4yHn6PzRa',
  name: 'Large payments',
  enabled: true,
  position: 1,
  when: { operations: ['payment'], amount_over: '0.50000000' },
  then: { action: 'approve', required: 1, from: { roles: ['admin'] }, expires_in_hours: 24 },
  missing: [],
  created_at: '2026-11-01T12:00:00.000Z',
  updated_at: '2026-11-01T12:00:00.000Z',
};
