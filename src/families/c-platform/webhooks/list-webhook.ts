import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { WebhookService } from '../../../services/webhooks/webhook-service.ts';
import { pageExample, paginated } from '../../answer.ts';
import { pageQuery } from '../../fields.ts';
import { pageOf } from '../../optional-values.ts';
import { webhook, webhookExample } from './webhook-answer.ts';

export const listWebhook = (webhooks: WebhookService) =>
  operation({
    id: 'webhook.list',
    family: 'c',
    method: 'GET',
    path: '/api/v1/webhooks',
    summary: "The account's webhooks",
    tag: 'Webhooks',
    effect: 'read',
    access: { scope: 'webhooks:read', role: 'viewer' },
    query: z.strictObject(pageQuery),
    success: { status: 200, answer: paginated(webhook), description: 'A page of webhooks, newest first' },
    example: { query: { limit: '20' }, response: pageExample(webhookExample) },
    run: ({ query }, context) => webhooks.list(pageOf(query), context),
  });
