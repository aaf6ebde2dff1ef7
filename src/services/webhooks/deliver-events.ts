/**
 * Delivers a webhook's next events. One job stores the attempts and moves the cursor or sets the time of the next attempt. An event that was
 * sent before a crash, but not stored, is sent again with the same id.
 */
import type { Logger } from 'pino';
import type { EventChannel } from '../../core/events/channels.ts';
import { EVENT_TYPES, type EventType, eventTypeOf } from '../../core/events/event-types.ts';
import type { AccountId } from '../../core/ids.ts';
import { isGivenUp, retryAfterMs } from '../../core/webhooks/delivery.ts';
import { withGrace } from '../../scheduling/on-abort.ts';
import { createSharedYielder } from '../../scheduling/yielder.ts';
import type { StoredEvent } from '../../store/records.ts';
import type { WebhookDelivery } from '../../store/repositories/webhook-deliveries.ts';
import type { WebhookKey, WebhookPatch, WebhookRecord } from '../../store/repositories/webhooks.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordChangesBy } from '../audit/record-change.ts';
import { type Attempt, GONE, type SendWebhook } from './send-webhook.ts';
import type { WebhookKeys } from './webhook-keys.ts';
import { type EventMessage, rowOf, type WebhookMessages } from './webhook-messages.ts';
import { deliverable } from './webhook-rights.ts';

/** Events read in one turn. */
const PAGE = 100;
/** Ordered webhooks: the most events, and milliseconds, of a turn. They are sent one after another. */
const IN_A_TURN = 20;
const TURN_MS = 250;
/** Unordered webhooks: events sent together, and how many may wait for a retry before no more are sent. */
const AT_ONCE = 8;
const MAX_WAITING = 100;
/** Stored deliveries per webhook; older ones are deleted with about every fiftieth. */
const KEPT_DELIVERIES = 1_000;
const DROPPED_EVERY = 50;
/** When a webhook of a frozen account is checked again. */
const FROZEN_MS = 60_000;
/** How long attempts may continue when the process stops. */
const GRACE_MS = 2_000;

const recordChange = recordChangesBy({ kind: 'service', id: 'webhooks' });

export interface DeliveryCounts {
  delivered: number;
  failed: number;
}

/** Every event up to `covered` was delivered, or waits in the database for its retry. */
export interface Turn {
  readonly covered: bigint;
  readonly more: boolean;
  /** When the next event was written. */
  readonly waitsSince?: number | undefined;
  /** The last attempt failed. */
  readonly isFailing?: boolean;
}

type May = Exclude<Awaited<ReturnType<typeof deliverable>>, { reason: string }>;

interface Outbound {
  /** null if it was interrupted because the process stops. */
  attempt(webhook: WebhookRecord, message: EventMessage): Promise<Attempt | null>;
  /** The process stops: no further attempts start. */
  isEnding(): boolean;
}

interface Tried {
  readonly sent: readonly Sent[];
  /** The number of events that the cursor passes. */
  readonly passed: number;
  /** Unordered: deliveries that wait for a later retry, and those given up because they can no longer be sent. */
  readonly waits: readonly WebhookDelivery[];
  readonly lost: readonly WebhookDelivery[];
}

interface Outcome {
  readonly rows: readonly WebhookDelivery[];
  readonly patch: WebhookPatch;
  /** Why the webhook is disabled; null: it is not. */
  readonly reason: string | null;
}

interface Sent {
  readonly message: EventMessage;
  readonly attempt: Attempt;
  /** The stored delivery that this attempt retries. */
  readonly before: WebhookDelivery | null;
}

/** A page of an account's events after a place, in order, of the channels of these types. */
export async function eventsAfter(
  read: Pick<Repositories, 'events'>,
  { accountId, seq }: { readonly accountId: AccountId; readonly seq: bigint },
  types: ReadonlySet<EventType>,
): Promise<{ page: StoredEvent[]; isLast: boolean }> {
  const channels = new Set<EventChannel>([...types].map((type) => EVENT_TYPES[type].channel));
  const found: StoredEvent[] = [];
  for (const channel of channels) found.push(...(await read.events.after(seq, PAGE, { accountId, channel })));
  const page = found.sort((a, b) => (a.seq < b.seq ? -1 : 1)).slice(0, PAGE);
  return { page, isLast: page.length < PAGE };
}

/** An attempt as it is stored. */
export const deliveryOf = (
  { accountId, webhookId }: WebhookKey,
  { id, seq, type }: Pick<EventMessage, 'id' | 'seq' | 'type'>,
  { delivered, ...attempt }: Attempt,
  nextAt: number | null,
): WebhookDelivery => ({
  ...{ deliveryId: id, webhookId, accountId, seq, type, status: delivered ? 'delivered' : 'failed', attempts: 1 },
  ...attempt,
  ...{ nextAt, createdAt: attempt.attemptedAt },
});

