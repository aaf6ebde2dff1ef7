/** A connection of type `webhook` is the webhook that POST /webhooks makes, by whoever may make one there. */
import { z } from 'zod';
import { DomainError } from '../../../../core/errors.ts';
import { authorize } from '../../../../hooks/credentials/authorization.ts';
import type { ConnectionView } from '../../../../services/connections/connection-service.ts';
import type { RequestContext } from '../../../../services/requests/request-context.ts';
import type { NewWebhook, WebhookService, WebhookWithSecret } from '../../../../services/webhooks/webhook-service.ts';
import { createWebhook } from '../../webhooks/create-webhook.ts';
import { webhookWithSecret } from '../../webhooks/webhook-answer.ts';
import { triedConnection } from './connection-answer.ts';

export const connected = {
  schema: z.union([triedConnection.schema, webhookWithSecret.schema]),
  present: (result: ConnectionView | WebhookWithSecret) =>
    'webhookId' in result ? webhookWithSecret.present(result) : triedConnection.present(result),
};

export async function connectWebhook(
  webhooks: WebhookService,
  { name, settings }: { name: string; settings: Omit<NewWebhook, 'description'> },
  context: RequestContext,
): Promise<WebhookWithSecret> {
  // Whether the account is frozen was asked of the request itself.
  authorize({ ...context, accountFrozen: false }, createWebhook(webhooks));
  try {
    return await webhooks.create({ ...settings, description: name }, context);
  } catch (error) {
    const { field } = error instanceof DomainError ? error.details : {};
    throw error instanceof DomainError && field !== undefined ? error.at(`settings.${field}`) : error;
  }
}
