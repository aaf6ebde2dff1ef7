import { operation } from '../../../hooks/operation.ts';
import type { WebhookService } from '../../../services/webhooks/webhook-service.ts';
import { webhook, webhookExample } from './webhook-answer.ts';
import { webhookParams } from './webhook-fields.ts';

export const getWebhook = (webhooks: WebhookService) =>
  operation({
    id: 'webhook.get',
    family: 'c',
    method: 'GET',
    path: '/api/v1/webhooks/{webhook_id}',
    summary: 'A webhook, and how its deliveries go',
    tag: 'Webhooks',
    effect: 'read',
    access: { scope: 'webhooks:read', role: 'viewer' },
    params: webhookParams,
    success: { status: 200, answer: webhook, description: 'The webhook; never its secret' },
    errors: ['not_found'],
    example: { params: { webhook_id: webhookExample.webhook_id }, response: webhookExample },
    run: ({ params }, context) => webhooks.get(params.webhook_id, context),
  });
