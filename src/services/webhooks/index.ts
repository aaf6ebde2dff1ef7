import type { Logger } from 'pino';
import type { Sending } from '../../engines/sending/sending.ts';
import type { Store } from '../../store/store.ts';
import { createDeliverEvents } from './deliver-events.ts';
import { createDispatcher } from './dispatcher.ts';
import { createSendWebhook } from './send-webhook.ts';
import { createWebhookKeys } from './webhook-keys.ts';
import { createWebhookMessages, type EventRecords } from './webhook-messages.ts';
import { createWebhookService } from './webhook-service.ts';

export function createWebhooks(deps: {
  store: Store;
  sending: Sending;
  /** Keys of the service, 32 bytes each: one encrypts the webhooks' secrets, the accounts' signing keys are derived from the other. */
  secretsKey: Uint8Array;
  signingKey: Uint8Array;
  records: EventRecords;
  network: string;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
  random?: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
  timeoutMs?: number;
  roundMs?: number;
}) {
  const keys = createWebhookKeys(deps);
  const messages = createWebhookMessages(deps);
  const send = createSendWebhook({ ...deps, keys });
  const delivering = createDeliverEvents({ random: Math.random, ...deps, messages, send });
  const dispatcher = createDispatcher({ ...deps, deliver: delivering.deliver });
  const webhooks = createWebhookService({ ...deps, keys, messages, send, onChanged: () => dispatcher.worker.wake() });
  return {
    webhooks,
    keys,
    messages,
    send,
    worker: dispatcher.worker,
    series: { deliveries: delivering.counts, lagMs: dispatcher.lagMs },
  };
}
