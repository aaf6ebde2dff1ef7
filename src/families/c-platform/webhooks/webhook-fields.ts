/** What requests say of a webhook. */
import { z } from 'zod';
import { patternProblem } from '../../../core/events/event-types.ts';
import { idField } from '../../fields.ts';

export const webhookParams = z.strictObject({ webhook_id: idField('whk') });
export const deliveryParams = z.strictObject({ ...webhookParams.shape, delivery_id: idField('msg') });

const patternField = z
  .string()
  .max(100, 'must have at most 100 characters')
  .superRefine((pattern, context) => {
    const problem = patternProblem(pattern);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

const url = z
  .string()
  .max(2048, 'must have at most 2048 characters')
  .meta({ description: 'https; events are POSTed to it', examples: ['https://shop.example.com/ashlar'] });
const events = z
  .array(patternField)
  .min(1, 'must name at least one type')
  .max(100, 'must name at most 100 types')
  .meta({ description: 'Types of events, or patterns: `transaction.*`, or `*` for all that this credential may read' });
const description = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .nullable();
const wallets = z
  .array(idField('wal'))
  .min(1, 'must name at least one wallet')
  .max(100, 'must name at most 100 wallets')
  .nullable()
  .meta({ description: 'Only events that concern one of these wallets; null: all' });
const enabled = z.boolean();
export const webhookFields = { events, description, wallets };

export const newWebhookBody = z.strictObject({
  url,
  events,
  description: description.default(null),
  wallets: wallets.default(null),
  enabled: enabled.default(true),
  ordered: z.boolean().default(true).meta({
    description: 'An event is sent once the one before it was delivered. false: one that fails holds up no other',
  }),
});

export const changedWebhookBody = z.strictObject({
  url: url.optional(),
  events: events.optional(),
  description: description.optional(),
  wallets: wallets.optional(),
  enabled: enabled.optional(),
});

export const replayBody = z
  .strictObject({
    after_seq: z.int().min(0).optional().meta({ description: 'The last event that is not to be delivered again' }),
    since: z.iso
      .datetime('must be a time such as 2026-11-20T10:00:00Z')
      .optional()
      .meta({ description: 'Events that were written at this time or later' }),
  })
  .refine(
    ({ after_seq, since }) => (after_seq === undefined) !== (since === undefined),
    'must have either after_seq or since',
  )
  .meta({ minProperties: 1, maxProperties: 1 });
