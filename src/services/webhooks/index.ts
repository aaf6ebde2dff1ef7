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
  /** Of the service, 32 bytes each: encrypts what each webhook is signed with; what accounts' keys are derived from. */
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
    worker: dispatcher.worker,
    series: { deliveries: delivering.counts, lagMs: dispatcher.lagMs },
  };
}
