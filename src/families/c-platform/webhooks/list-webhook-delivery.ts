import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WebhookService } from '../../../services/webhooks/webhook-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { webhookDelivery, webhookDeliveryExample, webhookExample } from './webhook-answer.ts';
import { webhookParams } from './webhook-fields.ts';

export const listWebhookDelivery = (webhooks: WebhookService) =>
  operation({
    id: 'webhook-delivery.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/webhooks/{webhook_id}/deliveries',
    summary: 'What a webhook was sent, and what it answered',
    description: 'The last 1,000 events, each with its last attempt: those of types that this credential may read.',
    tag: 'Webhooks',
    effect: 'read',
    access: { scope: 'webhooks:read', role: 'viewer' },
    params: webhookParams,
    query: z.strictObject({ ...pageQuery, status: z.enum(['delivered', 'failed']).optional() }),
    success: { status: 200, answer: paginated(webhookDelivery), description: 'A page of deliveries, newest first' },
    errors: ['not_found'],
    example: { params: { webhook_id: webhookExample.webhook_id }, response: pageExample(webhookDeliveryExample) },
    run: ({ params, query: { status, ...page } }, context) =>
      webhooks.deliveries(params.webhook_id, status, pageOf(page), context),
  });
