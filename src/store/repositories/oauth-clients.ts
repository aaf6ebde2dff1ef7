import type { Selectable } from 'kysely';
import type { Role, Tier } from '../../core/access.ts';
import type { OAuthClientRecord, OAuthClientRepository } from '../interfaces/oauth-clients.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { newestFirst } from '../queries/newest-first.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, flag, jsonOrNull, numberOrNull, parsedOrNull } from './column-values.ts';

const insertClients = insertRows('oauth_clients', [
  'client_id',
  'account_id',
  'name',
  'role',
  'scopes',
  'tier',
  'limits',
  'allowed_ips',
  'require_signature',
  'may_grant',
  'secret_hash',
  'previous_secret_hash',
  'previous_secret_until',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'created_at',
]);
const byId = prepared((db, p: { clientId: string }) =>
  db.selectFrom('oauth_clients').selectAll().where('client_id', '=', p.clientId),
);
const rotateSecret = prepared(
  (db, p: { accountId: string; clientId: string; secretHash: string; previousSecretUntil: bigint }) =>
    db
      .updateTable('oauth_clients')
      .set((eb) => ({
        previous_secret_hash: eb.ref('secret_hash'),
        previous_secret_until: p.previousSecretUntil,
        secret_hash: p.secretHash,
      }))
      .where('client_id', '=', p.clientId)
      .where('account_id', '=', p.accountId)
      .where('revoked_at', 'is', null),
);
const revokeClient = prepared((db, p: { accountId: string; clientId: string; at: bigint }) =>
  db
    .updateTable('oauth_clients')
    .set({ revoked_at: p.at })
    .where('client_id', '=', p.clientId)
    .where('account_id', '=', p.accountId)
    .where('revoked_at', 'is', null),
);
const touchClient = prepared((db, p: { accountId: string; clientId: string; at: bigint }) =>
  db
    .updateTable('oauth_clients')
    .set({ last_used_at: p.at })
    .where('client_id', '=', p.clientId)
    .where('account_id', '=', p.accountId),
);

const toClient = (row: Selectable<Schema['oauth_clients']>): OAuthClientRecord => ({
  clientId: row.client_id,
  accountId: row.account_id,
  name: row.name,
  role: row.role as Role,
  scopes: JSON.parse(row.scopes) as string[],
  tier: row.tier as Tier,
  limits: parsedOrNull(row.limits),
  allowedIps: parsedOrNull(row.allowed_ips),
  requireSignature: row.require_signature === 1n,
  mayGrant: row.may_grant === 1n,
  secretHash: row.secret_hash,
  previousSecretHash: row.previous_secret_hash,
  previousSecretUntil: numberOrNull(row.previous_secret_until),
  expiresAt: numberOrNull(row.expires_at),
  revokedAt: numberOrNull(row.revoked_at),
  lastUsedAt: numberOrNull(row.last_used_at),
  createdAt: Number(row.created_at),
});

export function oauthClientRepository(session: Session): OAuthClientRepository {
  async function findByClientId(clientId: string): Promise<OAuthClientRecord | null> {
    const row = await byId.first(session, { clientId });
    return row && toClient(row);
  }
  const changed = (rows: bigint): boolean => {
    if (rows > 0n) session.note('credentials');
    return rows > 0n;
  };

  return {
    insert: async (client) => {
      await insertClients(session, [
        {
          client_id: client.clientId,
          account_id: client.accountId,
          name: client.name,
          role: client.role,
          scopes: JSON.stringify(client.scopes),
          tier: client.tier,
          limits: jsonOrNull(client.limits),
          allowed_ips: jsonOrNull(client.allowedIps),
          require_signature: flag(client.requireSignature),
          may_grant: flag(client.mayGrant),
          secret_hash: client.secretHash,
          previous_secret_hash: client.previousSecretHash,
          previous_secret_until: bigintOrNull(client.previousSecretUntil),
          expires_at: bigintOrNull(client.expiresAt),
          revoked_at: bigintOrNull(client.revokedAt),
          last_used_at: bigintOrNull(client.lastUsedAt),
          created_at: BigInt(client.createdAt),
        },
      ]);
    },
    findByClientId,
    find: async (accountId, clientId) => {
      const client = await findByClientId(clientId);
      return client?.accountId === accountId ? client : null;
    },
    list: (accountId, page) => {
      const matching = session.db.selectFrom('oauth_clients').where('account_id', '=', accountId);
      return newestFirst('oauth-clients', page, {
        rows: (start, limit) => {
          const rows = matching.selectAll().orderBy('created_at', 'desc').orderBy('client_id', 'desc').limit(limit);
          if ('offset' in start) return rows.offset(start.offset).execute();
          const { createdAt, id } = start.before;
          return rows.where((eb) => eb(eb.refTuple('created_at', 'client_id'), '<', eb.tuple(createdAt, id))).execute();
        },
        count: async () =>
          (await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        idOf: (row) => row.client_id,
        toRecord: toClient,
      });
    },
    rotate: async (accountId, clientId, { secretHash, previousSecretUntil }) =>
      changed(
        await rotateSecret.run(session, {
          accountId,
          clientId,
          secretHash,
          previousSecretUntil: BigInt(previousSecretUntil),
        }),
      ),
    revoke: async (accountId, clientId, at) =>
      changed(await revokeClient.run(session, { accountId, clientId, at: BigInt(at) })),
    touch: async (accountId, clientId, at) => {
      await touchClient.run(session, { accountId, clientId, at: BigInt(at) });
    },
  };
}
