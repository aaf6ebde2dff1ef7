/** What requests say of a notification. */
import { z } from 'zod';
import { MAX_BODY } from '../../../core/notifications/markdown.ts';
import { NOTIFICATION_CHANNELS, type Target } from '../../../core/notifications/notification.ts';
import { externalIdField, idField } from '../../fields.ts';

export const notificationParams = z.strictObject({ notification_id: idField('ntf') });

const MAX_DATA = 8_192;

const ONE_TARGET = 'must have exactly one of user_id, group_id, address and webhook_id';
export const to = z
  .strictObject({
    user_id: idField('usr').optional(),
    group_id: idField('grp').optional(),
    address: z.email('must be an e-mail address').max(254, 'must have at most 254 characters').optional().meta({
      description: "A user's confirmed address, or one within the operator's NOTIFICATION_EMAIL_DOMAINS",
    }),
    webhook_id: idField('whk').optional(),
  })
  .refine((given) => Object.values(given).filter((one) => one !== undefined).length === 1, ONE_TARGET)
  .meta({ id: 'NotificationTarget', minProperties: 1, maxProperties: 1 });

export function targetOf({ user_id, group_id, address, webhook_id }: z.output<typeof to>): Target {
  if (user_id !== undefined) return { kind: 'user', id: user_id };
  if (group_id !== undefined) return { kind: 'group', id: group_id };
  return address === undefined ? { kind: 'webhook', id: webhook_id! } : { kind: 'address', id: address };
}

export const channelField = z.enum(NOTIFICATION_CHANNELS);
export const subjectField = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'must be one line without control characters');
export const bodyField = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_BODY, `must have at most ${MAX_BODY} characters`)
  .meta({ description: 'Markdown (CommonMark): without HTML, images and tables; links to http, https and mailto' });

const data = z
  .record(z.string().max(64, 'must have names of at most 64 characters'), z.unknown())
  .refine((given) => JSON.stringify(given).length <= MAX_DATA, `must have at most ${MAX_DATA} characters as JSON`)
  .nullable()
  .default(null)
  .meta({ description: 'Of a template the value of each placeholder; handed to programs as it is' });

const ONE_TEXT = 'must have subject and body, or template_id';

export const newNotificationBody = z
  .strictObject({
    channel: channelField,
    to,
    template_id: idField('tpl').optional(),
    subject: subjectField.optional(),
    body: bodyField.optional(),
    data,
    send_at: z.iso
      .datetime('must be a time such as 2026-11-20T10:00:00Z')
      .nullable()
      .default(null)
      .meta({ description: 'Not before this time, at most 30 days from now; null: now' }),
    external_id: externalIdField.nullable().default(null).meta({
      description: 'Of the account’s own: a send with one that was used sends nothing, and answers what was sent by it',
    }),
  })
  .refine(
    ({ template_id, subject, body }) =>
      template_id === undefined ? subject !== undefined && body !== undefined : (subject ?? body) === undefined,
    ONE_TEXT,
  );

export const changedNotificationBody = z.strictObject({ read: z.boolean() });
