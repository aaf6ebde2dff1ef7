/** Who paid deposits, and those that are frozen since a screening list has one of these. */
import type { AccountId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import type { Listed } from '../../core/policies/policy.ts';
import { json, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { coins } from './coin-rows.ts';

const payersTable = table('deposit_payers', ['matchKey', 'txid'], {
  accountId: text<AccountId>(),
  matchKey: text(),
  txid: text<Txid>(),
});
const depositsTable = table('screened_deposits', ['txid'], {
  accountId: text<AccountId>(),
  txid: text<Txid>(),
  status: text<'frozen' | 'released'>(),
  /** All that it was found on, also before it was released. */
  lists: json<readonly Listed[]>(),
  createdAt: time,
  updatedAt: time,
});
export type ScreenedDepositRecord = RecordOf<typeof depositsTable>;

declare module '../schema.ts' {
  interface Schema {
    deposit_payers: RowOf<typeof payersTable>;
    screened_deposits: RowOf<typeof depositsTable>;
  }
}

const payers = rowsOf(payersTable, 'on conflict (account_id, match_key, txid) do nothing');
const deposits = rowsOf(depositsTable);

const paying = prepared((db, p: { accountId: AccountId; keys: string }, kind) =>
  db
    .selectFrom('deposit_payers')
    .select('match_key')
    .distinct()
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'match_key', p.keys)),
);
const paidBy = prepared((db, p: { accountId: AccountId; key: string; after: string; limit: bigint }) =>
  db
    .selectFrom('deposit_payers')
    .select('txid')
    .where('account_id', '=', p.accountId)
    .where('match_key', '=', p.key)
    .where('txid', '>', p.after)
    .orderBy('txid')
    .limit(p.limit),
);
const frozenAmong = prepared((db, p: { accountId: AccountId; txids: string }, kind) =>
  db
    .selectFrom('screened_deposits')
    .select('txid')
    .where('account_id', '=', p.accountId)
    .where('status', '=', 'frozen')
    .where(amongTexts(kind, 'txid', p.txids)),
);

export function screenedDepositRepository(session: Session) {
  return {
    addPayers: async (accountId: AccountId, txid: Txid, keys: readonly string[]) => {
      await payers.insert(
        session,
        keys.map((matchKey) => ({ accountId, matchKey, txid })),
      );
    },
    /** Which of these keys paid deposits. */
    paying: async (accountId: AccountId, keys: readonly string[]): Promise<Set<string>> =>
      new Set((await paying.all(session, { accountId, keys: textList(keys) })).map((row) => row.match_key)),
    /** Deposits that this key paid, by txid, those behind one. */
    paidBy: async (accountId: AccountId, key: string, after: string, limit: number): Promise<Txid[]> =>
      (await paidBy.all(session, { accountId, key, after, limit: BigInt(limit) })).map((row) => row.txid as Txid),
    insert: async (deposit: ScreenedDepositRecord) => {
      await deposits.insert(session, [deposit]);
    },
    /** Until the job ends no other job changes it. */
    findForUpdate: (accountId: AccountId, txid: Txid) => deposits.findForUpdate(session, { accountId, txid }),
    find: (accountId: AccountId, txid: Txid) => deposits.find(session, { accountId, txid }),
    update: async ({ accountId, txid, ...patch }: ScreenedDepositRecord) => {
      await deposits.update(session, { accountId, txid }, patch);
    },
    /** Newest first. */
    page: (accountId: AccountId, filter: { status?: 'frozen' | 'released' }, page: PageRequest) =>
      deposits.page(session, { name: 'screened-deposits', where: { accountId, ...filter } }, page),
    frozenAmong: async (accountId: AccountId, txids: readonly Txid[]): Promise<Set<string>> =>
      txids.length === 0
        ? new Set()
        : new Set((await frozenAmong.all(session, { accountId, txids: textList(txids) })).map((row) => row.txid)),
    /** All coins that the deposit brought, in whatever wallet of the account. */
    lock: async ({ accountId, txid }: Pick<ScreenedDepositRecord, 'accountId' | 'txid'>, locked: boolean) => {
      await coins.update(session, { accountId, txid }, { locked });
    },
  };
}
