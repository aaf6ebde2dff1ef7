/** What templates look like in requests and answers. */
import { z } from 'zod';
import { PLACEHOLDER_NAME, PLACEHOLDER_TYPES } from '../../../../core/notifications/templates.ts';
import type { TemplateRecord } from '../../../../services/notifications/template-service.ts';
import { answer, time } from '../../../answer.ts';
import { idField, nameField } from '../../../fields.ts';
import { bodyField, subjectField } from '../notification-fields.ts';

export const templateParams = z.strictObject({ template_id: idField('tpl') });

const placeholders = z
  .record(
    z.string().regex(PLACEHOLDER_NAME, 'must be named by lower-case letters, digits and underscores, at most 32'),
    z.enum(PLACEHOLDER_TYPES),
  )
  .refine((given) => Object.keys(given).length <= 20, 'must have at most 20 members')
  .meta({ description: 'Each `{{name}}` of subject and body, with the type of its value' });

export const newTemplateBody = z.strictObject({
  name: nameField,
  subject: subjectField,
  body: bodyField,
  placeholders: placeholders.default({}),
});
export const changedTemplateBody = z.strictObject({
  name: nameField.optional(),
  subject: subjectField.optional(),
  body: bodyField.optional(),
  placeholders: placeholders.optional(),
});

export const template = answer(
  'NotificationTemplate',
  {
    template_id: z.string(),
    name: z.string(),
    subject: z.string(),
    body: z.string().meta({ description: 'Markdown' }),
    placeholders: z.record(z.string(), z.enum(PLACEHOLDER_TYPES)),
    made_by: z
      .object({ kind: z.enum(['api_key', 'oauth_client', 'person']), id: z.string() })
      .nullable()
      .meta({ description: 'They, and who has all rights that they had, can change it; null: administrators' }),
    created_at: time,
    updated_at: time,
  },
  ({ makerKind: kind, makerId: id }: TemplateRecord) => ({
    made_by: kind === null || id === null ? null : { kind, id },
  }),
);

export const templateExample = {
  template_id: 'tpl_5nQe8Rk2TzWm1YbX4vLpJd',
  name: 'refilled',
  subject: '{{wallet}} was refilled',
  body: '{{wallet}} received **{{amount}} BTC**: [transaction](https://mempool.space/tx/{{txid}}).',
  placeholders: { wallet: 'text' as const, amount: 'amount' as const, txid: 'text' as const },
  made_by: { kind: 'api_key' as const, id: 'key_8sKd2LmQ9vXcT4yHn6PzRa' },
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};
