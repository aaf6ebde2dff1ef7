/** Webhooks: created, shown, changed, tested and deleted by requests. */
import { DomainError } from '../../core/errors.ts';
import { EVENT_TYPE_NAMES, EVENT_TYPES, mayReadEvent } from '../../core/events/event-types.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import type { Sending } from '../../engines/sending/sending.ts';
import { createFairQueue } from '../../scheduling/fair-queue.ts';
import type { Page, PageRequest, WalletId } from '../../store/records.ts';
import type { WebhookDelivery } from '../../store/repositories/webhook-deliveries.ts';
import type { WebhookPatch, WebhookRecord } from '../../store/repositories/webhooks.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { deliveryOf } from './deliver-events.ts';
import type { Attempt, SendWebhook } from './send-webhook.ts';
import type { WebhookKeys } from './webhook-keys.ts';
import type { WebhookMessages } from './webhook-messages.ts';
import {
  assertDelivers,
  assertMayChange,
  assertMayDelete,
  assertReadable,
  deliverable,
  isHeld,
  madeBy,
  onBehalfOf,
  typesOf,
} from './webhook-rights.ts';

/** Per account. */
const MAX_WEBHOOKS = 100;
/** Attempts that requests make at the same time: tests and redeliveries. */
const TRIED_AT_ONCE = { all: 32, ofAccount: 2, ofHost: 4 };

export type { WebhookDelivery };

export interface NewWebhook {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly wallets: readonly string[] | null;
  readonly enabled: boolean;
  readonly ordered: boolean;
}
type WebhookChange = Partial<Omit<NewWebhook, 'ordered'>>;
type ReplayFrom = { readonly afterSeq: bigint } | { readonly since: number };

export interface WebhookView extends Omit<WebhookRecord, 'secrets'> {
  readonly status: 'active' | 'failing' | 'disabled';
  readonly publicKey: string;
  readonly kid: string;
}
export interface WebhookWithSecret extends WebhookView {
  readonly secret: string;
}

