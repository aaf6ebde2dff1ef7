import { operation } from '../../../hooks/operation.ts';
import type { WebhookService } from '../../../services/webhooks/webhook-service.ts';
import { omitUndefined } from '../../optional-values.ts';
import { webhook, webhookExample } from './webhook-answer.ts';
import { changedWebhookBody, webhookParams } from './webhook-fields.ts';

export const updateWebhook = (webhooks: WebhookService) =>
  operation({
    id: 'webhook.update',
    family: 'c',
    method: 'PATCH',
    path: '/api/v1/webhooks/{webhook_id}',
    summary: 'Change a webhook, disable it, or let it go on',
    description:
      'With `enabled: true` it goes on at its cursor, and what failed is tried again at once. Deliveries go on depending on the credential ' +
      'that set it up (`made_by`); the one that asks must be able to read all that the webhook delivers.',
    tag: 'Webhooks',
    effect: 'write',
    changesRules: false,
    access: { scope: 'webhooks:write', role: 'operator' },
    params: webhookParams,
    body: changedWebhookBody,
    success: { status: 200, answer: webhook, description: 'The webhook' },
    errors: ['not_found', 'invalid_value', 'forbidden', 'state_conflict'],
    example: {
      params: { webhook_id: webhookExample.webhook_id },
      body: { enabled: true },
      response: webhookExample,
    },
    run: ({ params, body }, context) => webhooks.update(params.webhook_id, omitUndefined(body), context),
  });
