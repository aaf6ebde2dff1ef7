/** What stands in the way of a wallet that is to be a treasury. */
import { sql } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';

const waiting = prepared((db, p: { accountId: AccountId; walletId: WalletId }) =>
  db
    .selectFrom('approvals')
    .select('approval_id as id')
    .where('account_id', '=', p.accountId)
    .where('wallet_id', '=', p.walletId)
    .where(sql<boolean>`(status = 'pending' or (status = 'approved' and done_at is null))`)
    .limit(1n),
);
const inContract = prepared((db, p: { accountId: AccountId; side: string }) =>
  db
    .selectFrom('contracts')
    .select('contract_id as id')
    .where('account_id', '=', p.accountId)
    .where('status', 'not in', ['closed', 'cancelled', 'failed'])
    .where((eb) => eb.or([eb('offer_side', 'like', p.side), eb('accept_side', 'like', p.side)]))
    .limit(1n),
);

export function treasuryRepository(session: Session) {
  return {
    /** Id of an approval that the wallet's coins or keys wait for; null where there is none. */
    waiting: async (accountId: AccountId, walletId: WalletId): Promise<string | null> =>
      (await waiting.first(session, { accountId, walletId }))?.id ?? null,
    /** Id of a contract with a side in the wallet that has not ended; null where there is none. */
    inContract: async (accountId: AccountId, walletId: WalletId): Promise<string | null> =>
      (await inContract.first(session, { accountId, side: `%"${walletId}"%` }))?.id ?? null,
  };
}
