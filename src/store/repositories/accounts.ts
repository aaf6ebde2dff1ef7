import type { Generated } from 'kysely';
import type { Role, Tier } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import { flag, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const accountsTable = table('accounts', ['accountId'], {
  accountId: text<AccountId>(),
  name: text(),
  /** The account that runs the service: its administrators make accounts. */
  platform: flag,
  /** The highest that its credentials may have. */
  tier: text<Tier>(),
  createdAt: time,
  frozenAt: orNull(time),
  frozenReason: orNull(text()),
});
export type AccountRecord = RecordOf<typeof accountsTable>;

declare module '../schema.ts' {
  interface Schema {
    accounts: RowOf<typeof accountsTable> & { transaction_count: Generated<bigint>; script_count: Generated<bigint> };
  }
}

const accounts = rowsOf(accountsTable);
/** Whoever makes an account waits here for the one made before: its name is then seen. */
const takeTurn = prepared((db) =>
  db
    .insertInto('settings')
    .values({ name: 'account_names', value: 'one at a time' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: 'one at a time' })),
);
const unfreezeAccount = prepared((db, p: { accountId: AccountId }) =>
  db
    .updateTable('accounts')
    .set({ frozen_at: null, frozen_reason: null })
    .where('account_id', '=', p.accountId)
    .where('frozen_at', 'is not', null),
);

/** An account with one of its credentials; `role` null: it was revoked, disabled or deleted, or never was. */
type Standing = { frozen_at: bigint | null; role: string | null };
type StandingKey = { accountId: AccountId; id: string };
const standings = {
  api_key: prepared<StandingKey, Standing>((db, p) =>
    db
      .selectFrom('accounts')
      .leftJoin('api_keys as held', (join) =>
        join
          .onRef('held.account_id', '=', 'accounts.account_id')
          .on('held.key_id', '=', p.id)
          .on('held.revoked_at', 'is', null),
      )
      .select(['accounts.frozen_at', 'held.role'])
      .where('accounts.account_id', '=', p.accountId),
  ),
  oauth_client: prepared<StandingKey, Standing>((db, p) =>
    db
      .selectFrom('accounts')
      .leftJoin('oauth_clients as held', (join) =>
        join
          .onRef('held.account_id', '=', 'accounts.account_id')
          .on('held.client_id', '=', p.id)
          .on('held.revoked_at', 'is', null),
      )
      .select(['accounts.frozen_at', 'held.role'])
      .where('accounts.account_id', '=', p.accountId),
  ),
  person: prepared<StandingKey, Standing>((db, p) =>
    db
      .selectFrom('accounts')
      .leftJoin('users as held', (join) =>
        join
          .onRef('held.account_id', '=', 'accounts.account_id')
          .on('held.user_id', '=', p.id)
          .on('held.disabled_at', 'is', null)
          .on('held.deleted_at', 'is', null),
      )
      .select(['accounts.frozen_at', 'held.role'])
      .where('accounts.account_id', '=', p.accountId),
  ),
};

export function accountRepository(session: Session) {
  const noteIf = (changed: bigint): boolean => {
    if (changed > 0n) session.note('credentials');
    return changed > 0n;
  };
  const insert = async (account: AccountRecord): Promise<void> => {
    await accounts.insert(session, [account]);
  };
  const findByName = (name: string) => accounts.find(session, { name }, 'order by created_at, account_id limit 1');
  return {
    insert,
    /** False where an account has the name already, whichever process made it and however many are made at once. */
    insertUnderNewName: async (account: AccountRecord) => {
      await takeTurn.run(session, {});
      if ((await findByName(account.name)) !== null) return false;
      await insert(account);
      return true;
    },
    find: (accountId: AccountId) => accounts.find(session, { accountId }),
    /** Until the job ends no other job gets past this: of what an account has so many of, none is made in between. */
    lock: async (accountId: AccountId) => void (await accounts.findForUpdate(session, { accountId })),
    /** Whether it is frozen, and the role of one of its credentials; null where that has ended. */
    standing: async (accountId: AccountId, kind: keyof typeof standings, id: string) => {
      const row = await standings[kind].first(session, { accountId, id });
      return { frozen: row === null || row.frozen_at !== null, role: (row?.role ?? null) as Role | null };
    },
    /** The oldest where several have the name. */
    findByName,
    list: () => accounts.all(session, {}, 'order by created_at, account_id'),
    /** Newest first. */
    page: ({ name, frozen }: { name?: string; frozen?: boolean }, page: PageRequest) =>
      accounts.page(session, { name: 'accounts', where: { name }, given: { frozenAt: frozen } }, page),
    count: () => accounts.count(session, {}),
    /** Every process forgets the account's credentials. False where there is no such account, or it is frozen already. */
    freeze: async (accountId: AccountId, at: number, reason: string | null) =>
      noteIf(await accounts.update(session, { accountId, frozenAt: null }, { frozenAt: at, frozenReason: reason })),
    /** The same; false where it is not frozen. */
    unfreeze: async (accountId: AccountId) => noteIf(await unfreezeAccount.run(session, { accountId })),
  };
}
