import type { Role, Tier } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import { flag, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { amongTexts, ofAccountByIds, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const oauthClients = table('oauth_clients', ['clientId'], {
  clientId: text(),
  accountId: text<AccountId>(),
  name: text(),
  role: text<Role>(),
  scopes: json<readonly string[]>(),
  tier: text<Tier>(),
  limits: orNull(json<Readonly<Record<string, number>>>()),
  allowedIps: orNull(json<readonly string[]>()),
  requireSignature: flag,
  mayGrant: flag,
  /** As of API keys. */
  countsAs: orNull(text()),
  /** SHA-256 of the secret, hex. */
  secretHash: text(),
  /** The secret before the last rotation: it serves until then. */
  previousSecretHash: orNull(text()),
  previousSecretUntil: orNull(time),
  expiresAt: orNull(time),
  revokedAt: orNull(time),
  lastUsedAt: orNull(time),
  createdAt: time,
});
/** A program that gets access tokens for its id and secret (OAuth 2.0 client credentials). */
export type OAuthClientRecord = RecordOf<typeof oauthClients>;

declare module '../schema.ts' {
  interface Schema {
    oauth_clients: RowOf<typeof oauthClients>;
  }
}

const findAmong = prepared((db, p: { accountId: AccountId; ids: string }, kind) =>
  db
    .selectFrom('oauth_clients')
    .selectAll()
    .where(ofAccountByIds(kind, p.accountId))
    .where(amongTexts(kind, 'client_id', p.ids)),
);
const clients = rowsOf(oauthClients);
const expiring = prepared((db, p: { from: bigint; to: bigint }) =>
  clients.select(db).where('expires_at', '>', p.from).where('expires_at', '<=', p.to).where('revoked_at', 'is', null),
);
const rotateSecret = prepared(
  (
    db,
    p: {
      accountId: AccountId;
      clientId: string;
      secretHash: string;
      previousSecretUntil: bigint;
      countsAs: string | null;
    },
  ) =>
    db
      .updateTable('oauth_clients')
      .set((eb) => ({
        previous_secret_hash: eb.ref('secret_hash'),
        previous_secret_until: p.previousSecretUntil,
        secret_hash: p.secretHash,
        counts_as: p.countsAs,
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
    /** Those of these that there are, in whatever state. */
    among: async (accountId: AccountId, ids: readonly string[]) =>
      (await findAmong.all(session, { accountId, ids: textList(ids) })).map(clients.record),
    find: (accountId: AccountId, clientId: string) => clients.find(session, { accountId, clientId }),
    /** Of every account: those that end within the span, epoch milliseconds. */
    expiring: async ({ from, to }: { from: number; to: number }) =>
      (await expiring.all(session, { from: BigInt(from), to: BigInt(to) })).map(clients.record),
    /** Newest first, revoked ones too. */
    list: (accountId: AccountId, page: PageRequest) =>
      clients.page(session, { name: 'oauth-clients', where: { accountId } }, page),
    /** The present secret becomes the previous one. False where the client is not the account's or is revoked. */
    rotate: async (
      accountId: AccountId,
      clientId: string,
      {
        secretHash,
        previousSecretUntil,
        countsAs,
      }: { secretHash: string; previousSecretUntil: number; countsAs: string | null },
    ) =>
      changed(
        await rotateSecret.run(session, {
          accountId,
          clientId,
          secretHash,
          previousSecretUntil: BigInt(previousSecretUntil),
          countsAs,
        }),
      ),
    /** False where the client is not the account's or is revoked already. */
    revoke: async (accountId: AccountId, clientId: string, at: number) =>
      changed(await clients.update(session, { accountId, clientId, revokedAt: null }, { revokedAt: at })),
    touch: async (accountId: AccountId, clientId: string, at: number) => {
      await clients.update(session, { accountId, clientId }, { lastUsedAt: at });
    },
  };
}
