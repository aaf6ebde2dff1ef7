/** To one of the account's own webhooks, signed as its events are; beside them, not in their order. */
import { DomainError } from '../../../core/errors.ts';
import { deliveryIdOf } from '../../../core/webhooks/delivery.ts';
import type { NotificationRecord } from '../../../store/repositories/notifications.ts';
import type { WebhookRecord } from '../../../store/repositories/webhooks.ts';
import type { Repositories } from '../../../store/store.ts';
import { rightsNow } from '../../connections/may-read.ts';
import { GONE, type SendWebhook } from '../../webhooks/send-webhook.ts';
import type { WebhookKeys } from '../../webhooks/webhook-keys.ts';
import type { WebhookMessages } from '../../webhooks/webhook-messages.ts';
import { assertDelivers, assertMayChange, deliverable, unreadableType } from '../../webhooks/webhook-rights.ts';
import { type Channel, refusedFor } from './channel.ts';

export function createWebhookChannel(deps: {
  read: Pick<Repositories, 'webhooks' | 'accounts' | 'apiKeys' | 'oauthClients' | 'users'>;
  messages: Pick<WebhookMessages, 'standalone'>;
  keys: Pick<WebhookKeys, 'secretHolder'>;
  send: SendWebhook;
  clock: () => number;
}): Channel {
  const { read, messages, keys, send, clock } = deps;

  /** As when it was sent: a lesser credential has no webhook of a greater one sign. Of the service nothing is asked. */
  async function beyondSender(webhook: WebhookRecord, { accountId, makerKind, makerId }: NotificationRecord) {
    if (makerKind === 'service') return null;
    const rights = await rightsNow(read, { accountId, makerKind, makerId }, clock());
    const beyond = rights && unreadableType(webhook, rights);
    return beyond ? `${makerId}, which sent it, may not read ${beyond}, which the webhook delivers, any more` : null;
  }

  return {
    name: 'webhook',
    haveOwnServers: true,
    configured: () => true,
    needs: '',
    /** Who sends must be allowed to have the webhook sign: as for its test. */
    async assertReaches(from, { id }, { accountId, credential }) {
      const webhook = await from.webhooks.find(accountId, id);
      if (webhook === null) return;
      await assertMayChange(from, webhook, credential, clock());
      await assertDelivers('to.webhook_id', from, webhook, clock(), keys.secretHolder(webhook));
      if (webhook.enabled) return;
      throw new DomainError('state_conflict', 'the webhook is disabled: enable it first', { field: 'to.webhook_id' });
    },
    async deliver({ notification, recipient }, signal) {
      const { accountId, notificationId, subject, body, html, templateId, externalId, createdAt } = notification;
      const webhook = await read.webhooks.find(accountId, recipient);
      if (webhook === null) return refusedFor('the webhook was deleted');
      if (!webhook.enabled) return refusedFor('the webhook is disabled');
      const may = await deliverable(read, webhook, clock(), keys.secretHolder(webhook));
      if ('reason' in may) return refusedFor(may.reason);
      const refusal = await beyondSender(webhook, notification);
      if (refusal !== null) return refusedFor(refusal);
      const message = messages.standalone(webhook, deliveryIdOf(recipient, notificationId), {
        ...{ type: 'notification.sent', at: createdAt },
        data: {
          ...{ notification_id: notificationId, subject, body, html, data: notification.data },
          ...{ template_id: templateId, external_id: externalId },
        },
      });
      const { delivered, httpStatus, error } = await send(webhook, message, signal);
      // The process ends, and nobody knows what the endpoint would have said.
      if (!delivered && signal.aborted) throw signal.reason;
      const code = httpStatus === null ? null : String(httpStatus);
      return delivered
        ? { delivered, code }
        : { delivered, code, error: error ?? 'the endpoint did not take it', isFinal: httpStatus === GONE };
    },
  };
}
