import type { Selectable } from 'kysely';
import type { AccountRepository } from '../interfaces/accounts.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { newestFirst } from '../queries/newest-first.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { AccountRecord, Tier } from '../records.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, flag, numberOrNull } from './column-values.ts';

const insertAccounts = insertRows('accounts', [
  'account_id',
  'name',
  'platform',
  'tier',
  'created_at',
  'frozen_at',
  'frozen_reason',
]);
const findById = prepared((db, p: { accountId: string }) =>
  db.selectFrom('accounts').selectAll().where('account_id', '=', p.accountId),
);
const findByName = prepared((db, p: { name: string }) =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where('name', '=', p.name)
    .orderBy('created_at')
    .orderBy('account_id')
    .limit(1n),
);
/** Whoever makes an account waits here for the one made before: its name is then seen. */
const takeTurn = prepared((db) =>
  db
    .insertInto('settings')
    .values({ name: 'account_names', value: 'one at a time' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: 'one at a time' })),
);
const listAll = prepared((db) => db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('account_id'));
const countAll = prepared((db) => db.selectFrom('accounts').select((eb) => eb.fn.countAll<bigint>().as('count')));
const freezeAccount = prepared((db, p: { accountId: string; at: bigint; reason: string | null }) =>
  db
    .updateTable('accounts')
    .set({ frozen_at: p.at, frozen_reason: p.reason })
    .where('account_id', '=', p.accountId)
    .where('frozen_at', 'is', null),
);
const unfreezeAccount = prepared((db, p: { accountId: string }) =>
  db
    .updateTable('accounts')
    .set({ frozen_at: null, frozen_reason: null })
    .where('account_id', '=', p.accountId)
    .where('frozen_at', 'is not', null),
);

const toAccount = (row: Selectable<Schema['accounts']>): AccountRecord => ({
  accountId: row.account_id,
  name: row.name,
  platform: row.platform === 1n,
  tier: row.tier as Tier,
  createdAt: Number(row.created_at),
  frozenAt: numberOrNull(row.frozen_at),
  frozenReason: row.frozen_reason,
});

export function accountRepository(session: Session): AccountRepository {
  const noteIf = (changed: bigint): boolean => {
    if (changed > 0n) session.note('credentials');
    return changed > 0n;
  };
  const insert = async (account: AccountRecord): Promise<void> => {
    await insertAccounts(session, [
      {
        account_id: account.accountId,
        name: account.name,
        platform: flag(account.platform),
        tier: account.tier,
        created_at: BigInt(account.createdAt),
        frozen_at: bigintOrNull(account.frozenAt),
        frozen_reason: account.frozenReason,
      },
    ]);
  };
  return {
    insert,
    insertUnderNewName: async (account) => {
      await takeTurn.run(session, {});
      if ((await findByName.first(session, { name: account.name })) !== null) return false;
      await insert(account);
      return true;
    },
    find: async (accountId) => {
      const row = await findById.first(session, { accountId });
      return row && toAccount(row);
    },
    findByName: async (name) => {
      const row = await findByName.first(session, { name });
      return row && toAccount(row);
    },
    list: async () => (await listAll.all(session, {})).map(toAccount),
    page: async (filter, page) => {
      let matching = session.db.selectFrom('accounts');
      if (filter.name !== undefined) matching = matching.where('name', '=', filter.name);
      if (filter.frozen !== undefined) matching = matching.where('frozen_at', filter.frozen ? 'is not' : 'is', null);
      return await newestFirst('accounts', page, {
        rows: async (start, limit) => {
          const rows = matching.selectAll().orderBy('created_at', 'desc').orderBy('account_id', 'desc').limit(limit);
          if ('offset' in start) return await rows.offset(start.offset).execute();
          const { createdAt, id } = start.before;
          return await rows
            .where((eb) => eb(eb.refTuple('created_at', 'account_id'), '<', eb.tuple(createdAt, id)))
            .execute();
        },
        count: async () =>
          (await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        idOf: (row) => row.account_id,
        toRecord: toAccount,
      });
    },
    count: async () => Number((await countAll.first(session, {}))?.count ?? 0n),
    freeze: async (accountId, at, reason) =>
      noteIf(await freezeAccount.run(session, { accountId, at: BigInt(at), reason })),
    unfreeze: async (accountId) => noteIf(await unfreezeAccount.run(session, { accountId })),
  };
}
