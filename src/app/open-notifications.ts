/** Notifications with their channels, rules and preferences. */
import type { Logger } from 'pino';
import type { Sending } from '../engines/sending/sending.ts';
import type { Devices } from '../services/mobile/devices.ts';
import { createPushChannel } from '../services/notifications/channels/push.ts';
import { createNotifications } from '../services/notifications/index.ts';
import { createPreferences } from '../services/notifications/preferences.ts';
import { createSendPush } from '../services/notifications/push/send-push.ts';
import { createSubscriptions } from '../services/notifications/push/subscriptions.ts';
import { vapidKeysOf } from '../services/notifications/push/vapid.ts';
import { createRules } from '../services/notifications/rules/index.ts';
import type { KeyProvider } from '../services/secrets/key-provider.ts';
import { openServiceKey } from '../services/secrets/service-key.ts';
import type { SendWebhook } from '../services/webhooks/send-webhook.ts';
import type { WebhookKeys } from '../services/webhooks/webhook-keys.ts';
import type { WebhookMessages } from '../services/webhooks/webhook-messages.ts';
import type { Store } from '../store/store.ts';

export async function openNotifications(
  base: {
    store: Store;
    sending: Sending;
    keyProvider: KeyProvider;
    signaturePolicy: 'required' | 'per-key';
    /** Whom push services write to; null: no push messages. */
    contact: string | null;
    clock: () => number;
    randomBytes: (size: number) => Uint8Array;
    log: Logger;
  },
  {
    messages,
    keys,
    send: sendWebhook,
    devices,
  }: { messages: WebhookMessages; keys: WebhookKeys; send: SendWebhook; devices: Devices },
  mail: Pick<Parameters<typeof createNotifications>[0], 'sendMail' | 'emailDomains' | 'keptMs'>,
) {
  const { store, keyProvider: provider, randomBytes, sending, contact } = base;
  const serviceKey = (purpose: string) => openServiceKey({ store, provider, randomBytes }, purpose);
  const vapidKeys = vapidKeysOf(await serviceKey('push messages'));
  const subscriptions = createSubscriptions({ ...base, subscriptionKey: await serviceKey('push subscriptions') });
  const send = contact === null ? null : createSendPush({ sending, keys: vapidKeys, contact });
  const push = createPushChannel({ ...base, subscriptions, send });
  const { notifications, templates, assertReachable, enqueue, onQueued, worker, series, sweep } = createNotifications({
    ...{ ...base, ...mail, messages, keys, send: sendWebhook },
    push: push.channel,
  });
  const rules = createRules({ ...base, messages, keys, enqueue, onQueued, assertReachable, hasPush: push.hasPush });
  return {
    notifications,
    templates,
    rules: rules.rules,
    preferences: createPreferences({ ...base, pushPublicKey: vapidKeys.publicKey, subscriptions, devices }),
    workers: [worker, rules.worker],
    series: { ...series, rulesLagMs: rules.lagMs },
    sweep,
    onNumbered: () => rules.worker.wake(),
  };
}
