/**
 * Makes notifications of events by a rule, of each at once or of those of an hour or a day together, of types that its maker may read now. The
 * cursor moves in the job that writes the notifications or stores the events for the next digest: none is notified twice, none is lost.
 */
import type { Logger } from 'pino';
import { roleReaches, scopeAllows } from '../../../core/access.ts';
import { parseBtc } from '../../../core/amount.ts';
import { type EventType, eventTypeOf } from '../../../core/events/event-types.ts';
import { nextDigestAt } from '../../../core/notifications/digest.ts';
import { digestText, eventLine, eventSubject, eventText, MAX_LINES } from '../../../core/notifications/event-text.ts';
import { secondsLeftOf } from '../../../core/notifications/notification.ts';
import { createSharedYielder } from '../../../scheduling/yielder.ts';
import type { StoredEvent } from '../../../store/records.ts';
import type { Gathered, RuleKey, RulePatch, RuleRecord } from '../../../store/repositories/notification-rules.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { recordChangesBy } from '../../audit/record-change.ts';
import { eventsAfter, type Turn } from '../../webhooks/deliver-events.ts';
import type { WebhookKeys } from '../../webhooks/webhook-keys.ts';
import { type Json, rowOf, type WebhookMessages } from '../../webhooks/webhook-messages.ts';
import { commonRights, deliverable, type WebhookRights } from '../../webhooks/webhook-rights.ts';
import { type Enqueue, type NewNotification, roomLeft } from '../enqueue.ts';

/** Notifications of one turn. */
const IN_A_TURN = 20;
/** A frozen account's is looked at again after this. */
const FROZEN_MS = 60_000;

const recordChange = recordChangesBy({ kind: 'service', id: 'notifications' });

interface Found {
  readonly event: StoredEvent;
  readonly type: EventType;
  readonly data: Json;
}

export function createApplyRule(deps: {
  store: Store;
  messages: Pick<WebhookMessages, 'readEvent'>;
  /** Of webhooks. */
  keys: Pick<WebhookKeys, 'secretHolder'>;
  enqueue: Enqueue;
  onQueued: () => void;
  clock: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
}) {
  const { store, messages, keys, enqueue, onQueued, clock, log } = deps;
  const { read } = store;
  /** Before a record is read: records may be large, and rules many. */
  const turnOfOne = createSharedYielder();

  /** The types that it may send, or why it is disabled. */
  async function allowedTypes(rule: RuleRecord) {
    const may = await deliverable(read, rule, clock());
    if ('reason' in may) return may;
    const { role, scopes } = may.rights;
    if (roleReaches(role, 'operator') && scopeAllows(scopes, 'notifications:write')) return withinWebhook(rule, may);
    return { reason: `${rule.makerId}, which set it up, may not send notifications any more` };
  }

  /** A rule to a webhook sends only what the maker of the webhook may read, too: they chose the URL. */
  async function withinWebhook(rule: RuleRecord, may: { rights: WebhookRights; types: ReadonlySet<EventType> }) {
    const webhook = rule.channel === 'webhook' ? await read.webhooks.find(rule.accountId, rule.target.id) : null;
    if (webhook === null) return may;
    const { makerKind, makerId, makerRole, makerScopes } = webhook;
    const maker = { makerKind, makerId, makerRole, makerScopes };
    const theirs = await deliverable(read, { ...rule, ...maker }, clock(), keys.secretHolder(webhook));
    if ('reason' in theirs) return { reason: `the webhook delivers nothing: ${theirs.reason}` };
    const types = [...may.types].filter((type) => theirs.types.has(type));
    if (types.length === 0) return { reason: `${makerId}, which set the webhook up, may not read any of its events` };
    return { rights: commonRights(may.rights, theirs.rights), types: new Set(types) };
  }

  const newNotification =
    ({ accountId, channel, target, makerKind, makerId, ruleId }: RuleRecord) =>
    (text: { subject: string; body: string }, data: Json): NewNotification => ({
      ...{ accountId, channel, target, maker: { kind: makerKind, id: makerId } },
      ...{ ...text, data: { rule_id: ruleId, ...data } },
    });

  /** False where somebody changed it meanwhile. */
  const note = (rule: RuleRecord, patch: RulePatch, notifications: readonly NewNotification[]): Promise<boolean> =>
    store.write(async (tx: Repositories) => {
      if (!(await tx.notificationRules.progress(rule, patch))) return false;
      for (const notification of notifications) await enqueue(tx, notification);
      if (patch.enabled === false)
        await recordChange(tx, {
          operation: 'notification-rule.update',
          accountId: rule.accountId,
          target: rule.ruleId,
        });
      return true;
    });

  async function found(
    rule: RuleRecord,
    page: readonly StoredEvent[],
    may: { rights: Parameters<WebhookMessages['readEvent']>[2]; types: ReadonlySet<EventType> },
    most: number,
  ) {
    const all: Found[] = [];
    let passed = 0;
    for (; passed < page.length && all.length < most; passed++) {
      const event = page[passed]!;
      const type = eventTypeOf(rowOf(event));
      if (may.types.has(type)) await turnOfOne();
      const data = may.types.has(type) ? await messages.readEvent(rule, event, may.rights) : null;
      if (data !== null && exceedsAmount(rule, data)) all.push({ event, type, data });
    }
    return { all, passed };
  }

  return async ({ accountId, ruleId }: RuleKey, seen: bigint): Promise<Turn> => {
    const waits: Turn = { covered: seen, more: false };
    const rule = await read.notificationRules.find(accountId, ruleId);
    if (rule === null || !rule.enabled) return waits;
    const now = clock();
    const account = await read.accounts.find(accountId);
    if (account === null || account.frozenAt !== null) {
      await note(rule, { nextAt: Math.max(now + FROZEN_MS, rule.nextAt ?? 0) }, []);
      return waits;
    }
    const may = await allowedTypes(rule);
    if ('reason' in may) {
      log.warn({ ruleId, reason: may.reason }, 'a notification rule was disabled');
      const ended = { enabled: false, disabledReason: may.reason, nextAt: null, gathered: 0, lines: [] };
      await note(rule, ended, []);
      return waits;
    }
    const room = await roomLeft(read, rule, now);
    if (room <= 0) {
      await note(rule, { nextAt: Math.max(now + secondsLeftOf(now) * 1_000, rule.nextAt ?? 0) }, []);
      return waits;
    }
    const { page, isLast } = await eventsAfter(read, { accountId, seq: rule.toldSeq }, may.types);
    // Also what was stored for a digest before the rule was changed to at_once.
    const isDigest = rule.digest !== 'at_once' || rule.gathered > 0;
    const { all, passed } = await found(rule, page, may, isDigest ? page.length : Math.min(room, IN_A_TURN));
    const isDone = passed === page.length && isLast;
    const last = page[passed - 1]?.seq ?? rule.toldSeq;
    const covered = isDone && seen > last ? seen : last;
    if (isDone && all.length === 0 && rule.nextAt === null) return { covered, more: false };
    const draft = newNotification(rule);
    const made = isDigest
      ? digested(rule, all, may.types, { now, isDone }, draft)
      : { patch: { nextAt: null }, notifications: all.map((one) => draft(...contentOf(one))) };
    if (!(await note(rule, { ...made.patch, toldSeq: covered }, made.notifications)))
      return { covered: rule.toldSeq, more: true };
    if (made.notifications.length > 0) onQueued();
    return { covered, more: !isDone, waitsSince: page[passed]?.createdAt };
  };
}

