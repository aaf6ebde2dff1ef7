import type { Logger } from 'pino';
import { dayOf } from '../../core/notifications/notification.ts';
import type { SendMail } from '../../engines/mailing/mailing.ts';
import { inBatches } from '../../scheduling/in-batches.ts';
import type { Store } from '../../store/store.ts';
import type { SendWebhook } from '../webhooks/send-webhook.ts';
import type { WebhookKeys } from '../webhooks/webhook-keys.ts';
import type { WebhookMessages } from '../webhooks/webhook-messages.ts';
import type { Channel } from './channels/channel.ts';
import { createEmail } from './channels/email.ts';
import { createInApp } from './channels/in-app.ts';
import { createWebhookChannel } from './channels/webhook.ts';
import { createDelivering } from './delivering.ts';
import { createEnqueue } from './enqueue.ts';
import { createNotificationService } from './notification-service.ts';
import { createAssertReachable } from './recipients.ts';
import { createTemplates } from './template-service.ts';

/** Rows that are deleted in one job. */
const SWEPT = 500;

export function createNotifications(deps: {
  store: Store;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  /** null: e-mail is not configured. */
  sendMail: SendMail | null;
  emailDomains: readonly string[];
  messages: WebhookMessages;
  keys: WebhookKeys;
  send: SendWebhook;
  random?: () => number;
  push: Channel;
  log: Pick<Logger, 'info' | 'warn'>;
  roundMs?: number;
  /** How long what has ended is kept. */
  keptMs: number;
}) {
  const { store, clock, keptMs } = deps;
  const { read } = store;
  const email = createEmail({ ...deps, read, domains: deps.emailDomains });
  const channels = [createInApp(read), deps.push, email, createWebhookChannel({ ...deps, read })];
  const assertReachable = createAssertReachable(channels);
  const enqueue = createEnqueue(deps);
  const { worker, series } = createDelivering({ random: Math.random, ...deps, channels });
  const onQueued = (): void => worker.wake();
  const notifications = createNotificationService({ ...deps, channels, assertReachable, enqueue, onQueued });
  const sweep = async (): Promise<number> =>
    (await store.write((tx) => tx.notificationDays.deleteBefore(dayOf(clock()) - 1))) +
    (await inBatches(SWEPT, () => store.write((tx) => tx.notifications.deleteEnded(clock() - keptMs, SWEPT))));
  const templates = createTemplates(deps);
  const made = { notifications, templates, assertReachable, enqueue, onQueued, worker, sweep };
  return { ...made, series: { ...series, mailFails: email.isFailing } };
}
