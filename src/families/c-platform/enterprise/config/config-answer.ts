/** What the enterprise config looks like on the wire. */
import { z } from 'zod';
import { versionTag } from '../../../../core/entity-tags.ts';
import { amount, answer, time } from '../../../answer.ts';
import { approvers } from '../../../approvals/approval-answer.ts';

export const config = answer('EnterpriseConfig', {
  version: z.int().meta({ description: 'Grows with each change of rules, groups or config; 0: none was ever made' }),
  default_action: z.enum(['allow', 'deny']),
  internal_wallets: z.array(z.string()),
  address_book_delay_hours: z.int(),
  travel_rule: z.object({ threshold: amount }).meta({ id: 'TravelRuleConfig' }).nullable(),
  policy_change: z
    .object({ required: z.int(), from: approvers.schema, expires_in_hours: z.int() })
    .meta({ id: 'PolicyChange' })
    .nullable(),
  updated_at: time.nullable(),
});

export const configTag = ({ version }: { version: number }): string => versionTag(version);

export const configExample = {
  version: 7,
  default_action: 'allow',
  internal_wallets: [],
  address_book_delay_hours: 24,
  travel_rule: null,
  policy_change: null,
  updated_at: '2026-11-01T12:00:00.000Z',
};
