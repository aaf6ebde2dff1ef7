/** Credentials and people of a service's first account with any rights, and what a set of rights comes to: every act that it lets. */
import { randomBytes } from 'node:crypto';
import { type Rights, ROLES, TIERS } from '../../src/core/access.ts';
import { newId } from '../../src/core/ids.ts';
import type { PublicJwk } from '../../src/core/request-signatures/signing-algorithm.ts';
import { newOAuthClient } from '../../src/services/credentials/new-oauth-client.ts';
import type { KeyOwner } from '../../src/store/repositories/signing-keys.ts';
import { sessionRecord, userRecord } from '../conformance/store/users.ts';
import type { TestApp } from './app.ts';

export const WRITES = ['ai-budgets', 'api-keys', 'oauth-clients', 'users', 'signing-keys', 'accounts'].map(
  (noun) => `${noun}:write`,
);
const SOON_MS = 3_600_000;

export const BASE: Rights = {
  role: 'admin',
  scopes: ['*'],
  tier: 'free',
  limits: null,
  expiresAt: null,
  allowedIps: null,
  requireSignature: true,
  mayGrant: false,
};

const product = <T>(lists: readonly (readonly T[])[]): T[][] =>
  lists.reduce<T[][]>((made, list) => made.flatMap((one) => list.map((more) => [...one, more])), [[]]);

/** What may be done at all: by which scope and role. */
export const ranks = ({ role, scopes, mayGrant }: Rights): Set<string> => {
  const known = ['wallets:read', 'wallets:write', 'nobody:write', ...WRITES];
  const allowed = known.filter(
    (one) => scopes.includes('*') || scopes.includes(one) || scopes.includes(one.replace(':read', ':write')),
  );
  const acts = product<string>([allowed, ROLES.slice(0, ROLES.indexOf(role) + 1)]).map((act) => act.join(' '));
  return new Set(mayGrant ? [...acts, 'grant'] : acts);
};

/** The same, and when, from where, and at which pace. */
export const acts = (rights: Rights): Set<string> => {
  const times = rights.expiresAt === null ? ['now', 'later'] : ['now'];
  const places = rights.allowedIps === null ? ['here', 'there'] : ['here'];
  const paces = TIERS.slice(0, TIERS.indexOf(rights.tier) + 1);
  return new Set(product<string>([[...ranks(rights)], times, places, paces]).map((act) => act.join(' ')));
};

export const has = (all: Set<string>, some: Set<string>): boolean => [...some].every((one) => all.has(one));

export interface RightsWorld {
  /** Ends and addresses of those that are bounded. */
  readonly soon: number;
  readonly here: string[];
  /** With a signing key of its own. */
  make(kind: KeyOwner['kind'], now: Rights, formerly?: Rights): Promise<Subject>;
}
export interface Subject {
  readonly kind: KeyOwner['kind'];
  readonly id: string;
  readonly signingKeyId: string;
  readonly sessionId: string;
  readonly username: string;
}

export function rightsWorld({ app, accountId }: TestApp): RightsWorld {
  const { store, services } = app;
  async function insert(kind: KeyOwner['kind'], rights: Rights, hadRights: Rights): Promise<string> {
    const named = { accountId, name: 'subject', ...rights };
    if (kind === 'api_key') return (await services.apiKeys.create(named)).record.keyId;
    if (kind === 'oauth_client') {
      const { record } = newOAuthClient(named, randomBytes, Date.now());
      await store.write((tx) => tx.oauthClients.insert(record));
      return record.clientId;
    }
    const userId = newId('usr', randomBytes);
    const { limits: _, requireSignature: __, ...own } = rights;
    const user = userRecord(userId, { accountId, ...own, hadRights, setByRights: { ...BASE, mayGrant: true } });
    const expiresAt = Date.now() + SOON_MS;
    await store.write(async (tx) => {
      await tx.users.insert(user, { username: userId.toLowerCase(), email: null });
      await tx.sessions.insert(sessionRecord(userId.replace('usr', 'ses'), { accountId, userId, expiresAt }));
    });
    return userId;
  }
  return {
    soon: Date.now() + SOON_MS,
    here: ['127.0.0.0/8'],
    async make(kind, now, formerly = now) {
      const id = await insert(kind, now, formerly);
      const publicJwk: PublicJwk = services.signingKeys.newPair().publicJwk;
      const owner = { accountId, kind, id };
      const { keyId } = await store.write((tx) => services.signingKeys.enrol(tx, owner, { name: 'own', publicJwk }));
      return { kind, id, signingKeyId: keyId, sessionId: id.replace('usr', 'ses'), username: id.replace('_', '-') };
    },
  };
}