export function createDeliverEvents(deps: {
  store: Store;
  messages: WebhookMessages;
  keys: Pick<WebhookKeys, 'secretHolder'>;
  send: SendWebhook;
  clock: () => number;
  random: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
}) {
  const { store, messages, keys, send, clock, random, log } = deps;
  const { read } = store;
  const counts: DeliveryCounts = { delivered: 0, failed: 0 };
  /** Before a message is made, or signed: records may be large, and webhooks many. */
  const turnOfOne = createSharedYielder();

  async function disabled(tx: Repositories, webhook: WebhookRecord, reason: string): Promise<WebhookPatch> {
    const { accountId, webhookId, url } = webhook;
    await tx.events.append({
      accountId,
      channel: 'webhooks',
      ref: webhookId,
      data: { webhook_id: webhookId, url, reason },
    });
    await recordChange(tx, { operation: 'webhook.update', accountId, target: webhookId });
    log.warn({ webhookId, reason }, 'a webhook was disabled');
    return { enabled: false, disabledReason: reason, nextAt: null, updatedAt: clock() };
  }

  /** null if the event is no longer stored, or may not be read. */
  async function waitingMessage({ seq, type }: WebhookDelivery, webhook: WebhookRecord, { rights, types }: May) {
    const event = types.has(type) ? await read.events.at(seq) : null;
    return event === null ? null : messages.of(webhook, event, rights);
  }

  /** Sends events one after another, until one fails. */
  async function inOrder(webhook: WebhookRecord, events: readonly StoredEvent[], { rights }: May, outbound: Outbound) {
    const sent: Sent[] = [];
    const until = performance.now() + TURN_MS;
    for (const [at, event] of events.entries()) {
      await turnOfOne();
      const message = await messages.of(webhook, event, rights);
      if (message === null) continue;
      const isOver = sent.length === IN_A_TURN || performance.now() > until || outbound.isEnding();
      const attempt = isOver ? null : await outbound.attempt(webhook, message);
      if (attempt !== null) sent.push({ message, attempt, before: null });
      if (!attempt?.delivered) return { sent, passed: at, waits: [], lost: [] };
    }
    return { sent, passed: events.length, waits: [], lost: [] };
  }

  /** Sends events at the same time, due retries first. */
  async function together(webhook: WebhookRecord, events: readonly StoredEvent[], may: May, outbound: Outbound) {
    const waiting = await read.webhookDeliveries.waiting(webhook, MAX_WAITING);
    const due = waiting.filter(({ nextAt }) => nextAt !== null && nextAt <= clock()).slice(0, AT_ONCE);
    const taken: { before: WebhookDelivery | null; message: EventMessage }[] = [];
    const lost: WebhookDelivery[] = [];
    for (const before of due) {
      await turnOfOne();
      const message = await waitingMessage(before, webhook, may);
      if (message === null) lost.push({ ...before, attempts: 0, nextAt: null });
      else taken.push({ before, message });
    }
    const most = Math.min(AT_ONCE, taken.length + MAX_WAITING - waiting.length);
    let passed = 0;
    for (; passed < events.length && taken.length < most && !outbound.isEnding(); passed++) {
      await turnOfOne();
      const message = await messages.of(webhook, events[passed]!, may.rights);
      if (message !== null) taken.push({ before: null, message });
    }
    const attempts = await Promise.all(
      taken.map(async (one) => {
        await turnOfOne();
        return { ...one, attempt: await outbound.attempt(webhook, one.message) };
      }),
    );
    const sent = attempts.filter((one): one is Sent => one.attempt !== null);
    // Interrupted because the process stops: none of these is stored, and all are sent again.
    if (sent.length < attempts.length) return { sent: [], passed: 0, waits: waiting, lost: [] };
    return { sent, passed, waits: waiting.filter((one) => !due.includes(one)), lost };
  }

  /** What is stored of the attempts: deliveries, and the patch of the webhook. `isDone`: nothing else is to be sent now. */
  function outcome(webhook: WebhookRecord, { sent, waits, lost }: Tried, isDone: boolean): Outcome {
    const now = clock();
    const retryAt = (failures: number): number => now + retryAfterMs(failures, random());
    const rows = sent.map(({ message, attempt, before }) => {
      const mayWait = !attempt.delivered && !webhook.ordered;
      return deliveryOf(webhook, message, attempt, mayWait ? retryAt((before?.attempts ?? 0) + 1) : null);
    });
    const times = [...waits, ...rows].flatMap(({ nextAt }) => nextAt ?? []);
    // More is to be sent, so its time stays.
    if (!isDone && webhook.nextAt !== null) times.push(webhook.nextAt);
    const nextAt = times.length === 0 ? null : Math.min(...times);
    if (sent.length === 0) return { rows: lost, patch: { nextAt }, reason: null };
    const failed = sent.findLast(({ attempt }) => !attempt.delivered);
    const recovered = sent.some(({ attempt }) => attempt.delivered);
    const failures = recovered ? (sent.at(-1) === failed ? 1 : 0) : webhook.failures + sent.length;
    const failingSince = failures === 0 ? null : ((recovered ? null : webhook.failingSince) ?? now);
    const patch: WebhookPatch = {
      nextAt: webhook.ordered && failures > 0 ? retryAt(failures) : nextAt,
      ...{ failures, failingSince },
      ...(failed !== undefined && { lastError: failed.attempt.error, lastErrorAt: now }),
      ...(recovered && { lastDeliveredAt: now }),
    };
    let reason: string | null = null;
    if (failingSince !== null && isGivenUp(failures, failingSince, now))
      reason = `every attempt has failed for 5 days, the last one with: ${failed?.attempt.error}`;
    if (sent.some(({ attempt }) => attempt.httpStatus === GONE)) reason = 'the endpoint answers 410 Gone';
    return { rows: [...rows, ...lost], patch, reason };
  }

  /** False if the webhook was replayed or deleted meanwhile. */
  const note = (webhook: WebhookRecord, patch: WebhookPatch, rows: readonly WebhookDelivery[], reason: string | null) =>
    store.write(async (tx) => {
      if (!(await tx.webhooks.progress(webhook, patch))) return false;
      await tx.webhookDeliveries.note(rows);
      if (random() * DROPPED_EVERY < rows.length) await tx.webhookDeliveries.dropOld(webhook, KEPT_DELIVERIES);
      if (reason !== null) await tx.webhooks.update(webhook, await disabled(tx, webhook, reason));
      return true;
    });

  async function turn(webhook: WebhookRecord, seen: bigint, outbound: Outbound): Promise<Turn> {
    const account = await read.accounts.find(webhook.accountId);
    if (account === null || account.frozenAt !== null) {
      await note(webhook, { nextAt: clock() + FROZEN_MS }, [], null);
      return { covered: seen, more: false };
    }
    const may = await deliverable(read, webhook, clock(), keys.secretHolder(webhook));
    if ('reason' in may) {
      await note(webhook, { nextAt: null }, [], may.reason);
      return { covered: seen, more: false };
    }
    const { accountId, deliveredSeq: seq } = webhook;
    const { page, isLast } = await eventsAfter(read, { accountId, seq }, may.types);
    const events = page.filter((event) => may.types.has(eventTypeOf(rowOf(event))));
    const tried = await (webhook.ordered ? inOrder : together)(webhook, events, may, outbound);
    const { sent, passed, waits, lost } = tried;
    const isThrough = passed === events.length;
    const isDone = isThrough && isLast;
    const last = (isThrough ? page.at(-1)?.seq : events[passed - 1]?.seq) ?? webhook.deliveredSeq;
    const covered = isDone && seen > last ? seen : last;
    if (isDone && sent.length + lost.length === 0 && webhook.nextAt === null) return { covered, more: false };
    const { rows, patch, reason } = outcome(webhook, tried, isDone);
    if (!(await note(webhook, { ...patch, deliveredSeq: covered }, rows, reason)))
      return { covered: webhook.deliveredSeq, more: true, isFailing: webhook.failures > 0 };
    const failed = sent.filter(({ attempt }) => !attempt.delivered).length;
    counts.failed += failed;
    counts.delivered += sent.length - failed;
    if (webhook.failures === 0 && (patch.failures ?? 0) > 0)
      log.info({ webhookId: webhook.webhookId, reason: patch.lastError }, 'a webhook fails; trying again');
    const isFailing = (patch.failures ?? webhook.failures) > 0;
    const isHeld = reason !== null || (webhook.ordered && failed > 0) || waits.length >= MAX_WAITING;
    return isHeld
      ? { covered: seen, more: false }
      : { covered, more: !isDone, waitsSince: events[passed]?.createdAt, isFailing };
  }

  /** `seen`: the seq up to which the caller has read events. */
  async function deliver({ accountId, webhookId }: WebhookKey, seen: bigint, signal: AbortSignal): Promise<Turn> {
    const webhook = await read.webhooks.find(accountId, webhookId);
    const waits = webhook?.ordered && webhook.failures > 0 && (webhook.nextAt ?? 0) > clock();
    if (webhook === null || !webhook.enabled || waits) return { covered: seen, more: false };
    return withGrace(signal, GRACE_MS, (late) => {
      const attempt: Outbound['attempt'] = async (to, message) => {
        const made = await send(to, message, late);
        return made.delivered || !late.aborted ? made : null;
      };
      return turn(webhook, seen, { attempt, isEnding: () => signal.aborted });
    });
  }

  return { deliver, counts: () => ({ ...counts }) };
}
