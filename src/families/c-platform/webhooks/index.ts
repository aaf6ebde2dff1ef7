import type { WebhookKeys } from '../../../services/webhooks/webhook-keys.ts';
import type { WebhookService } from '../../../services/webhooks/webhook-service.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getWebhook } from './get-webhook.ts';
import { getWebhookKeySet } from './get-webhook-key-set.ts';
import { listWebhook } from './list-webhook.ts';
import { listWebhookDelivery } from './list-webhook-delivery.ts';
import { redeliverWebhookDelivery } from './redeliver-webhook-delivery.ts';
import { replayWebhook } from './replay-webhook.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { testWebhook } from './test-webhook.ts';
import { updateWebhook } from './update-webhook.ts';

export const webhookOperations = (webhooks: WebhookService, keys: Pick<WebhookKeys, 'published'>) => [
  createWebhook(webhooks),
  listWebhook(webhooks),
  getWebhook(webhooks),
  updateWebhook(webhooks),
  deleteWebhook(webhooks),
  testWebhook(webhooks),
  rotateWebhookSecret(webhooks),
  listWebhookDelivery(webhooks),
  redeliverWebhookDelivery(webhooks),
  replayWebhook(webhooks),
  getWebhookKeySet(keys),
];
