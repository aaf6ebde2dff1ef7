import type { OAuthClientRepository } from '../interfaces/oauth-clients.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { oauthClients } from '../tables/oauth.ts';

const clients = rowsOf(oauthClients);
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

export function oauthClientRepository(session: Session): OAuthClientRepository {
  const changed = (rows: bigint): boolean => {
    if (rows > 0n) session.note('credentials');
    return rows > 0n;
  };

  return {
    insert: async (client) => {
      await clients.insert(session, [client]);
    },
    findByClientId: (clientId) => clients.find(session, { clientId }),
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
      changed(await clients.update(session, { accountId, clientId, revokedAt: null }, { revokedAt: at })),
    touch: async (accountId, clientId, at) => {
      await clients.update(session, { accountId, clientId }, { lastUsedAt: at });
    },
  };
}
