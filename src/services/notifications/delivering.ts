/**
 * Sends what waits: the deliveries of each account and channel in turn, in one process of several. That an attempt begins is written before
 * it, and how it went after it: what a crash leaves between the two is sent again. A group is expanded into its members when its time
 * has come.
 */
import type { Logger } from 'pino';
import { roleReaches, scopeAllows } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import { type NotificationChannel, secondsLeftOf } from '../../core/notifications/notification.ts';
import { isGivenUp, LONGEST_PAUSE_MS, retryAfterMs } from '../../core/webhooks/delivery.ts';
import { createWorkOutage } from '../../outages/outage.ts';
import { inBatches } from '../../scheduling/in-batches.ts';
import { createJobQueue, type Job } from '../../scheduling/job-queue.ts';
import { withGrace } from '../../scheduling/on-abort.ts';
import type {
  DeliveryPatch,
  NotificationDelivery,
  WaitingQueue,
} from '../../store/repositories/notification-deliveries.ts';
import type { NotificationRecord } from '../../store/repositories/notifications.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { rightsNow } from '../connections/may-read.ts';
import { createAttempts, keyOf } from './attempts.ts';
import { type Channel, type Outcome, refusedFor } from './channels/channel.ts';
import { newDelivery, shown, takeRoom } from './enqueue.ts';
import { notBefore } from './preferences.ts';
import { publishChange } from './publish-change.ts';
import { membersOf } from './recipients.ts';

const ROUND_MS = 1_000;
/** `ofHost`: of a channel, so that a mail server that hangs holds up no other channel. */
const AT_ONCE = { all: 96, ofAccount: 6, ofHost: 24 };
/** Of a queue, in one turn: together. */
const IN_A_TURN = 4;
const QUEUES_AT_ONCE = 200;
/** Deliveries that are brought forward in one job. */
const FORWARD_AT_ONCE = 500;
/** Members of a group that are written in one job. */
const MEMBERS_AT_ONCE = 100;
/** What is for somebody who has an attempt under way lets others by, and is looked at again after this. */
const BEHIND_MS = 5_000;
/** What is under way when the process stops may end. */
const GRACE_MS = 2_000;
/** A clock that goes back by more was set. */
const CLOCK_SLACK_MS = 1_000;

interface Turn extends Job {
  readonly accountId: AccountId;
  readonly channel: NotificationChannel;
}

const isGroup = ({ recipient }: NotificationDelivery): boolean => recipient.startsWith('grp_');

