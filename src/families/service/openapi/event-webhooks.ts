/** The `webhooks` of the description (OpenAPI 3.1): what is POSTed to endpoints of each event type, from the table of event types. */
import { z } from 'zod';
import { CHANNELS, type EventChannel, isTyped } from '../../../core/events/channels.ts';
import { EVENT_TYPES, type EventTypeEntry } from '../../../core/events/event-types.ts';
import type { JsonSchema } from '../../../hooks/input/wire-schema.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import { type NamedSchemas, SCHEMAS, typeNameOf } from './named-schemas.ts';

const ENTRIES = Object.entries(EVENT_TYPES) as [string, EventTypeEntry][];

const envelope = z
  .object({
    type: z.string(),
    timestamp: z.iso.datetime().meta({ description: 'When the event was written' }),
    seq: z.int().meta({ description: 'Its number in the one sequence of events: higher is later' }),
    account_id: z.string(),
    webhook_id: z.string(),
    network: z.string(),
    retracts: z.int().optional().meta({ description: 'seq of the event that this one takes back' }),
  })
  .meta({
    description:
      'Sent with the headers of Standard Webhooks: `webhook-id`, the same on every retry, redelivery and replay; `webhook-timestamp`, Unix seconds; ' +
      '`webhook-signature`, a `v1,…` by each secret and a `v1a,…` by the key of the account, separated by blanks',
  });

const EXAMPLE = {
  ...{ timestamp: '2026-11-20T10:00:00.000Z', seq: 4_211, account_id: 'acc_3mVb1k7Q2xYt9LpRw0Zc5A' },
  ...{ webhook_id: 'whk_5nQe8Rk2TzWm1YbX4vLpJd', network: 'mainnet' },
};
const RESPONSES = {
  '2XX': { description: 'Taken' },
  default: { description: 'Sent again; 410: the webhook is disabled' },
};

const schemaNameOf = (channel: EventChannel): string => typeNameOf(`event.${channel}`);

/** Beside those of the operations: a schema for the events of each channel. `operations` answer the records. */
export function eventSchemas(operations: readonly AnyOperation[], schemas: NamedSchemas): Record<string, JsonSchema> {
  const records = new Map(operations.map(({ id, success }) => [id, success.schema]));
  const shared = schemas.reference(envelope, 'output', 'WebhookEvent', undefined);
  const ofChannel = ([channel, { access, record, data: update }]: [string, (typeof CHANNELS)[EventChannel]]) => {
    const entries = ENTRIES.filter(([, entry]) => entry.channel === channel);
    const types = entries.map(([type]) => type);
    const own = schemas.reference(update, 'output', typeNameOf(`update.${channel}`), undefined);
    const read = record === null ? undefined : records.get(record);
    const whole = read && schemas.reference(read, 'output', record ?? '', undefined);
    const data = {
      ...(whole === undefined ? own : { anyOf: [whole, own] }),
      examples: entries.map(([, { example }]) => example),
    };
    const schema = {
      description:
        access === null
          ? 'For every credential'
          : `For credentials with scope \`${access.scope}\` and role \`${access.role}\``,
      allOf: [shared, { type: 'object', properties: { type: { enum: types }, data }, required: ['data'] }],
      examples: entries.slice(0, 1).map(([type, { example }]) => ({ type, ...EXAMPLE, data: example })),
    };
    return [schemaNameOf(channel as EventChannel), schema] as const;
  };
  return Object.fromEntries(
    Object.entries(CHANNELS)
      .filter(([channel]) => isTyped(channel as EventChannel))
      .map(ofChannel),
  );
}

export const eventWebhooks = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    ENTRIES.map(([type, { channel, summary }]) => {
      const schema = { $ref: SCHEMAS + schemaNameOf(channel) };
      const post = {
        ...{ operationId: `event.${type}`, summary, tags: ['Webhooks'], security: [] },
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: RESPONSES,
      };
      return [type, { post }] as const;
    }),
  );
