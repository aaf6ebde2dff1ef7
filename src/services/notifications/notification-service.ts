/** Notifications as requests send, show, read and cancel them. */
import { roleReaches, scopeAllows } from '../../core/access.ts';
import { DomainError, MAX_ERRORS } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { dayOf, type NotificationChannel, type Target } from '../../core/notifications/notification.ts';
import { fillTemplate } from '../../core/notifications/templates.ts';
import type { Page, PageRequest } from '../../store/records.ts';
import type { NotificationDelivery } from '../../store/repositories/notification-deliveries.ts';
import type { NotificationId, NotificationRecord, SentFilter } from '../../store/repositories/notifications.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Channel } from './channels/channel.ts';
import type { Enqueue } from './enqueue.ts';
import { inboxOf } from './inbox.ts';
import { publishChange } from './publish-change.ts';
import type { AssertReachable } from './recipients.ts';
import { assertMayCancel, readableSent } from './sent-rights.ts';
import { foundTemplate } from './template-service.ts';

const LATEST_MS = 30 * 86_400_000;
const SHOWN_DELIVERIES = 100;
/** Of what waits in a channel. */
const MOST_COUNTED = 10_000;

export type { NotificationDelivery };

export interface SendRequest {
  readonly channel: NotificationChannel;
  readonly target: Target;
  readonly content: { readonly subject: string; readonly body: string } | { readonly templateId: string };
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly sendAt: number | null;
  readonly externalId: string | null;
}

export interface NotificationView extends Omit<NotificationRecord, 'makerId'> {
  /** null where the caller may not know. */
  readonly makerId: string | null;
  /** Of the caller's own; null: unread, or not the caller's. */
  readonly readAt: number | null;
}
export interface NotificationDetail extends NotificationView {
  /** Of what the account sent: what failed and what waits first, at most 100. */
  readonly deliveries: readonly NotificationDelivery[];
}

/** Who may see what the account sends to whomever. */
const mayReadSent = ({ credential: { role, scopes } }: RequestContext): boolean =>
  roleReaches(role, 'operator') && scopeAllows(scopes, 'notifications:read');

/** To whom it was only shown it tells nothing of the others who got it, or of who sent it how. */
const seenBy = (context: RequestContext, record: NotificationRecord): Omit<NotificationView, 'readAt'> =>
  mayReadSent(context)
    ? record
    : {
        ...record,
        ...{
          target: { kind: context.credential.id.startsWith('usr_') ? 'user' : 'subject', id: context.credential.id },
        },
        ...{ makerId: null, externalId: null, templateId: null, sendAt: null },
        ...{ waiting: 0, delivered: 1, failed: 0, cancelledAt: null },
      };

