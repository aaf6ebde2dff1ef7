/** Whom a notification goes to: only people, groups and webhooks of its own account. */
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import {
  type NotificationChannel,
  TARGETS,
  type Target,
  type TargetKind,
} from '../../core/notifications/notification.ts';
import type { GroupRecord } from '../../store/repositories/groups.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { isActive } from '../credentials/credential-record.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { isWithinTime } from '../users/may-log-in.ts';
import type { Channel } from './channels/channel.ts';

type Read = Pick<Repositories, 'users' | 'apiKeys' | 'oauthClients' | 'groups' | 'webhooks'>;

const FIELDS: Readonly<Record<TargetKind, string>> = {
  user: 'to.user_id',
  group: 'to.group_id',
  address: 'to.address',
  webhook: 'to.webhook_id',
  subject: 'to',
};

/** Throws `invalid_value`, naming what the channel takes. */
function assertTakes(channel: NotificationChannel, { kind }: Target): void {
  if (TARGETS[channel].includes(kind)) return;
  const takes = TARGETS[channel].filter((one) => one !== 'subject').map((one) => FIELDS[one]);
  throw new DomainError('invalid_value', `the channel ${channel} takes ${takes.join(', or ')}, not ${FIELDS[kind]}`, {
    field: FIELDS[kind],
  });
}

/** Throws `not_found` for what is not the account's. */
async function assertThere(read: Read, accountId: AccountId, { kind, id }: Target): Promise<void> {
  const missing = (what: string) => new DomainError('not_found', `there is no such ${what}`, { field: FIELDS[kind] });
  if (kind === 'user') {
    const user = await read.users.find(accountId, id);
    if (user === null || user.deletedAt !== null) throw missing('user');
  }
  if (kind === 'group' && (await read.groups.find(accountId, id)) === null) throw missing('group');
  if (kind === 'webhook' && (await read.webhooks.find(accountId, id)) === null) throw missing('webhook');
}

/** Throws `invalid_value`, `not_configured`, `not_found`. */
export const createAssertReachable =
  (channels: readonly Channel[]) =>
  async (tx: Repositories, name: NotificationChannel, target: Target, context: RequestContext): Promise<void> => {
    assertTakes(name, target);
    const channel = channels.find((one) => one.name === name);
    if (!channel?.configured()) {
      const needs = channel?.needs ?? 'this service does not have it';
      throw new DomainError('not_configured', `the channel ${name} is not configured: ${needs}`, { field: 'channel' });
    }
    await assertThere(tx, context.accountId, target);
    await channel.assertReaches?.(tx, target, context);
  };
export type AssertReachable = ReturnType<typeof createAssertReachable>;

/** Whoever may log in now. */
export const isLetIn = (user: UserRecord | null, at: number): user is UserRecord =>
  user !== null && user.deletedAt === null && user.disabledAt === null && isWithinTime(user, at);

/** The subjects that a group's members count as, each once, in order; with `email` only people who have an address. */
export async function membersOf(
  read: Read,
  { accountId, userIds, apiKeyIds, oauthClientIds }: GroupRecord,
  { at, email }: { at: number; email: boolean },
): Promise<string[]> {
  const keys = (await read.apiKeys.among(accountId, apiKeyIds)).filter((key) => isActive(key, at));
  const clients = (await read.oauthClients.among(accountId, oauthClientIds)).filter((client) => isActive(client, at));
  const voices = [
    ...keys.map(({ countsAs, keyId }) => countsAs ?? keyId),
    ...clients.map(({ countsAs, clientId }) => countsAs ?? clientId),
  ];
  const people = await read.users.among(accountId, [...userIds, ...voices]);
  const reached = people.filter((user) => isLetIn(user, at) && (!email || user.email !== null));
  const known = new Set(people.map(({ userId }) => userId));
  const machines = email ? [] : voices.filter((voice) => !known.has(voice));
  return [...new Set([...reached.map(({ userId }) => userId), ...machines])].sort();
}