export function createDelivering(deps: {
  store: Store;
  channels: readonly Channel[];
  clock: () => number;
  random: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
  roundMs?: number;
}) {
  const { store, clock, random, log, roundMs = ROUND_MS } = deps;
  const { read } = store;
  const channels = new Map(deps.channels.map((channel) => [channel.name, channel]));
  const counts = new Map(deps.channels.map(({ name }) => [name, { delivered: 0, failed: 0 }]));
  /** Attempts that were made and could not be written yet: they are not made again. */
  const made = new Map<string, Outcome>();
  const attempts = createAttempts();
  /** Accounts whose notifications wait until they are unfrozen. */
  const frozen = new Set<AccountId>();
  let lagMs = 0;
  let lookedAt = 0;
  /** Of this process as the one that sends. */
  let isFirst = true;

  /** Whether deliveries of the queue were made due now: after an outage of its channel, or of a clock that was ahead. */
  async function isBroughtForward(queue: WaitingQueue, now: number, beyond: number | null, isBack: boolean) {
    if (beyond === null && !isBack) return false;
    const which = beyond === null ? { now, beyond: now, unanswered: true } : { now, beyond };
    const moved = await inBatches(FORWARD_AT_ONCE, () =>
      store.write((tx) => tx.notificationDeliveries.bringForward(queue, which, FORWARD_AT_ONCE)),
    );
    return moved > 0;
  }

  async function due(): Promise<Turn[]> {
    const now = clock();
    // Set back; or ahead before this process led: nothing waits for longer by itself.
    const beyond = now < lookedAt - CLOCK_SLACK_MS ? now : isFirst ? now + LONGEST_PAUSE_MS : null;
    const back = new Set(deps.channels.filter((channel) => channel.cameBack?.()).map(({ name }) => name));
    const turns: Turn[] = [];
    let oldest = now;
    for (let after = '', full = true; full; ) {
      const page = await read.notificationDeliveries.queues(after, QUEUES_AT_ONCE);
      for (const one of page) {
        const { queue: key, accountId, channel, nextAt } = one;
        if (!channels.has(channel)) continue;
        if (!(await isBroughtForward(one, now, beyond, back.has(channel))) && nextAt > now) continue;
        turns.push({ key, accountId, channel, host: channel });
        if (!frozen.has(accountId)) oldest = Math.min(oldest, nextAt);
      }
      full = page.length === QUEUES_AT_ONCE;
      after = page.at(-1)?.queue ?? after;
    }
    lookedAt = now;
    isFirst = false;
    lagMs = now - oldest;
    return turns;
  }

  /** Why it is not sent any more; null where it is. */
  async function whyNot({ accountId, makerKind, makerId }: NotificationRecord): Promise<string | null> {
    if (makerKind === 'service') return null;
    const rights = await rightsNow(read, { accountId, makerKind, makerId }, clock());
    if (rights === null) return `${makerId}, which sent it, was revoked or disabled, or has expired`;
    return roleReaches(rights.role, 'operator') && scopeAllows(rights.scopes, 'notifications:write')
      ? null
      : `${makerId}, which sent it, may not send notifications any more`;
  }

  async function attempt(row: NotificationDelivery, notification: NotificationRecord, signal: AbortSignal) {
    const channel = channels.get(row.channel)!;
    const reason = await whyNot(notification);
    if (reason !== null) return refusedFor(reason);
    if (!channel.configured())
      return { delivered: false, isFinal: false, code: null, error: `not configured: ${channel.needs}` } as const;
    return channel.deliver({ notification, recipient: row.recipient }, signal);
  }

  function patchOf(row: NotificationDelivery, outcome: Outcome): DeliveryPatch {
    const at = clock();
    const attempts = row.attempts + 1;
    const { code } = outcome;
    const tried = { attempts, begunAt: null, code };
    if (outcome.delivered) return { ...tried, status: 'delivered', nextAt: null, error: null, deliveredAt: at };
    const failingSince = row.failingSince ?? at;
    const { error, isFinal } = outcome;
    if (isFinal || isGivenUp(attempts, failingSince, at))
      return { ...tried, status: 'failed', nextAt: null, failingSince, error };
    return { ...tried, failingSince, error, nextAt: at + retryAfterMs(attempts, random()) };
  }

  const note = (row: NotificationDelivery, notification: NotificationRecord, outcome: Outcome): Promise<void> =>
    store.write(async (tx) => {
      const now = await tx.notificationDeliveries.findForUpdate(row);
      if (now?.status !== 'queued') return;
      const patch = patchOf(now, outcome);
      await tx.notificationDeliveries.update(now, patch);
      if (patch.status === undefined) return;
      await tx.notifications.count(notification, { waiting: -1, [patch.status]: 1 });
      if (row.channel === 'in_app' && outcome.delivered)
        await publishChange(tx, notification, 'shown', [row.recipient]);
    });

  async function send(row: NotificationDelivery, notification: NotificationRecord, signal: AbortSignal): Promise<void> {
    const key = keyOf(row);
    const outcome = made.get(key) ?? (await attempt(row, notification, signal));
    made.set(key, outcome);
    await note(row, notification, outcome);
    made.delete(key);
    const count = counts.get(row.channel)!;
    if (outcome.delivered) count.delivered++;
    // Where nobody was asked the channel has not failed.
    else if (!outcome.isFinal || outcome.code !== null) count.failed++;
    // The channel email logs its outages itself.
    const isKnown = row.failingSince !== null || row.channel === 'email';
    if (outcome.delivered || (!outcome.isFinal && isKnown)) return;
    const { error: reason, isFinal } = outcome;
    const { notificationId, channel } = row;
    log.info(
      { notificationId, channel, reason },
      isFinal ? 'a notification failed' : 'a notification fails; trying again',
    );
  }

  /** Writes a delivery for each of the next members. Resolves with true where that was all. */
  async function expandGroup(row: NotificationDelivery, notification: NotificationRecord): Promise<boolean> {
    const at = clock();
    const { accountId, channel } = notification;
    const reason = await whyNot(notification);
    if (reason !== null) {
      await note(row, notification, refusedFor(reason));
      return true;
    }
    const group = await read.groups.find(accountId, row.recipient);
    const members = group === null ? [] : await membersOf(read, group, { at, email: channel === 'email' });
    return store.write(async (tx) => {
      const now = await tx.notificationDeliveries.findForUpdate(row);
      if (now?.status !== 'queued') return true;
      const known = new Set(await tx.notificationDeliveries.recipients(row));
      const next = members.filter((member) => !known.has(member));
      const room = await takeRoom(tx, { accountId, channel }, at, Math.min(MEMBERS_AT_ONCE, next.length));
      if (next.length > 0 && room === 0) {
        const error = 'the account has sent as many today as it may: the rest of the group gets it tomorrow';
        await tx.notificationDeliveries.update(row, { nextAt: at + secondsLeftOf(at) * 1000, error });
        return true;
      }
      const taken = next.slice(0, room);
      const rows = taken.map((member) => newDelivery(notification, member, { at }));
      const isShown = channel === 'in_app';
      await tx.notificationDeliveries.insert(isShown ? rows.map((one) => shown(one, at)) : rows);
      await tx.notifications.count(notification, { [isShown ? 'delivered' : 'waiting']: taken.length });
      if (isShown) await publishChange(tx, notification, 'shown', taken);
      if (taken.length < next.length) return false;
      await close(tx, row, known.size + taken.length > 1, group === null);
      return true;
    });
  }

  async function close(
    tx: Repositories,
    row: NotificationDelivery,
    isReached: boolean,
    isGone: boolean,
  ): Promise<void> {
    if (isReached) {
      await tx.notificationDeliveries.delete(row);
      await tx.notificationDays.add(row, -1);
      return tx.notifications.count(row, { waiting: -1 });
    }
    const error = isGone ? 'the group was deleted' : `the group has nobody whom the channel ${row.channel} reaches`;
    await tx.notificationDeliveries.update(row, { status: 'failed', nextAt: null, error });
    await tx.notifications.count(row, { waiting: -1, failed: 1 });
  }

  async function one(row: NotificationDelivery, signal: AbortSignal): Promise<boolean> {
    const notification = await read.notifications.find(row.accountId, row.notificationId);
    if (notification === null) return true;
    if (isGroup(row)) return expandGroup(row, notification);
    await send(row, notification, signal);
    return true;
  }

  /** Without those whose recipients have quiet hours, which wait for their end, and those who do not want the channel. */
  async function wanted(rows: readonly NotificationDelivery[]): Promise<NotificationDelivery[]> {
    const now: NotificationDelivery[] = [];
    for (const row of rows) {
      const at = clock();
      const from = isGroup(row) ? at : await notBefore(read, { ...row, subject: row.recipient }, row.channel, at);
      if (from !== null && from <= at) now.push(row);
      else await put(row, from);
    }
    return now;
  }

  /** null: for good. */
  const put = (row: NotificationDelivery, from: number | null): Promise<void> =>
    store.write(async (tx) => {
      const now = await tx.notificationDeliveries.findForUpdate(row);
      if (now?.status !== 'queued') return;
      if (from !== null) return tx.notificationDeliveries.update(row, { notBefore: from, nextAt: from });
      const error = `they have turned off the channel ${row.channel}`;
      await tx.notificationDeliveries.update(row, { status: 'failed', nextAt: null, error });
      await tx.notifications.count(row, { waiting: -1, failed: 1 });
    });

  async function perform(
    { key: queue, accountId, channel }: Turn,
    signal: AbortSignal,
  ): Promise<'done' | 'more' | 'later'> {
    const account = await read.accounts.find(accountId);
    if (account === null || account.frozenAt !== null) {
      frozen.add(accountId);
      return 'later';
    }
    frozen.delete(accountId);
    // Those under way are due, too.
    const most = IN_A_TURN + attempts.countOf(accountId);
    const due = await read.notificationDeliveries.due({ accountId, queue }, clock(), most);
    const { free, behind } = attempts.sorted(due, accountId);
    // Of what is due, all that was read is for recipients who have an attempt in progress. A webhook has its queue to itself.
    const hasBacklog = due.length === most && behind.length > 0 && channel !== 'webhook';
    if (hasBacklog) await postpone(behind);
    else if (free.length === 0) return 'later';
    const rows = await wanted(free.slice(0, IN_A_TURN));
    const begun = rows.filter((row) => row.begunAt === null && !isGroup(row));
    if (begun.length > 0 && !(await begin(begun))) return 'more';
    const haveOwnServers = channels.get(channel)?.haveOwnServers === true;
    const isDone = await attempts.run(
      rows,
      (row) => withGrace(signal, GRACE_MS, (late) => one(row, late)),
      haveOwnServers,
    );
    return isDone && due.length < most && free.length <= IN_A_TURN ? 'done' : 'more';
  }

  const postpone = (rows: readonly NotificationDelivery[]): Promise<void> =>
    store.write(async (tx) => {
      for (const row of rows) {
        const now = await tx.notificationDeliveries.findForUpdate(row);
        if (now?.status === 'queued') await tx.notificationDeliveries.update(row, { nextAt: clock() + BEHIND_MS });
      }
    });

  /** From now on they cannot be cancelled. False where one was, meanwhile. */
  const begin = (rows: readonly NotificationDelivery[]): Promise<boolean> =>
    store.write(async (tx) => {
      for (const row of rows) {
        const now = await tx.notificationDeliveries.findForUpdate(row);
        if (now?.status !== 'queued') return false;
        await tx.notificationDeliveries.update(row, { begunAt: clock() });
      }
      return true;
    });

  const worker = createJobQueue<Turn>({
    ...{ name: 'notifications', log, clock, intervalMs: roundMs, atOnce: AT_ONCE, due, perform },
    failed: 'notifications that wait could not be read',
    recovered: 'notifications that wait are read again',
    failing: createWorkOutage({
      ...{ part: 'notifications', log, clock },
      began: 'what became of notifications could not be stored',
      ended: 'what became of notifications is stored again',
    }),
    alone: (signal, rounds) =>
      store.exclusively('notifications', signal, async (held) => {
        isFirst = true;
        try {
          await rounds(held);
        } finally {
          await attempts.ended();
          lagMs = 0;
        }
      }),
  });
  return {
    worker,
    series: { attempts: () => [...counts].map(([channel, count]) => ({ channel, ...count })), lagMs: () => lagMs },
  };
}
