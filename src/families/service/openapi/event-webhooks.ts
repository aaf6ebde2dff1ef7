/** The `webhooks` of the description (OpenAPI 3.1): what is POSTed to endpoints of each event type, from the table of event types. */
import { z } from 'zod';
import { CHANNELS, type EventChannel, isTyped, type TypedChannel } from '../../../core/events/channels.ts';
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

const ENVELOPE = {
  type: 'transaction.confirmed',
  ...{ timestamp: '2026-11-20T10:00:00.000Z', seq: 4_211, account_id: 'acc_3mVb1k7Q2xYt9LpRw0Zc5A' },
  ...{ webhook_id: 'whk_5nQe8Rk2TzWm1YbX4vLpJd', network: 'mainnet' },
};
const RESPONSES = {
  '2XX': { description: 'Taken' },
  default: { description: 'Sent again; 410: the webhook is disabled' },
};
/** Members of an update by which types of its channel differ: where the type says the value, it is that. */
const TELLING = ['status', 'notice', 'event'] as const;

const updateNameOf = (channel: EventChannel): string => typeNameOf(`update.${channel}`);
const schemaNameOf = (channel: EventChannel): string => typeNameOf(`event.${channel}`);

/**
 * Beside those of the operations: a schema for the events of each channel. `operations` answer the records: `data` is the record with the
 * update over it, or, where the record is gone, the update alone.
 */
export function eventSchemas(operations: readonly AnyOperation[], schemas: NamedSchemas): Record<string, JsonSchema> {
  const records = new Map(operations.map(({ id, success }) => [id, success.schema]));
  const shared = schemas.reference(envelope, 'output', 'WebhookEvent', ENVELOPE);
  const ofChannel = (channel: TypedChannel) => {
    const { access, record, data: update } = CHANNELS[channel];
    const types = ENTRIES.filter(([, entry]) => entry.channel === channel).map(([type]) => type);
    const own = schemas.reference(opened(update), 'output', updateNameOf(channel), undefined);
    const read = record === null ? undefined : records.get(record);
    const whole = read && schemas.reference(read, 'output', record ?? '', undefined);
    const data =
      whole === undefined ? own : { anyOf: [{ allOf: [whole, own] }, { ...own, unevaluatedProperties: false }] };
    const schema = {
      description:
        access === null
          ? 'For every credential'
          : `For credentials with scope \`${access.scope}\` and role \`${access.role}\``,
      allOf: [shared, { type: 'object', properties: { type: { enum: types }, data }, required: ['data'] }],
    };
    return [schemaNameOf(channel), schema] as const;
  };
  return Object.fromEntries((Object.keys(CHANNELS) as EventChannel[]).filter(isTyped).map(ofChannel));
}

/** As answers are. What the update leaves out is the record's: null where nothing is. */
const opened = ({ shape }: z.ZodObject): z.ZodObject =>
  z.object(
    Object.fromEntries(
      Object.entries(shape).map(([name, one]) => [name, one instanceof z.ZodOptional ? one.nullable() : one]),
    ),
  );

/** Of the channel's, those of one type. */
function schemaOf(type: string, { channel, example }: EventTypeEntry): JsonSchema {
  const update: Readonly<Record<string, unknown>> = example;
  const telling = TELLING.filter((member) => update[member] === type.split('.')[1]);
  const told = Object.fromEntries(telling.map((member) => [member, { const: update[member] }]));
  const own = { $ref: SCHEMAS + updateNameOf(channel) };
  const data = { ...own, ...(telling.length > 0 && { properties: told }), examples: [example] };
  const properties = { type: { const: type }, data };
  return { allOf: [{ $ref: SCHEMAS + schemaNameOf(channel) }, { properties }] };
}

export const eventWebhooks = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    ENTRIES.map(([type, entry]) => {
      const content = { schema: schemaOf(type, entry) };
      const post = {
        ...{ operationId: `event.${type}`, summary: entry.summary, tags: ['Webhooks'], security: [] },
        requestBody: { content: { 'application/json': content } },
        responses: RESPONSES,
      };
      return [type, { post }] as const;
    }),
  );
