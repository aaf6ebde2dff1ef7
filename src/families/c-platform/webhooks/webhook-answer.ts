/** What a webhook, its deliveries and their attempts look like on the wire. */
import { z } from 'zod';
import type { WebhookDelivery, WebhookView } from '../../../services/webhooks/webhook-service.ts';
import { answer, time } from '../../answer.ts';

const webhookShape = {
  webhook_id: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  events: z.array(z.string()).meta({ description: 'Types of events, and patterns such as transaction.* or *' }),
  wallets: z.array(z.string()).nullable(),
  ordered: z.boolean(),
  enabled: z.boolean(),
  status: z.enum(['active', 'failing', 'disabled']).meta({ description: 'failing: it is tried again by itself' }),
  disabled_reason: z.string().nullable().meta({ description: 'Why the service disabled it; null where a person did' }),
  made_by: z
    .object({ kind: z.enum(['api_key', 'oauth_client', 'person']), id: z.string() })
    .meta({ description: 'Who set it up last: what is delivered is what that credential may read' }),
  delivered_seq: z.int().meta({ description: 'The cursor: all events up to this seq were delivered' }),
  failures: z.int().meta({ description: 'In a row' }),
  failing_since: time.nullable(),
  last_error: z.string().nullable(),
  last_error_at: time.nullable(),
  last_delivered_at: time.nullable(),
  next_try_at: time.nullable().meta({ description: 'null where nothing waits' }),
  public_key: z.string().meta({ description: "The account's key, of the signatures `v1a`" }),
  kid: z.string().meta({ description: 'Of that key, as /.well-known/webhook-keys.json names it: pin it' }),
  created_at: time,
  updated_at: time,
};

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

const computed = ({ makerKind, makerId, deliveredSeq, nextAt }: WebhookView) => ({
  made_by: { kind: makerKind, id: makerId },
  delivered_seq: Number(deliveredSeq),
  next_try_at: iso(nextAt),
});

export const webhook = answer('Webhook', webhookShape, computed);

export const webhookWithSecret = answer(
  'WebhookWithSecret',
  {
    ...webhookShape,
    secret: z.string().meta({ description: 'Of the signatures `v1`, `whsec_` and 32 bytes in base64: shown once' }),
  },
  computed,
);

const attemptShape = {
  http_status: z.int().nullable().meta({ description: 'null: there was no answer' }),
  latency_ms: z.int(),
  error: z.string().nullable().meta({ description: 'Why it failed' }),
  answer: z.string().nullable().meta({
    description: 'The first 4 KiB of what the endpoint answered; null where only OUTBOUND_ALLOWED_NETWORKS opens it',
  }),
  attempted_at: time,
};

export const webhookAttempt = answer('WebhookAttempt', { delivered: z.boolean(), ...attemptShape });

export const webhookDelivery = answer(
  'WebhookDelivery',
  {
    delivery_id: z.string().meta({ description: 'The `webhook-id` that the endpoint gets' }),
    seq: z.int(),
    type: z.string(),
    status: z.enum(['delivered', 'failed']).meta({ description: 'Of the last attempt, as is what follows' }),
    attempts: z.int(),
    ...attemptShape,
    next_try_at: time.nullable().meta({ description: 'Of an unordered webhook; an ordered one says it itself' }),
    created_at: time,
  },
  ({ seq, nextAt }: WebhookDelivery) => ({ seq: Number(seq), next_try_at: iso(nextAt) }),
);

const at = '2026-11-20T10:00:00.000Z';

export const webhookExample = {
  webhook_id: 'whk_5nQe8Rk2TzWm1YbX4vLpJd',
  url: 'https://shop.example.com/ashlar',
  description: 'orders',
  events: ['transaction.*', 'deposit.detected'],
  wallets: null,
  ordered: true,
  enabled: true,
  status: 'active' as const,
  disabled_reason: null,
  made_by: { kind: 'api_key' as const, id: 'key_8sKd2LmQ9vXcT4yHn6PzRa' },
  delivered_seq: 4_211,
  failures: 0,
  failing_since: null,
  last_error: null,
  last_error_at: null,
  last_delivered_at: at,
  next_try_at: null,
  public_key: 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  created_at: at,
  updated_at: at,
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
export const webhookWithSecretExample = { ...webhookExample, secret };

const attemptExample = { http_status: 200, latency_ms: 41, error: null, answer: 'ok', attempted_at: at };
export const webhookAttemptExample = { delivered: true, ...attemptExample };
export const webhookDeliveryExample = {
  ...{ delivery_id: 'msg_8sKd2LmQ9vXcT4yHn6PzRa', seq: 4_211, type: 'transaction.confirmed' },
  ...{ status: 'delivered' as const, attempts: 1, ...attemptExample, next_try_at: null, created_at: at },
};
