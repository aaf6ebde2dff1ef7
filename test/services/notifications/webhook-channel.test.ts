/** What a webhook of the account signs for whom, judged when it is sent. */
import { expect, it, onTestFinished } from 'vitest';
import { createWebhookChannel } from '../../../src/services/notifications/channels/webhook.ts';
import type { NotificationRecord } from '../../../src/store/repositories/notifications.ts';
import type { WebhookPatch } from '../../../src/store/repositories/webhooks.ts';
import { apiKeyRecord } from '../../builders/store-records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';
import { startReceiver } from '../../builders/webhook-receiver.ts';
import { insertWebhook, startWebhooks, withAccounts } from '../../builders/webhook-world.ts';

it('a webhook signs for a sender who may read what it delivers, as long as that is so, and while it is enabled', async () => {
  const { store, ...sqlite } = await openTemporarySqlite();
  const to = await startReceiver();
  onTestFinished(() => to.close());
  await withAccounts(store, 'acc_one');
  const sender = (keyId: string, scopes: string[]) =>
    store.write((tx) =>
      tx.apiKeys.insert(
        apiKeyRecord({ accountId: 'acc_one', keyId, prefix: keyId.padEnd(8, 'x'), role: 'operator', scopes }),
      ),
    );
  await sender('key_less', ['notifications:write']);
  await sender('key_more', ['*']);
  await insertWebhook(store, 'whk_one', { accountId: 'acc_one', url: to.url, events: ['security.key_created'] });
  const { messages, keys, send } = startWebhooks(store);
  const channel = createWebhookChannel({ read: store.read, messages, keys, send, clock: Date.now });
  const notification: Omit<NotificationRecord, 'makerId'> = {
    ...{ notificationId: 'ntf_one', accountId: 'acc_one', channel: 'webhook', makerKind: 'api_key' },
    ...{ target: { kind: 'webhook', id: 'whk_one' }, subject: 's', body: 'b', html: '', data: null, createdAt: 1 },
    ...{ templateId: null, externalId: null, sendAt: null, waiting: 1, delivered: 0, failed: 0, cancelledAt: null },
  };
  const sent = async (makerId: string) => {
    const outgoing = { notification: { ...notification, makerId }, recipient: 'whk_one' };
    const outcome = await channel.deliver(outgoing, new AbortController().signal);
    return outcome.delivered || outcome.error;
  };
  expect(await sent('key_more')).toBe(true);
  expect(await sent('key_less')).toMatch(/key_less, which sent it, may not read security.key_created/);
  const patch = (change: WebhookPatch) =>
    store.write((tx) => tx.webhooks.update({ accountId: 'acc_one', webhookId: 'whk_one' }, change));
  const kept = (await store.read.webhooks.find('acc_one', 'whk_one'))!;
  await patch(keys.newSecret('whk_one', { makerKind: 'api_key', makerId: 'key_gone' }));
  expect(await sent('key_more')).toMatch(/key_gone, which knows its secret, .* rotate the secret/);
  await patch({ secrets: kept.secrets });
  await patch({ enabled: false });
  expect(await sent('key_more')).toBe('the webhook is disabled');
  await store.write((tx) => tx.webhooks.delete('acc_one', 'whk_one'));
  expect(await sent('key_more')).toBe('the webhook was deleted');
  expect(to.taken).toHaveLength(1);
  onTestFinished(() => sqlite[Symbol.asyncDispose]());
});
