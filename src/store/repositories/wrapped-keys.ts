import type { WrappedKeyRepository } from '../interfaces/wrapped-keys.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { EncryptedSecret } from '../records.ts';

/** The first name that does not begin so any more: both databases compare names byte by byte. */
const endOf = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

const settingsBetween = prepared((db, p: { from: string; to: string }) =>
  db.selectFrom('settings').selectAll().where('name', '>=', p.from).where('name', '<', p.to).orderBy('name'),
);
const countSecrets = prepared((db) =>
  db
    .selectFrom('wallets')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('secret', 'is not', null),
);
const secretsAfter = prepared((db, p: { after: string; limit: bigint }) =>
  db
    .selectFrom('wallets')
    .select(['wallet_id', 'secret'])
    .where('wallet_id', '>', p.after)
    .where('secret', 'is not', null)
    .orderBy('wallet_id')
    .limit(p.limit),
);
const replaceSecret = prepared((db, p: { walletId: string; secret: string }) =>
  db.updateTable('wallets').set({ secret: p.secret }).where('wallet_id', '=', p.walletId),
);

export function wrappedKeyRepository(session: Session): WrappedKeyRepository {
  return {
    settings: (prefix) => settingsBetween.all(session, { from: prefix, to: endOf(prefix) }),
    countWalletSecrets: async () => Number((await countSecrets.first(session, {}))?.count ?? 0n),
    walletSecrets: async (after, limit) =>
      (await secretsAfter.all(session, { after, limit: BigInt(limit) })).map((row) => ({
        walletId: row.wallet_id,
        secret: JSON.parse(row.secret as string) as EncryptedSecret,
      })),
    replaceWalletSecret: async (walletId, secret) => {
      await replaceSecret.run(session, { walletId, secret: JSON.stringify(secret) });
    },
  };
}
