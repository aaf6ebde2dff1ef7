/** Who is behind payments: data of the travel rule, encrypted, of each recipient of a transaction. */
import type { AccountId } from '../../core/ids.ts';
import type { Txid } from '../../core/outpoint.ts';
import { integer, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const travelRuleTable = table('travel_rule', ['unsignedTxid', 'recipient'], {
  accountId: text<AccountId>(),
  /** Of the transaction: signatures do not change it. */
  unsignedTxid: text<Txid>(),
  /** Index of the recipient; 0 where none is recorded, as of what comes in. */
  recipient: integer,
  content: text(),
  updatedAt: time,
});
export type TravelRuleRow = RecordOf<typeof travelRuleTable>;
export type TravelRuleKey = Pick<TravelRuleRow, 'accountId' | 'unsignedTxid' | 'recipient'>;

declare module '../schema.ts' {
  interface Schema {
    travel_rule: RowOf<typeof travelRuleTable>;
  }
}

const rules = rowsOf(travelRuleTable);
const ofTransactions = prepared((db, p: { accountId: AccountId; txids: string }, kind) =>
  rules
    .select(db)
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'unsigned_txid', p.txids))
    .orderBy('unsigned_txid')
    .orderBy('recipient'),
);

const amongThem = prepared((db, p: { accountId: AccountId; txids: string }, kind) =>
  db
    .selectFrom('travel_rule')
    .select('unsigned_txid')
    .distinct()
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'unsigned_txid', p.txids)),
);

export function travelRuleRepository(session: Session) {
  return {
    find: ({ accountId, unsignedTxid, recipient }: TravelRuleKey) =>
      rules.find(session, { accountId, unsignedTxid, recipient }),
    /** Of all recipients of these transactions. */
    of: async (accountId: AccountId, unsignedTxids: readonly Txid[]): Promise<TravelRuleRow[]> =>
      (await ofTransactions.all(session, { accountId, txids: textList(unsignedTxids) })).map((row) =>
        rules.record(row),
      ),
    /** Which of these transactions have any. */
    among: async (accountId: AccountId, unsignedTxids: readonly Txid[]): Promise<Set<string>> => {
      const rows = await amongThem.all(session, { accountId, txids: textList(unsignedTxids) });
      return new Set(rows.map((row) => row.unsigned_txid));
    },
    insert: async (rows: readonly TravelRuleRow[]) => {
      if (rows.length > 0) await rules.insert(session, rows);
    },
    /** In the place of what was there. */
    put: async (row: TravelRuleRow) => {
      const { accountId, unsignedTxid, recipient } = row;
      await rules.delete(session, { accountId, unsignedTxid, recipient });
      await rules.insert(session, [row]);
    },
  };
}
