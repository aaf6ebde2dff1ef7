/**
 * Notifies people of what concerns their security: always in_app, whatever they prefer. The event is written with its operation; this reads it
 * later, so that it cannot fail that operation. An event that is read again after a crash makes the same notifications.
 */
import { hash } from 'node:crypto';
import type { UpdateData } from '../../../core/events/channels.ts';
import { type AccountId, newOrderedId } from '../../../core/ids.ts';
import { eventSubject, eventText } from '../../../core/notifications/event-text.ts';
import type { NotificationChannel } from '../../../core/notifications/notification.ts';
import type { StoredEvent } from '../../../store/records.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { administrators, type Counting } from '../../policies/voices.ts';
import type { Turn } from '../../webhooks/deliver-events.ts';
import type { Enqueue } from '../enqueue.ts';

/** Events of one turn. */
const PAGE = 20;
/** Administrators that are notified, at most. */
const MOST = 100;
/** Of these the account's administrators learn, too, besides whom it concerns. */
const OF_ALL: ReadonlySet<string> = new Set(['key_created', 'key_revoked', 'policy_changed', 'user_changed']);

export function createSecurityNotices(deps: {
  store: Store;
  enqueue: Enqueue;
  onQueued: () => void;
  /** Whether a subject can be reached by push. */
  hasPush: (accountId: AccountId, subject: string) => Promise<boolean>;
  signaturePolicy: Counting['signaturePolicy'];
  clock: () => number;
}) {
  const { store, enqueue, onQueued, hasPush, signaturePolicy, clock } = deps;
  const { read } = store;

  async function subjectsOf(accountId: AccountId, { notice, target, credential }: UpdateData['security']) {
    const { kind, id } = credential;
    const record =
      kind === 'api_key'
        ? await read.apiKeys.find(accountId, id)
        : kind === 'oauth_client'
          ? await read.oauthClients.find(accountId, id)
          : null;
    const concerned = [record?.countsAs ?? id, ...(target?.startsWith('usr_') ? [target] : [])];
    const all = OF_ALL.has(notice)
      ? await administrators({ read, accountId, at: clock(), signaturePolicy })
      : new Set<string>();
    return [...new Set([...concerned, ...[...all].slice(0, MOST)])];
  }

  /** With the name of a person or key beside its id, where it has one. */
  async function named(accountId: AccountId, id: string): Promise<string> {
    const name = id.startsWith('usr_')
      ? (await read.users.find(accountId, id))?.username
      : ((await read.apiKeys.find(accountId, id)) ?? (await read.oauthClients.find(accountId, id)))?.name;
    return name ? `${name} (${id})` : id;
  }

  async function textOf(
    accountId: AccountId,
    data: UpdateData['security'],
  ): Promise<{ subject: string; body: string }> {
    const { notice, target, credential } = data;
    const type = `security.${notice}` as const;
    const who = { by: await named(accountId, credential.id), target: target && (await named(accountId, target)) };
    return { subject: eventSubject(type, data), body: eventText(type, { ...data, ...who }) };
  }

  async function tell(
    tx: Repositories,
    event: StoredEvent,
    { accountId, subject, byPush }: { accountId: AccountId; subject: string; byPush: boolean },
    text: { subject: string; body: string },
  ) {
    const data = JSON.parse(event.data) as UpdateData['security'];
    const type = `security.${data.notice}` as const;
    const channels: NotificationChannel[] = byPush ? ['in_app', 'push'] : ['in_app'];
    for (const channel of channels) {
      const from = hash('sha256', `${event.seq} ${subject} ${channel}`, 'buffer');
      await enqueue(tx, {
        ...{ accountId, channel, target: { kind: 'subject', id: subject }, isNotice: true },
        notificationId: newOrderedId('ntf', event.createdAt, (size) => from.subarray(0, size)),
        maker: { kind: 'service', id: 'security' },
        ...text,
        data: { type, seq: Number(event.seq), ...data },
      });
    }
  }

  return async (accountId: AccountId, { since, seen }: { since: bigint; seen: bigint }): Promise<Turn> => {
    const events = await read.events.after(since - 1n, PAGE, { accountId, channel: 'security' });
    for (const event of events) {
      const data = JSON.parse(event.data) as UpdateData['security'];
      const subjects = await subjectsOf(accountId, data);
      const text = await textOf(accountId, data);
      const byPush = new Set<string>();
      for (const subject of subjects) if (await hasPush(accountId, subject)) byPush.add(subject);
      await store.write(async (tx) => {
        for (const subject of subjects)
          await tell(tx, event, { accountId, subject, byPush: byPush.has(subject) }, text);
      });
    }
    if (events.length > 0) onQueued();
    const isLast = events.length < PAGE;
    return { covered: isLast ? seen : events.at(-1)!.seq, more: !isLast };
  };
}
