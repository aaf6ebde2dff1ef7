/** The ids that rules, groups and the config name, and whether they exist. */
import { DomainError, refuseAll } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Approvers, Policy } from '../../core/policies/policy.ts';
import type { Repositories } from '../../store/store.ts';

type Kind = 'wallet' | 'user' | 'API key' | 'OAuth client' | 'group' | 'address book entry' | 'screening list';

export interface Reference {
  readonly kind: Kind;
  readonly id: string;
  /** The field of the request that names it. */
  readonly field: string;
}

export const namedIn = (kind: Kind, field: string, ids: readonly string[] = []): Reference[] =>
  ids.map((id, at) => ({ kind, id, field: `${field}[${at}]` }));

export const namedByApprovers = (field: string, { userIds, groups }: Approvers): Reference[] => [
  ...namedIn('user', `${field}.user_ids`, userIds),
  ...namedIn('group', `${field}.groups`, groups),
];

export const namedByPolicy = ({
  when: { wallets, initiators, destinations, screening },
  then,
}: Pick<Policy, 'when' | 'then'>): Reference[] => [
  ...namedIn('wallet', 'when.wallets', wallets),
  ...namedIn('user', 'when.initiators.user_ids', initiators?.userIds),
  ...namedIn('API key', 'when.initiators.api_key_ids', initiators?.apiKeyIds),
  ...namedIn('group', 'when.initiators.groups', initiators?.groups),
  // Ids and tags share one list on the wire.
  ...(destinations?.entries ?? []).map((id) => ({
    ...{ kind: 'address book entry' as const, id },
    field: 'when.destinations.address_book',
  })),
  ...namedIn('screening list', 'when.screening.lists', screening?.lists),
  ...(then.action === 'approve' ? namedByApprovers('then.from', then.from) : []),
];

type Read = Pick<
  Repositories,
  'wallets' | 'users' | 'apiKeys' | 'oauthClients' | 'groups' | 'addressBook' | 'screeningLists'
>;

/** References to what the account does not have; with `ended` also to what was revoked or disabled. */
export async function missingAmong(
  read: Read,
  accountId: AccountId,
  references: readonly Reference[],
  { ended }: { ended: boolean },
): Promise<Reference[]> {
  const ids = (kind: Kind): string[] => references.filter((one) => one.kind === kind).map(({ id }) => id);
  const stands = (revokedAt: number | null): boolean => !ended || revokedAt === null;
  const found = new Set<string>();
  const asked = <T>(kind: Kind, look: (ids: string[]) => Promise<T[]>) => {
    const named = ids(kind);
    return named.length === 0 ? [] : look(named);
  };
  for (const { walletId } of await asked('wallet', (all) => read.wallets.findByIds(accountId, all as WalletId[])))
    found.add(walletId);
  for (const user of await asked('user', (all) => read.users.among(accountId, all)))
    if (user.deletedAt === null) found.add(user.userId);
  for (const key of await asked('API key', (all) => read.apiKeys.among(accountId, all)))
    if (stands(key.revokedAt)) found.add(key.keyId);
  for (const client of await asked('OAuth client', (all) => read.oauthClients.among(accountId, all)))
    if (stands(client.revokedAt)) found.add(client.clientId);
  for (const { entryId } of await asked('address book entry', (all) => read.addressBook.findAll(accountId, all)))
    found.add(entryId);
  for (const { listId } of await asked('screening list', () => read.screeningLists.all(accountId))) found.add(listId);
  for (const { groupId } of await asked('group', () => read.groups.all(accountId))) found.add(groupId);
  return references.filter(({ id }) => !found.has(id));
}

/** Throws `not_found`, with the field, for what the account does not have. */
export async function assertThere(read: Read, accountId: AccountId, references: readonly Reference[]): Promise<void> {
  const missing = await missingAmong(read, accountId, references, { ended: false });
  refuseAll(missing.map(({ kind, id, field }) => new DomainError('not_found', `there is no ${kind} ${id}`, { field })));
}