/** Without an amount it exceeds none. */
function exceedsAmount({ amountOverSats }: RuleRecord, { amount }: Json): boolean {
  if (amountOverSats === null) return true;
  return typeof amount === 'string' && parseBtc(amount.replace('-', '')) > amountOverSats;
}

/** What an app shows of a payment without asking for its record. */
const amountIn = ({ direction, amount, wallet_id }: Json): Json =>
  direction === undefined ? {} : { direction, amount, wallet_id };

const contentOf = ({ event, type, data }: Found) =>
  [
    { subject: eventSubject(type, data), body: eventText(type, data) },
    { type, seq: Number(event.seq), ...amountIn(data), ...(JSON.parse(event.data) as Json) },
  ] as const;

/** Stores the events' lines; when its time has come, the digest of them. */
function digested(
  rule: RuleRecord,
  all: readonly Found[],
  types: ReadonlySet<EventType>,
  { now, isDone }: { now: number; isDone: boolean },
  draft: (text: { subject: string; body: string }, data: Json) => NewNotification,
): { patch: RulePatch; notifications: NewNotification[] } {
  const gathered = rule.gathered + all.length;
  const fresh = all.map(({ event, type, data }): Gathered => ({ type, text: eventLine(type, event.createdAt, data) }));
  const lines = [...rule.lines, ...fresh].slice(0, MAX_LINES);
  if (gathered === 0) return { patch: { nextAt: null }, notifications: [] };
  const nextAt = rule.gathered === 0 ? nextDigestAt(rule, now) : (rule.nextAt ?? now);
  if (nextAt > now || !isDone) return { patch: { gathered, lines, nextAt }, notifications: [] };
  // Types that its maker may not read any more are neither listed nor counted.
  const shown = lines.filter(({ type }) => types.has(type));
  const count = gathered - (lines.length - shown.length);
  const data = { digest: rule.digest, count, types: [...new Set(shown.map(({ type }) => type))] };
  const texts = shown.map(({ text }) => text);
  const notifications = count === 0 ? [] : [draft(digestText(count, texts), data)];
  return { patch: { gathered: 0, lines: [], nextAt: null }, notifications };
}
