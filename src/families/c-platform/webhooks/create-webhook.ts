import { operation } from '../../../hooks/operation.ts';
import type { WebhookService } from '../../../services/webhooks/webhook-service.ts';
import { webhookWithSecret, webhookWithSecretExample } from './webhook-answer.ts';
import { newWebhookBody } from './webhook-fields.ts';

export const createWebhook = (webhooks: WebhookService) =>
  operation({
    id: 'webhook.create',
    family: 'c',
    method: 'POST',
    path: '/api/v1/webhooks',
    summary: 'Have events POSTed to a URL',
    description:
      'From now on, signed as Standard Webhooks has it, for as long as the credential that asks here may read them. The secret is shown ' +
      'once. See [webhooks](/docs/webhooks).',
    tag: 'Webhooks',
    effect: 'write',
    changesRules: false,
    access: { scope: 'webhooks:write', role: 'operator' },
    secretAnswer: true,
    body: newWebhookBody,
    success: { status: 201, answer: webhookWithSecret, description: 'The webhook and its secret' },
    errors: ['invalid_value', 'policy_refused', 'forbidden'],
    example: {
      body: { url: webhookWithSecretExample.url, events: webhookWithSecretExample.events, description: 'orders' },
      response: webhookWithSecretExample,
    },
    run: ({ body }, context) => webhooks.create(body, context),
  });
