/** What operators may see and cancel of what others sent. The content of a rule's notification or a security notice takes the right to read its events. */
import { roleReaches } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import { EVENT_TYPE_NAMES, type EventType, mayReadEvent } from '../../core/events/event-types.ts';
import type { NotificationRecord } from '../../store/repositories/notifications.ts';
import type { Repositories } from '../../store/store.ts';
import { ownVoice } from '../policies/pass-change.ts';
import type { Credential } from '../requests/request-context.ts';

type Content = Pick<NotificationRecord, 'makerKind' | 'data'>;

/** The event types that a notification is about; none where somebody wrote it. A digest that does not name its types may be about any. */
function typesIn({ makerKind, data }: Content): readonly EventType[] {
  if (makerKind !== 'service' && typeof data?.rule_id !== 'string') return [];
  const named: readonly unknown[] = Array.isArray(data?.types) ? data.types : [data?.type];
  const known = EVENT_TYPE_NAMES.filter((name) => named.includes(name));
  return known.length === named.length ? known : EVENT_TYPE_NAMES;
}

const mayReadContent = (credential: Credential, content: Content): boolean =>
  typesIn(content).every((type) => mayReadEvent(credential, type));

/** Without what it says, where the credential may not read the events that it tells of. */
export const readableSent = (credential: Credential, one: NotificationRecord): NotificationRecord =>
  mayReadContent(credential, one)
    ? one
    : { ...one, subject: 'Events that this credential may not read', body: '', html: '', data: null };

/** Whose voice sent it: of a rotated key that of its successor, too. */
async function voiceOfMaker(
  read: Pick<Repositories, 'apiKeys' | 'oauthClients'>,
  { accountId, makerKind, makerId }: NotificationRecord,
): Promise<string> {
  if (makerKind === 'person') return makerId;
  const { apiKeys, oauthClients } = read;
  const made = makerKind === 'api_key' ? apiKeys.find(accountId, makerId) : oauthClients.find(accountId, makerId);
  return (await made)?.countsAs ?? makerId;
}

/** Security notices reach whom they are for; the rest ends whoever sent it, or an administrator. Throws `forbidden`. */
export async function assertMayCancel(
  read: Pick<Repositories, 'apiKeys' | 'oauthClients'>,
  credential: Credential,
  one: NotificationRecord,
): Promise<void> {
  const refused = (why: string) => new DomainError('forbidden', why, { field: 'notification_id' });
  if (one.makerKind === 'service') throw refused('security notices cannot be cancelled');
  if (credential.id === one.makerId) return;
  const isTheirs = roleReaches(credential.role, 'admin') || ownVoice(credential) === (await voiceOfMaker(read, one));
  if (isTheirs && mayReadContent(credential, one)) return;
  throw refused(`${one.makerId} sent it: only they, or an administrator who may read its events, can cancel it`);
}
