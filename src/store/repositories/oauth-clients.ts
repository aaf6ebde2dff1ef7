import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { PageRequest } from '../records.ts';
import type { OAuthClientRecord } from '../tables/oauth.ts';
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

export function oauthClientRepository(session: Session) {
  const changed = (rows: bigint): boolean => {
    if (rows > 0n) session.note('credentials');
    return rows > 0n;
  };

  return {
    insert: async (client: OAuthClientRecord) => {
      await clients.insert(session, [client]);
    },
    /** Whatever the account: this is how a client's account becomes known. */
    findByClientId: (clientId: string) => clients.find(session, { clientId }),
    find: (accountId: string, clientId: string) => clients.find(session, { accountId, clientId }),
    /** Newest first, revoked ones too. */
    list: (accountId: string, page: PageRequest) =>
      clients.page(session, { name: 'oauth-clients', where: { accountId } }, page),
    /** The present secret becomes the previous one. False where the client is not the account's or is revoked. */
    rotate: async (
      accountId: string,
      clientId: string,
      { secretHash, previousSecretUntil }: { secretHash: string; previousSecretUntil: number },
    ) =>
      changed(
        await rotateSecret.run(session, {
          accountId,
          clientId,
          secretHash,
          previousSecretUntil: BigInt(previousSecretUntil),
        }),
      ),
    /** False where the client is not the account's or is revoked already. */
    revoke: async (accountId: string, clientId: string, at: number) =>
      changed(await clients.update(session, { accountId, clientId, revokedAt: null }, { revokedAt: at })),
    touch: async (accountId: string, clientId: string, at: number) => {
      await clients.update(session, { accountId, clientId }, { lastUsedAt: at });
    },
  };
}
