import type { OAuthClientRepository } from '../interfaces/oauth-clients.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { oauthClients } from '../tables/oauth.ts';

const clients = rowsOf(oauthClients);
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

export function oauthClientRepository(session: Session): OAuthClientRepository {
  const changed = (rows: bigint): boolean => {
    if (rows > 0n) session.note('credentials');
    return rows > 0n;
  };

  return {
    insert: async (client) => {
      await clients.insert(session, [client]);
    },
    findByClientId: async (clientId) => {
      const row = await byId.first(session, { clientId });
      return row && clients.record(row);
    },
    find: (accountId, clientId) => clients.find(session, { accountId, clientId }),
    list: (accountId, page) => clients.page(session, { name: 'oauth-clients', where: { accountId } }, page),
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
