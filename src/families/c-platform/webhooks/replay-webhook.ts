import { operation } from '../../../hooks/operation.ts';
import type { WebhookService } from '../../../services/webhooks/webhook-service.ts';
import { webhook, webhookExample } from './webhook-answer.ts';
import { replayBody, webhookParams } from './webhook-fields.ts';

export const replayWebhook = (webhooks: WebhookService) =>
  operation({
    id: 'webhook.replay',
    family: 'c',
    method: 'POST',
    path: '/api/v1/webhooks/{webhook_id}/replay',
    summary: 'Deliver again what came after a place',
    description:
      'Sets the cursor back: all events after it are delivered again, in order and with the same `webhook-id`s, before any new one. Events ' +
      'are kept for 30 days.',
    tag: 'Webhooks',
    effect: 'write',
    changesRules: false,
    access: { scope: 'webhooks:write', role: 'operator' },
    params: webhookParams,
    body: replayBody,
    success: { status: 200, answer: webhook, description: 'The webhook, its cursor set back' },
    errors: ['not_found', 'forbidden', 'state_conflict', 'invalid_value'],
    example: {
      params: { webhook_id: webhookExample.webhook_id },
      body: { since: '2026-11-20T10:00:00Z' },
      response: webhookExample,
    },
    run: ({ params, body }, context) => {
      const { after_seq: afterSeq, since } = body;
      const from = afterSeq === undefined ? { since: Date.parse(since!) } : { afterSeq: BigInt(afterSeq) };
      return webhooks.replay(params.webhook_id, from, context);
    },
  });
