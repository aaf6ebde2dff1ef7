import { operation } from '../../../hooks/operation.ts';
import type { WebhookService } from '../../../services/webhooks/webhook-service.ts';
import { webhookDelivery, webhookDeliveryExample, webhookExample } from './webhook-answer.ts';
import { deliveryParams } from './webhook-fields.ts';

export const redeliverWebhookDelivery = (webhooks: WebhookService) =>
  operation({
    id: 'webhook-delivery.redeliver',
    family: 'c',
    method: 'POST',
    path: '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    summary: 'Send an event again, now',
    description:
      'With the same `webhook-id`, and the record as it is now. The cursor and the times of further tries stay as they are.',
    tag: 'Webhooks',
    effect: 'write',
    changesRules: false,
    access: { scope: 'webhooks:write', role: 'operator' },
    params: deliveryParams,
    success: { status: 200, answer: webhookDelivery, description: 'The delivery, and how this attempt went' },
    errors: ['not_found', 'forbidden', 'state_conflict', 'unavailable'],
    example: {
      params: { webhook_id: webhookExample.webhook_id, delivery_id: webhookDeliveryExample.delivery_id },
      response: { ...webhookDeliveryExample, attempts: 2 },
    },
    run: ({ params }, context) =>
      webhooks.redeliver({ webhookId: params.webhook_id, deliveryId: params.delivery_id }, context),
  });
