import type { Logger } from 'pino';
import type { Sending } from '../../engines/sending/sending.ts';
import { inBatches } from '../../scheduling/in-batches.ts';
import { createTurns } from '../../scheduling/turns.ts';
import type { WebhookRecord } from '../../store/repositories/webhooks.ts';
import type { Store } from '../../store/store.ts';
import { createDeliverEvents } from './deliver-events.ts';
import { createDispatcher, type Listener, type Listeners, STEPS_IN_A_TURN } from './dispatcher.ts';
import { createSendWebhook } from './send-webhook.ts';
import { createWebhookKeys } from './webhook-keys.ts';
import { createWebhookMessages, type EventRecords } from './webhook-messages.ts';
import { typesOf } from './webhook-rights.ts';
import { createWebhookService } from './webhook-service.ts';

const listener = (webhook: WebhookRecord): Listener => ({
  ...{ key: webhook.webhookId, accountId: webhook.accountId, host: new URL(webhook.url).host },
  isFailing: webhook.failures > 0,
  types: typesOf(webhook),
});

/** Deliveries are kept as long as events, which redelivery needs; so many are deleted in one job. */
const KEPT_MS = 30 * 24 * 3_600_000;
const SWEPT = 500;

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
  const turn = createTurns(STEPS_IN_A_TURN);
  const send = createSendWebhook({ ...deps, keys, turn });
  const delivering = createDeliverEvents({ random: Math.random, ...deps, messages, keys, send });
  const { store, clock } = deps;
  const { read } = store;
  const listeners: Listeners = {
    name: 'webhooks',
    reading: { failed: 'events for webhooks could not be read', recovered: 'events for webhooks are read again' },
    storing: { began: 'webhook deliveries could not be stored', ended: 'webhook deliveries are stored again' },
    listening: async (accountId) => (await read.webhooks.listening(accountId)).map(listener),
    readingBlocks: async (after, limit) => (await read.webhooks.readingBlocks(after, limit)).map(listener),
    due: async (now, limit) => (await read.webhooks.due(now, limit)).map(listener),
    async bringForward(tx, now) {
      await tx.webhooks.bringForward(now);
      await tx.webhookDeliveries.bringForward(now);
    },
    perform: ({ key: webhookId, accountId }, { seen }, signal) =>
      delivering.deliver({ webhookId, accountId }, seen, signal),
  };
  const dispatcher = createDispatcher({ ...deps, listeners, turn });
  const webhooks = createWebhookService({ ...deps, keys, messages, send, onChanged: () => dispatcher.worker.wake() });
  return {
    webhooks,
    keys,
    messages,
    send,
    worker: dispatcher.worker,
    sweep: (): Promise<number> =>
      inBatches(SWEPT, () => store.write((tx) => tx.webhookDeliveries.deleteEnded(clock() - KEPT_MS, SWEPT))),
    series: { deliveries: delivering.counts, lagMs: dispatcher.lagMs },
  };
}
