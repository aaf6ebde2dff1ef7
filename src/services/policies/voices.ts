/** The possible approvers: people, and credentials that sign and count as themselves. */
import { type Rights, ROLES, type Role, roleReaches, scopeAllows } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Approvers } from '../../core/policies/policy.ts';
import { canVote } from '../../core/policies/rules-change.ts';
import type { ApiKeyRecord } from '../../store/records.ts';
import type { OAuthClientRecord } from '../../store/repositories/oauth-clients.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { isActive } from '../credentials/credential-record.ts';
import { isWithinTime } from '../users/may-log-in.ts';

type Read = Pick<Repositories, 'users' | 'apiKeys' | 'oauthClients' | 'groups'>;

export interface Counting {
  readonly read: Read;
  readonly accountId: AccountId;
  readonly at: number;
  readonly signaturePolicy: 'required' | 'per-key';
}

/** More than a rule can require: beyond so many of one kind, further ones make no difference. */
const MANY = { limit: 1_000, offset: 0 };
type May = (rights: Pick<Rights, 'role' | 'scopes'>) => boolean;

const mayChange: May = ({ role, scopes }) => roleReaches(role, 'admin') && scopeAllows(scopes, 'policies:write');

/** The voices that may approve under this. */
export async function voicesOf(
  counting: Counting,
  { roles = [], userIds = [], groups = [] }: Approvers,
): Promise<Set<string>> {
  const { read, accountId } = counting;
  const named = groups.length === 0 ? [] : await read.groups.all(accountId);
  const members = named.filter(({ groupId }) => groups.includes(groupId));
  const voices = await ofRoles(
    counting,
    ROLES.filter((role) => roles.some((least) => roleReaches(role, least))),
    canVote,
  );
  const people = [...userIds, ...members.flatMap((group) => group.userIds)];
  const found = {
    users: await read.users.among(accountId, people),
    keys: await read.apiKeys.among(
      accountId,
      members.flatMap((group) => group.apiKeyIds),
    ),
    clients: await read.oauthClients.among(
      accountId,
      members.flatMap((group) => group.oauthClientIds),
    ),
  };
  for (const voice of standing(counting, found, canVote)) voices.add(voice);
  return voices;
}

/** The voices that may change rules. */
export const administrators = (counting: Counting): Promise<Set<string>> => ofRoles(counting, ['admin'], mayChange);

async function ofRoles(counting: Counting, roles: readonly Role[], may: May): Promise<Set<string>> {
  const { read, accountId, at } = counting;
  const voices = new Set<string>();
  if (roles.length === 0) return voices;
  const clients = (await read.oauthClients.list(accountId, MANY)).data.filter(({ role }) => roles.includes(role));
  for (const voice of standing(counting, { users: [], keys: [], clients }, may)) voices.add(voice);
  for (const role of roles) {
    const { data: users } = await read.users.list(accountId, { role, disabled: false }, MANY);
    const { data: keys } = await read.apiKeys.page(accountId, { role, active: { is: true, at } }, MANY);
    for (const voice of standing(counting, { users, keys, clients: [] }, may)) voices.add(voice);
  }
  return voices;
}

interface Found {
  readonly users: readonly UserRecord[];
  readonly keys: readonly ApiKeyRecord[];
  readonly clients: readonly OAuthClientRecord[];
}

function standing({ at, signaturePolicy }: Counting, { users, keys, clients }: Found, may: May): string[] {
  const signs = ({ requireSignature }: Pick<Rights, 'requireSignature'>) =>
    requireSignature || signaturePolicy === 'required';
  return [
    ...users
      .filter((user) => user.deletedAt === null && user.disabledAt === null && isWithinTime(user, at) && may(user))
      .map(({ userId }) => userId),
    ...keys.filter((key) => isActive(key, at) && signs(key) && may(key)).map((key) => key.countsAs ?? key.keyId),
    ...clients.filter((one) => isActive(one, at) && signs(one) && may(one)).map((one) => one.countsAs ?? one.clientId),
  ];
}
