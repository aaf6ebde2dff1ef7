/** Which events a webhook delivers, according to its creator's rights at each delivery; and who may change a webhook. */
import { narrowScopes, type Rights, roleReaches } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import { EVENT_TYPES, type EventType, mayReadEvent, typesMatching } from '../../core/events/event-types.ts';
import type { AccountId } from '../../core/ids.ts';
import type { WebhookRecord } from '../../store/repositories/webhooks.ts';
import type { Repositories } from '../../store/store.ts';
import { rightsNow } from '../connections/may-read.ts';
import type { RequestContext } from '../requests/request-context.ts';

type Made = Pick<WebhookRecord, 'accountId' | 'events' | 'makerKind' | 'makerId' | 'makerRole' | 'makerScopes'>;
type Read = Pick<Repositories, 'accounts' | 'apiKeys' | 'oauthClients' | 'users'>;

export type WebhookRights = Pick<Rights, 'role' | 'scopes'>;

export const typesOf = ({ events }: Pick<WebhookRecord, 'events'>): EventType[] => [
  ...new Set(events.flatMap(typesMatching)),
];

/** The rights that both have. */
export const commonRights = (one: WebhookRights, other: WebhookRights): WebhookRights => ({
  role: roleReaches(one.role, other.role) ? other.role : one.role,
  scopes: narrowScopes(one.scopes, other.scopes),
});

/** The credential that was shown a webhook's secret, and could sign with it. */
export type SecretHolder = Pick<WebhookRecord, 'makerKind' | 'makerId'>;
const ENDED = 'was revoked or disabled, or has expired';

/** The columns that name the creator, on whose behalf it delivers. */
export const madeBy = ({ kind, id, role, scopes }: Credential) => ({
  ...{ makerKind: kind, makerId: id, makerRole: role, makerScopes: scopes },
});

/** The types that are delivered, or why none are any more. `holder`: of a webhook, who was shown its current secret. */
export async function deliverable(
  read: Read,
  webhook: Made,
  at: number,
  holder: SecretHolder | null = null,
): Promise<{ rights: WebhookRights; types: ReadonlySet<EventType> } | { reason: string }> {
  const { makerId, makerRole, makerScopes } = webhook;
  const now = await rightsNow(read, webhook, at);
  if (now === null) return { reason: `${makerId}, which set it up, ${ENDED}` };
  if (!(await isHeld(read, webhook.accountId, holder, at)))
    return { reason: `${holder?.makerId}, which knows its secret, ${ENDED}: rotate the secret` };
  const rights = commonRights(now, { role: makerRole, scopes: makerScopes });
  const types = new Set(typesOf(webhook).filter((type) => mayReadEvent(rights, type)));
  if (types.size > 0) return { rights, types };
  return { reason: `${makerId}, which set it up, may not read any of its events any more` };
}

/** Whether the holder of a secret still is a credential of the account; also where it is not known who that is. */
export const isHeld = async (read: Read, accountId: AccountId, holder: SecretHolder | null, at: number) =>
  holder === null || (await rightsNow(read, { accountId, ...holder }, at)) !== null;

/** For a webhook that its next event would disable nothing else is signed, either. Throws `state_conflict`. */
export async function assertDelivers(
  field: 'webhook_id' | 'to.webhook_id',
  ...webhook: Parameters<typeof deliverable>
): Promise<void> {
  const may = await deliverable(...webhook);
  if ('reason' in may)
    throw new DomainError('state_conflict', `the webhook delivers nothing: ${may.reason}`, { field });
}

/** Types that are named singly must be readable; a pattern stands for those that are. Throws `forbidden`. */
export function assertReadable(rights: WebhookRights, events: readonly string[]): void {
  for (const [at, pattern] of events.entries()) {
    const types = typesMatching(pattern);
    if (types.some((type) => mayReadEvent(rights, type))) continue;
    const access = types.map((type) => EVENT_TYPES[type].access).find((one) => one !== null);
    const needs = access ? `: that takes the role ${access.role} and the scope ${access.scope}` : '';
    throw new DomainError('forbidden', `this credential may not read ${pattern}${needs}`, { field: `events[${at}]` });
  }
}

type Credential = Pick<RequestContext['credential'], 'kind' | 'id' | 'role' | 'scopes'>;

/** What refusals call it. */
interface Named {
  readonly noun: string;
  readonly field: string;
}
const WEBHOOK: Named = { noun: 'webhook', field: 'webhook_id' };

/** A lesser credential cannot take over the deliveries of a greater one, or read a secret that signs them. Throws `forbidden`. */
export function assertMayDelete(webhook: Made, by: WebhookRights, { noun, field }: Named = WEBHOOK): void {
  const beyond = unreadableType(webhook, by);
  if (beyond === undefined) return;
  throw new DomainError('forbidden', `the ${noun} delivers ${beyond}, which this credential may not read`, { field });
}

/** A type that the webhook delivers and these rights do not read. */
export function unreadableType(webhook: Made, by: WebhookRights): EventType | undefined {
  const { makerRole: role, makerScopes: scopes } = webhook;
  return typesOf(webhook).find((type) => mayReadEvent({ role, scopes }, type) && !mayReadEvent(by, type));
}

/**
 * Nobody else can revive a webhook whose creator has ended: its URL and secret were chosen by somebody who is gone. Throws `forbidden`,
 * `state_conflict`.
 */
export async function assertMayChange(
  read: Read,
  webhook: Made,
  by: Credential,
  at: number,
  named: Named = WEBHOOK,
): Promise<void> {
  assertMayDelete(webhook, by, named);
  if ((await rightsNow(read, webhook, at)) !== null) return;
  const { noun, field } = named;
  throw new DomainError(
    'state_conflict',
    `${webhook.makerId}, which set it up, ${ENDED}: delete the ${noun} and create another`,
    { field },
  );
}

/**
 * A webhook that another credential changes still delivers on behalf of its creator, within the rights of both. Whoever chooses where it
 * delivers to becomes its creator, within these rights, too: it ends with the one who gets what it delivers.
 */
export function onBehalfOf(
  webhook: Made,
  by: RequestContext['credential'],
  { changesTarget }: { readonly changesTarget: boolean },
) {
  const { kind, id } = by;
  if (webhook.makerKind === kind && webhook.makerId === id) return { rights: by as WebhookRights, maker: madeBy(by) };
  const rights = commonRights(by, { role: webhook.makerRole, scopes: webhook.makerScopes });
  return { rights, maker: changesTarget ? madeBy({ kind, id, ...rights }) : {} };
}