export function createWebhookService(deps: {
  store: Store;
  sending: Pick<Sending, 'urlProblem'>;
  keys: WebhookKeys;
  messages: WebhookMessages;
  send: SendWebhook;
  onChanged: () => void;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { store, sending, keys, messages, send, onChanged, clock, randomBytes } = deps;
  const { read } = store;
  const attempts = createFairQueue({
    ...TRIED_AT_ONCE,
    waiting: 0,
    busy: () => new DomainError('unavailable', 'too many webhooks are being tested at once', { retryAfterSeconds: 5 }),
  });

  const viewed = ({ secrets: _, ...webhook }: WebhookRecord): WebhookView => ({
    ...webhook,
    status: !webhook.enabled ? 'disabled' : webhook.failures > 0 ? 'failing' : 'active',
    ...keys.publicKeyOf(webhook.accountId),
  });

  async function assertPlace({ url, wallets }: WebhookChange, accountId: AccountId): Promise<void> {
    const problem = url === undefined ? null : sending.urlProblem(url);
    if (problem !== null) throw new DomainError('invalid_value', `url ${problem}`, { field: 'url' });
    for (const [at, walletId] of (wallets ?? []).entries()) {
      if ((await read.wallets.find(accountId, walletId as WalletId)) !== null) continue;
      throw new DomainError('invalid_value', `the account has no wallet ${walletId}`, { field: `wallets[${at}]` });
    }
  }

  /** Changes a webhook in one job. `change` returns the patch, and what the response has beside the webhook. */
  const changed = async <More extends object = object>(
    webhookId: string,
    context: RequestContext,
    change: (tx: Repositories, webhook: WebhookRecord, at: number) => Promise<{ patch: WebhookPatch; more?: More }>,
  ) => {
    const { accountId, credential } = context;
    const made = await store.write(async (tx) => {
      const webhook = await tx.webhooks.findForUpdate(accountId, webhookId);
      if (webhook === null) throw noSuchWebhook();
      const at = clock();
      await assertMayChange(tx, webhook, credential, at);
      const { patch, more } = await change(tx, webhook, at);
      await tx.webhooks.update(webhook, { ...patch, updatedAt: at });
      const result = { ...viewed({ ...webhook, ...patch, updatedAt: at }), ...(more as More) };
      await recordRequest(tx, context, { result, target: webhookId });
      return result;
    });
    onChanged();
    return made;
  };

  async function required(accountId: AccountId, webhookId: string): Promise<WebhookRecord> {
    const webhook = await read.webhooks.find(accountId, webhookId);
    if (webhook === null) throw noSuchWebhook();
    return webhook;
  }

  const tried = (webhook: WebhookRecord, message: Parameters<SendWebhook>[1], { signal }: RequestContext) =>
    attempts.take({ accountId: webhook.accountId, host: new URL(webhook.url).host, signal }, () =>
      send(webhook, message, signal),
    );

  return {
    /** Throws `invalid_value`, `forbidden`, `policy_refused`. */
    async create(given: NewWebhook, context: RequestContext): Promise<WebhookWithSecret> {
      const { accountId, credential } = context;
      assertReadable(credential, given.events);
      await assertPlace(given, accountId);
      const webhookId = newId('whk', randomBytes);
      const { secret, secrets } = keys.newSecret(webhookId, madeBy(credential));
      const at = clock();
      const made = await store.write(async (tx) => {
        await tx.accounts.lock(accountId);
        if ((await tx.webhooks.count(accountId)) >= MAX_WEBHOOKS)
          throw new DomainError('policy_refused', `an account has at most ${MAX_WEBHOOKS} webhooks: delete one`);
        const webhook: WebhookRecord = {
          ...{ webhookId, accountId, ...given, secrets, readsBlocks: readsBlocks(given) },
          ...{ ...madeBy(credential), disabledReason: null },
          ...{ deliveredSeq: await tx.events.lastSeq(), failures: 0, failingSince: null, lastError: null },
          ...{ lastErrorAt: null, lastDeliveredAt: null, nextAt: at, createdAt: at, updatedAt: at },
        };
        await tx.webhooks.insert(webhook);
        const result = { ...viewed(webhook), secret };
        await recordRequest(tx, context, { result, target: webhookId });
        return result;
      });
      onChanged();
      return made;
    },

    /** Throws `not_found`. */
    get: async (webhookId: string, { accountId }: RequestContext) => viewed(await required(accountId, webhookId)),

    async list(page: PageRequest, { accountId }: RequestContext): Promise<Page<WebhookView>> {
      const found = await read.webhooks.list(accountId, page);
      return { ...found, data: found.data.map(viewed) };
    },

    /** An enabled webhook continues at its cursor. Who changes the URL becomes its maker. Throws as `create`, `not_found` and `state_conflict`. */
    async update(webhookId: string, change: WebhookChange, context: RequestContext): Promise<WebhookView> {
      const { accountId, credential } = context;
      await assertPlace(change, accountId);
      return changed(webhookId, context, async (_, webhook, at) => {
        const events = change.events ?? webhook.events;
        const { rights, maker } = onBehalfOf(webhook, credential, { changesTarget: change.url !== undefined });
        if (change.events !== undefined) assertReadable(rights, events);
        const again = change.enabled === true && { failures: 0, failingSince: null, disabledReason: null };
        return {
          patch: {
            ...change,
            readsBlocks: readsBlocks({ events }),
            ...{ ...maker, nextAt: at, ...again },
          },
        };
      });
    },

    /** Deletes it with its deliveries. Throws `not_found`, `forbidden`. */
    delete: (webhookId: string, context: RequestContext) =>
      store.write(async (tx) => {
        const { accountId, credential } = context;
        const webhook = await tx.webhooks.findForUpdate(accountId, webhookId);
        if (webhook === null) throw noSuchWebhook();
        assertMayDelete(webhook, credential);
        await tx.webhookDeliveries.deleteOf(webhook);
        await tx.webhooks.delete(accountId, webhookId);
        await recordRequest(tx, context, { result: undefined, target: webhookId });
      }),

    /** Both secrets sign for a day, unless who was shown the previous one has ended. Throws `not_found`, `forbidden`. */
    rotateSecret: (webhookId: string, context: RequestContext): Promise<WebhookWithSecret> =>
      changed(webhookId, context, async (tx, webhook, at) => {
        const keepsPrevious = await isHeld(tx, webhook.accountId, keys.secretHolder(webhook), at);
        const { secret, secrets } = keys.rotated(webhook, madeBy(context.credential), { at, keepsPrevious });
        return { patch: { secrets }, more: { secret } };
      }) as Promise<WebhookWithSecret>,

    /** Delivers the events after a place again, in order, before newer ones. Throws `not_found`, `forbidden`, `invalid_value`. */
    replay: (webhookId: string, from: ReplayFrom, context: RequestContext): Promise<WebhookView> =>
      changed(webhookId, context, async (tx, webhook, at) => {
        const oldest = await tx.events.firstSeq();
        const first = 'since' in from ? await tx.events.firstSince(from.since) : null;
        const wanted = 'since' in from ? (first === null ? webhook.deliveredSeq : first - 1n) : from.afterSeq;
        const least = (oldest ?? 1n) - 1n;
        if ('afterSeq' in from && (wanted < least || wanted > webhook.deliveredSeq)) {
          const why = `must be from ${least}, the oldest event that is kept, to ${webhook.deliveredSeq}, which is delivered`;
          throw new DomainError('invalid_value', `after_seq ${why}`, { field: 'after_seq' });
        }
        const deliveredSeq = wanted < webhook.deliveredSeq ? wanted : webhook.deliveredSeq;
        return { patch: { deliveredSeq, nextAt: at } };
      }),

    /** Sends a test event and returns the attempt. Throws `not_found`, `forbidden`, `state_conflict`, `unavailable`. */
    async test(webhookId: string, context: RequestContext): Promise<Attempt> {
      const webhook = await required(context.accountId, webhookId);
      await assertMayChange(read, webhook, context.credential, clock());
      await assertDelivers('webhook_id', read, webhook, clock(), keys.secretHolder(webhook));
      const result = await tried(
        webhook,
        messages.standalone(webhook, newId('msg', randomBytes), {
          type: 'webhook.test',
          at: clock(),
          data: { test: true },
        }),
        context,
      );
      await store.write((tx) => recordRequest(tx, context, { result, target: webhookId }));
      return result;
    },

    /** Those of types that the caller may read. Throws `not_found`. */
    async deliveries(
      webhookId: string,
      status: WebhookDelivery['status'] | undefined,
      page: PageRequest,
      { accountId, credential }: RequestContext,
    ): Promise<Page<WebhookDelivery>> {
      const types = EVENT_TYPE_NAMES.filter((type) => mayReadEvent(credential, type));
      return read.webhookDeliveries.list(await required(accountId, webhookId), { status, types }, page);
    },

    /** Sends an event again, now, with the same id. Throws `not_found`, `forbidden`, `state_conflict`, `unavailable`. */
    async redeliver(
      { webhookId, deliveryId }: Pick<WebhookDelivery, 'webhookId' | 'deliveryId'>,
      context: RequestContext,
    ): Promise<WebhookDelivery> {
      const webhook = await required(context.accountId, webhookId);
      const before = await read.webhookDeliveries.find(webhook, deliveryId);
      if (before === null)
        throw new DomainError('not_found', 'the webhook has no such delivery', { field: 'delivery_id' });
      await assertMayChange(read, webhook, context.credential, clock());
      const may = await deliverable(read, webhook, clock(), keys.secretHolder(webhook));
      const event = await read.events.at(before.seq);
      const isKept = 'types' in may && may.types.has(before.type) && event !== null;
      const message = isKept ? await messages.of(webhook, event, may.rights) : null;
      if (message === null) {
        const gone = 'the event is no longer stored, or the webhook no longer delivers its type';
        throw new DomainError('state_conflict', 'reason' in may ? may.reason : gone, { field: 'delivery_id' });
      }
      const attempt = await tried(webhook, message, context);
      const row = deliveryOf(webhook, message, attempt, attempt.delivered ? null : before.nextAt);
      const result = { ...row, attempts: before.attempts + 1, createdAt: before.createdAt };
      await store.write(async (tx) => {
        if ((await tx.webhooks.find(webhook.accountId, webhookId)) === null) throw noSuchWebhook();
        await tx.webhookDeliveries.note([row]);
        await recordRequest(tx, context, { result, target: webhookId });
      });
      return result;
    },
  };
}

export type WebhookService = ReturnType<typeof createWebhookService>;

const noSuchWebhook = (): DomainError =>
  new DomainError('not_found', 'there is no such webhook', { field: 'webhook_id' });

const readsBlocks = (of: Pick<WebhookRecord, 'events'>): boolean =>
  typesOf(of).some((type) => EVENT_TYPES[type].channel === 'blocks');
