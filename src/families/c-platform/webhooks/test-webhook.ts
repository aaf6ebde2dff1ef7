import { operation } from '../../../hooks/operation.ts';
import type { WebhookService } from '../../../services/webhooks/webhook-service.ts';
import { webhookAttempt, webhookAttemptExample, webhookExample } from './webhook-answer.ts';
import { webhookParams } from './webhook-fields.ts';

export const testWebhook = (webhooks: WebhookService) =>
  operation({
    id: 'webhook.test',
    family: 'c',
    method: 'POST',
    path: '/api/v1/webhooks/{webhook_id}/test',
    summary: 'Send an endpoint a webhook.test event, now',
    description:
      'Signed as every other; its `seq` is null. The cursor and the deliveries stay as they are, however it goes.',
    tag: 'Webhooks',
    effect: 'write',
    changesRules: false,
    access: { scope: 'webhooks:write', role: 'operator' },
    params: webhookParams,
    success: { status: 200, answer: webhookAttempt, description: 'How it went' },
    errors: ['not_found', 'forbidden', 'state_conflict', 'unavailable'],
    example: { params: { webhook_id: webhookExample.webhook_id }, response: webhookAttemptExample },
    run: ({ params }, context) => webhooks.test(params.webhook_id, context),
  });
