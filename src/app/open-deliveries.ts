/** What goes out to others: records to a SIEM, webhooks, what phones fetch, notifications. */

import type { SendMail } from '../engines/mailing/mailing.ts';
import { createSending } from '../engines/sending/create-sending.ts';
import type { Sending } from '../engines/sending/sending.ts';
import type { AuditServices } from '../services/audit/index.ts';
import { sharedAnswer } from '../services/blockchain/shared-answer.ts';
import { connectionSeries } from '../services/connections/connection-series.ts';
import { createConnections } from '../services/connections/index.ts';
import { createMobile } from '../services/mobile/index.ts';
import { notificationSeries } from '../services/notifications/notification-series.ts';
import type { KeyProvider } from '../services/secrets/key-provider.ts';
import type { SecretBox } from '../services/secrets/secret-box.ts';
import { openServiceKey } from '../services/secrets/service-key.ts';
import { createWebhooks } from '../services/webhooks/index.ts';
import { webhookSeries } from '../services/webhooks/webhook-series.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './app-context.ts';
import { createEventRecords, createSyncRecords } from './event-records.ts';
import { openNotifications } from './open-notifications.ts';

type Records = Omit<Parameters<typeof createSyncRecords>[0] & Parameters<typeof createEventRecords>[0], 'log'>;

export async function openDeliveries(
  context: AppContext,
  store: Store,
  keyProvider: KeyProvider,
  parts: Records & { box: SecretBox; audit: AuditServices; sendMail: SendMail | null },
) {
  const { config, clock, log, randomBytes, background } = context;
  const { network, signaturePolicy, emailDomains } = config;
  const serviceKey = (purpose: string) => openServiceKey({ store, provider: keyProvider, randomBytes }, purpose);
  const sending: Sending = createSending({ allowedNetworks: config.outboundAllowedNetworks });
  const base = { ...parts, store, network, clock, log, randomBytes, sending };
  const { connections, deliveries } = createConnections({
    ...base,
    hostname: new URL(config.publicOrigins[0] ?? 'http://localhost').hostname,
  });
  const webhooks = createWebhooks({
    ...base,
    secretsKey: await serviceKey('webhook secrets'),
    signingKey: await serviceKey('webhook signatures'),
    records: createEventRecords(base),
  });
  const mobile = createMobile({
    ...base,
    cursorKey: await serviceKey('sync cursors'),
    records: createSyncRecords(base),
  });
  const notifications = await openNotifications(
    { ...base, keyProvider, signaturePolicy, contact: config.pushContact },
    { ...webhooks, devices: mobile.devices },
    { sendMail: parts.sendMail, emailDomains, keptMs: config.notificationHistoryDays * 86_400_000 },
  );
  background.add(deliveries.worker, webhooks.worker, ...notifications.workers);
  for (const { sweep } of [webhooks, notifications, mobile.devices]) background.sweep(sweep);
  context.metrics.add(
    connectionSeries({
      clock,
      connections: sharedAnswer(() => store.read.connections.overall(), clock),
      deliveries: deliveries.counts,
    }),
    webhookSeries({ ...webhooks.series, webhooks: sharedAnswer(() => store.read.webhooks.overall(), clock) }),
    notificationSeries(notifications.series),
  );
  return {
    onNumbered(): void {
      webhooks.worker.wake();
      notifications.onNumbered();
    },
    services: {
      connections,
      webhooks: webhooks.webhooks,
      webhookKeys: webhooks.keys,
      preferences: notifications.preferences,
      notificationRules: notifications.rules,
      notifications: notifications.notifications,
      notificationTemplates: notifications.templates,
      mobile,
    },
  };
}
