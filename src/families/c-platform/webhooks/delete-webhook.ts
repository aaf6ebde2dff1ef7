import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WebhookService } from '../../../services/webhooks/webhook-service.ts';
import { webhookExample } from './webhook-answer.ts';
import { webhookParams } from './webhook-fields.ts';

export const deleteWebhook = (webhooks: WebhookService) =>
  operation({
    id: 'webhook.delete',
    family: 'c',
    method: 'DELETE',
    path: '/api/v1/webhooks/{webhook_id}',
    summary: 'End a webhook',
    description: 'Nothing more is delivered; its secret and the history of its deliveries are deleted.',
    tag: 'Webhooks',
    effect: 'write',
    changesRules: false,
    access: { scope: 'webhooks:write', role: 'operator' },
    params: webhookParams,
    success: { status: 204, schema: z.undefined(), description: 'Deleted' },
    errors: ['not_found', 'forbidden'],
    example: { params: { webhook_id: webhookExample.webhook_id } },
    run: async ({ params }, context): Promise<null> => {
      await webhooks.delete(params.webhook_id, context);
      return null;
    },
    present: () => undefined,
  });
