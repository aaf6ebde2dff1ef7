/** What a notification rule looks like on the wire, and what requests say of one. */
import { z } from 'zod';
import { DIGESTS } from '../../../../core/notifications/digest.ts';
import { NOTIFICATION_CHANNELS } from '../../../../core/notifications/notification.ts';
import type { MadeRule, RuleRecord } from '../../../../services/notifications/rules/rule-service.ts';
import { amount, answer, time } from '../../../answer.ts';
import { amountOrZeroField, idField } from '../../../fields.ts';
import { omitUndefined } from '../../../optional-values.ts';
import { timezoneField } from '../../enterprise/policies/policy-fields.ts';
import { webhookFields } from '../../webhooks/webhook-fields.ts';
import { targetNames } from '../notification-answer.ts';
import { channelField, targetOf, to } from '../notification-fields.ts';

export const ruleParams = z.strictObject({ rule_id: idField('nrl') });

const fields = {
  description: webhookFields.description,
  events: webhookFields.events,
  channel: channelField,
  to: to.nullable().meta({ description: 'Who is notified; null: whoever makes the rule' }),
  amount_over: amountOrZeroField
    .nullable()
    .meta({ description: 'Only events with an amount (transactions, deposits) above this; null: all' }),
  wallets: webhookFields.wallets,
  digest: z.enum(DIGESTS).meta({
    description: 'hourly and daily (at 08:00 of `timezone`): one notification of all events since the last one',
  }),
  timezone: timezoneField,
  enabled: z.boolean(),
};

export const newRuleBody = z.strictObject({
  ...fields,
  description: fields.description.default(null),
  to: fields.to.default(null),
  amount_over: fields.amount_over.default(null),
  wallets: fields.wallets.default(null),
  digest: fields.digest.default('at_once'),
  timezone: fields.timezone.default('UTC'),
  enabled: fields.enabled.default(true),
});
export const changedRuleBody = z.strictObject(fields).partial();

export const newRuleOf = ({ to: given, amount_over: amountOverSats, ...rest }: z.output<typeof newRuleBody>) => ({
  ...{ ...rest, amountOverSats, target: given && targetOf(given) },
});
export const ruleChangeOf = ({ to: given, amount_over: amountOverSats, ...rest }: z.output<typeof changedRuleBody>) =>
  omitUndefined({ ...rest, amountOverSats, target: given && targetOf(given) });

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

export const rule = answer(
  'NotificationRule',
  {
    rule_id: z.string(),
    description: z.string().nullable(),
    events: z.array(z.string()),
    channel: z.enum(NOTIFICATION_CHANNELS),
    to: z
      .record(z.string(), z.string())
      .meta({ description: 'user_id, group_id, address, webhook_id or credential_id' }),
    amount_over: amount.nullable(),
    wallets: z.array(z.string()).nullable(),
    digest: z.enum(DIGESTS),
    timezone: z.string(),
    enabled: z.boolean(),
    disabled_reason: z.string().nullable().meta({ description: 'Why the service disabled it; null: it did not' }),
    made_by: z.object({ kind: z.enum(['api_key', 'oauth_client', 'person']), id: z.string() }),
    gathered: z.int().meta({ description: 'Events that the next digest has' }),
    next_at: time.nullable().meta({ description: 'When the next digest is sent; null: nothing waits' }),
    created_at: time,
    updated_at: time,
  },
  ({ target, makerKind: kind, makerId: id, nextAt }: RuleRecord) => ({
    ...{ to: targetNames(target), made_by: { kind, id }, next_at: iso(nextAt) },
  }),
);

export const madeRule = answer(
  'MadeNotificationRule',
  {
    ...rule.shape,
    warnings: z.array(z.string()).meta({ description: 'Why it reaches nobody yet, in words; mostly none' }),
  },
  ({ warnings, ...record }: MadeRule) => ({ ...rule.present(record), warnings: [...warnings] }),
);

const at = '2026-11-20T10:00:00.000Z';
export const ruleExample = {
  rule_id: 'nrl_3mVb1k7Q2xYt9LpRw0Zc5A',
  description: 'large payments',
  events: ['transaction.confirmed'],
  channel: 'in_app' as const,
  to: { user_id: 'usr_6kPd1Xw9ZmQb3TyRc8LvNa' },
  amount_over: '0.50000000',
  wallets: null,
  digest: 'daily' as const,
  timezone: 'Europe/Zurich',
  enabled: true,
  disabled_reason: null,
  made_by: { kind: 'person' as const, id: 'usr_6kPd1Xw9ZmQb3TyRc8LvNa' },
  gathered: 2,
  next_at: at,
  created_at: at,
  updated_at: at,
};