export function createNotificationService(deps: {
  store: Store;
  channels: readonly Channel[];
  assertReachable: AssertReachable;
  enqueue: Enqueue;
  onQueued: () => void;
  clock: () => number;
}) {
  const { store, channels, assertReachable, enqueue, onQueued, clock } = deps;
  const { read } = store;

  function assertTime(sendAt: number | null): void {
    if (sendAt === null || sendAt <= clock() + LATEST_MS) return;
    throw new DomainError('invalid_value', 'send_at must be within the next 30 days', { field: 'send_at' });
  }

  /** The same send again; null where it is the first of its external_id. */
  async function repeated(
    tx: Repositories,
    given: SendRequest,
    accountId: AccountId,
  ): Promise<NotificationRecord | null> {
    const { externalId } = given;
    if (externalId === null) return null;
    const before = await tx.notifications.findByExternalId(accountId, externalId);
    if (before === null) return null;
    const { channel, target, data, sendAt } = given;
    // What a template made then may be another text than it makes now.
    const same = Object.entries({ channel, target, data, sendAt, templateId: null, ...given.content });
    const isSame = same.every(
      ([member, value]) => JSON.stringify(before[member as keyof NotificationRecord]) === JSON.stringify(value),
    );
    if (isSame) return before;
    throw new DomainError(
      'already_exists',
      `notification ${before.notificationId} has this external_id, and is another: choose another external_id`,
      { field: 'external_id' },
    );
  }

  /** Throws `not_found`, `invalid_value` at `data`. */
  async function textOf(tx: Repositories, { content, data }: SendRequest, accountId: AccountId) {
    if (!('templateId' in content)) return content;
    const template = await foundTemplate(tx, accountId, content.templateId);
    const filled = fillTemplate(template, data ?? {});
    if (!('problems' in filled)) return { ...filled, templateId: content.templateId };
    const errors = filled.problems.slice(0, MAX_ERRORS);
    const { field, reason } = errors[0]!;
    throw new DomainError('invalid_value', `${field} ${reason}`, { field, errors });
  }

  async function sent(tx: Repositories, context: RequestContext, notificationId: NotificationId) {
    const found = await tx.notifications.findForUpdate(context.accountId, notificationId);
    if (found === null) throw noSuchNotification();
    return found;
  }

  /** The caller's own delivery, where it was shown in_app. */
  const asShown = (found: NotificationDelivery | null): NotificationDelivery | null =>
    found?.channel === 'in_app' && found.status === 'delivered' ? found : null;

  return {
    /**
     * Throws `invalid_value`, `not_found`, `not_configured`, `already_exists`, `policy_refused`, `state_conflict`, `rate_limited`.
     */
    async send(given: SendRequest, context: RequestContext): Promise<NotificationView> {
      const { accountId, credential } = context;
      const { channel, target } = given;
      assertTime(given.sendAt);
      const result = await store.write(async (tx) => {
        await assertReachable(tx, channel, target, context);
        const made =
          (await repeated(tx, given, accountId)) ??
          (await enqueue(tx, { ...given, ...(await textOf(tx, given, accountId)), accountId, maker: credential }));
        const view = { ...made, readAt: null };
        await recordRequest(tx, context, { result: view, target: made.notificationId });
        return view;
      });
      onQueued();
      return result;
    },

    /** What the caller was shown in_app, newest first. */
    async inbox(
      unread: boolean | undefined,
      page: PageRequest,
      context: RequestContext,
    ): Promise<Page<NotificationView>> {
      const { accountId } = context;
      const shown = unread === undefined ? undefined : !unread;
      const found = await read.notificationDeliveries.inbox(accountId, await inboxOf(read, context), shown, page);
      const all = await read.notifications.among(
        accountId,
        found.data.map(({ notificationId }) => notificationId),
      );
      const byId = new Map(all.map((one) => [one.notificationId, one]));
      // One may expire between the two reads.
      const data = found.data.flatMap(({ notificationId, readAt }) => {
        const one = byId.get(notificationId);
        return one === undefined ? [] : [{ ...seenBy(context, one), readAt }];
      });
      return { ...found, data };
    },

    /** What the account sent, newest first; what it tells of events, to who may read them. Throws `forbidden`. */
    async sent(filter: SentFilter, page: PageRequest, context: RequestContext): Promise<Page<NotificationView>> {
      if (!mayReadSent(context))
        throw new DomainError(
          'forbidden',
          'what the account sent takes the role operator and the scope notifications:read',
          { field: 'query.box' },
        );
      const found = await read.notifications.list(context.accountId, filter, page);
      return { ...found, data: found.data.map((one) => ({ ...readableSent(context.credential, one), readAt: null })) };
    },

    /** One of the caller's own, or, with the rights, of the account's. Throws `not_found`. */
    async get(notificationId: NotificationId, context: RequestContext): Promise<NotificationDetail> {
      const { accountId } = context;
      const inbox = await inboxOf(read, context);
      const mine = asShown(await read.notificationDeliveries.find(accountId, notificationId, inbox));
      const found = await read.notifications.find(context.accountId, notificationId);
      if (found === null || (mine === null && !mayReadSent(context))) throw noSuchNotification();
      const deliveries = mayReadSent(context) ? await read.notificationDeliveries.of(found, SHOWN_DELIVERIES) : [];
      const shown = mine === null ? readableSent(context.credential, found) : found;
      return { ...seenBy(context, shown), readAt: mine?.readAt ?? null, deliveries };
    },

    /** One of the caller's own. Throws `not_found`. */
    mark: (notificationId: NotificationId, isRead: boolean, context: RequestContext): Promise<NotificationView> =>
      store.write(async (tx) => {
        const { accountId } = context;
        const recipient = await inboxOf(tx, context);
        const key = { accountId, notificationId, recipient };
        const mine = asShown(await tx.notificationDeliveries.findForUpdate(key));
        if (mine === null) throw noSuchNotification();
        const readAt = isRead ? (mine.readAt ?? clock()) : null;
        const notification = await sent(tx, context, notificationId);
        if (readAt !== mine.readAt) {
          await tx.notificationDeliveries.update(mine, { readAt });
          await publishChange(tx, notification, isRead ? 'read' : 'unread', [recipient]);
        }
        const result = { ...seenBy(context, notification), readAt };
        await recordRequest(tx, context, { result, target: notificationId });
        return result;
      }),

    /** Whoever has it already keeps it. Throws `not_found`, `forbidden`, and `state_conflict` where nothing of it waits. */
    cancel: (notificationId: NotificationId, context: RequestContext): Promise<void> =>
      store.write(async (tx) => {
        const notification = await sent(tx, context, notificationId);
        await assertMayCancel(tx, context.credential, notification);
        const cancelled = await tx.notificationDeliveries.cancel(notification);
        if (cancelled === 0) {
          const why = notification.waiting > 0 ? 'it is being sent' : 'nothing of it waits any more';
          throw new DomainError('state_conflict', `the notification cannot be cancelled: ${why}`, {
            field: 'notification_id',
          });
        }
        await tx.notifications.count(notification, { waiting: -cancelled });
        await tx.notifications.cancel(notification, clock());
        const holders = await tx.notificationDeliveries.shownTo(notification);
        await publishChange(tx, notification, 'cancelled', holders);
        await recordRequest(tx, context, { result: undefined, target: notificationId });
      }),

    /** Without the scope nothing of the account: `channels` is empty. */
    async status(context: RequestContext) {
      const { accountId } = context;
      const shown = scopeAllows(context.credential.scopes, 'notifications:read') ? channels : [];
      const today = await read.notificationDeliveries.byStatus(accountId, dayOf(clock()));
      const of = (name: NotificationChannel, status: NotificationDelivery['status']): number =>
        today.find((one) => one.channel === name && one.status === status)?.count ?? 0;
      return {
        unread: await read.notificationDeliveries.unread(accountId, await inboxOf(read, context)),
        channels: await Promise.all(
          shown.map(async ({ name, configured }) => ({
            ...{ channel: name, configured: configured() },
            ...(await read.notificationDeliveries.waiting(accountId, name, MOST_COUNTED)),
            ...{ delivered: of(name, 'delivered'), failed: of(name, 'failed') },
          })),
        ),
      };
    },
  };
}

export type NotificationService = ReturnType<typeof createNotificationService>;

const noSuchNotification = (): DomainError =>
  new DomainError('not_found', 'there is no such notification', { field: 'notification_id' });
