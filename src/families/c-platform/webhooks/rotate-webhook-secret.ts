import { operation } from '../../../hooks/operation.ts';
import type { WebhookService } from '../../../services/webhooks/webhook-service.ts';
import { webhookWithSecret, webhookWithSecretExample } from './webhook-answer.ts';
import { webhookParams } from './webhook-fields.ts';

export const rotateWebhookSecret = (webhooks: WebhookService) =>
  operation({
    id: 'webhook-secret.rotate',
    family: 'c',
    method: 'POST',
    path: '/api/v1/webhooks/{webhook_id}/rotate-secret',
    summary: 'Give a webhook another secret',
    description: 'Deliveries carry a signature by each of the two for 24 hours, by the new one alone after that.',
    tag: 'Webhooks',
    effect: 'write',
    changesRules: false,
    access: { scope: 'webhooks:write', role: 'operator' },
    secretAnswer: true,
    params: webhookParams,
    success: { status: 200, answer: webhookWithSecret, description: 'The webhook and its new secret' },
    errors: ['not_found', 'forbidden', 'state_conflict'],
    example: { params: { webhook_id: webhookWithSecretExample.webhook_id }, response: webhookWithSecretExample },
    run: ({ params }, context) => webhooks.rotateSecret(params.webhook_id, context),
  });
