import type { Selectable } from 'kysely';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { AccountRecord } from '../records.ts';
import type { Schema } from '../schema.ts';
import type { AccountRepository } from '../store.ts';
import { bigintOrNull, numberOrNull } from './column-values.ts';

const insertAccounts = insertRows('accounts', ['account_id', 'name', 'created_at', 'frozen_at']);
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
const listAll = prepared((db) => db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('account_id'));
const countAll = prepared((db) => db.selectFrom('accounts').select((eb) => eb.fn.countAll<bigint>().as('count')));

const toAccount = (row: Selectable<Schema['accounts']>): AccountRecord => ({
  accountId: row.account_id,
  name: row.name,
  createdAt: Number(row.created_at),
  frozenAt: numberOrNull(row.frozen_at),
});

export function accountRepository(session: Session): AccountRepository {
  return {
    insert: async (account) => {
      await insertAccounts(session, [
        {
          account_id: account.accountId,
          name: account.name,
          created_at: BigInt(account.createdAt),
          frozen_at: bigintOrNull(account.frozenAt),
        },
      ]);
    },
    find: async (accountId) => {
      const row = await findById.first(session, { accountId });
      return row && toAccount(row);
    },
    /** The oldest where several have the name. */
    findByName: async (name) => {
      const row = await findByName.first(session, { name });
      return row && toAccount(row);
    },
    list: async () => (await listAll.all(session, {})).map(toAccount),
    count: async () => Number((await countAll.first(session, {}))?.count ?? 0n),
  };
}
