/** Lists of addresses that payees are compared with. */
import { sql } from 'kysely';
import type { AccountId, Id } from '../../core/ids.ts';
import type { ScreeningEntry } from '../../core/screening/screening-csv.ts';
import { integer, named, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export type ListId = Id<'scl'>;

const listsTable = table('screening_lists', ['listId'], {
  listId: text<ListId>(),
  accountId: text<AccountId>(),
  name: text(),
  /** How many it has. */
  addresses: integer,
  /** Of the file as it was sent, hex. */
  sha256: text(),
  /** How far earlier deposits were compared with it, `<script> <txid>`; null: they were. */
  sweep: orNull(text()),
  createdAt: time,
  updatedAt: time,
});
const entriesTable = table('screening_entries', ['listId', 'scriptPubKey'], {
  listId: text<ListId>(),
  accountId: text<AccountId>(),
  /** Hex. */
  scriptPubKey: named('script_pubkey', text()),
  matchKey: text(),
  address: text(),
  reason: text(),
  reference: text(),
});
export type ScreeningListRecord = RecordOf<typeof listsTable>;
type EntryRecord = RecordOf<typeof entriesTable>;

declare module '../schema.ts' {
  interface Schema {
    screening_lists: RowOf<typeof listsTable>;
    screening_entries: RowOf<typeof entriesTable>;
  }
}

const lists = rowsOf(listsTable);
const entries = rowsOf(entriesTable);

/** A row for each list, however many of its addresses match. */
const matching = prepared((db, p: { accountId: AccountId; keys: string }, kind) =>
  db
    .selectFrom('screening_entries')
    .select(['list_id', (eb) => eb.fn.min('address').as('address')])
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'match_key', p.keys))
    .groupBy('list_id')
    .orderBy('list_id'),
);
/** What has written rows of the account on PostgreSQL shares a lock of its row, which `for no key update` does not wait for. */
const alone = prepared((db, p: { accountId: AccountId }, kind) => {
  const found = db.selectFrom('accounts').select('account_id').where('account_id', '=', p.accountId);
  return kind === 'postgres' ? found.forUpdate() : found;
});
type Key = Pick<ScreeningListRecord, 'accountId' | 'listId'>;

const from = prepared((db, p: Key & { script: string; limit: bigint }) =>
  entries
    .select(db)
    .where('list_id', '=', p.listId)
    .where('account_id', '=', p.accountId)
    .where('script_pubkey', '>=', p.script)
    .orderBy('script_pubkey')
    .limit(p.limit),
);
/** Those that are to be compared with earlier deposits, the oldest of each account. */
const toSweep = prepared((db, p: { limit: bigint }) =>
  db
    .selectFrom('screening_lists')
    .select(['account_id', (eb) => eb.fn.min('list_id').as('list_id')])
    .where('sweep', 'is not', null)
    .groupBy('account_id')
    .orderBy('account_id')
    .limit(p.limit),
);
const deleteUpTo = prepared((db, p: Key & { script: string }) =>
  db
    .deleteFrom('screening_entries')
    .where('list_id', '=', p.listId)
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`script_pubkey <= ${p.script}`),
);

export function screeningListRepository(session: Session) {
  return {
    insert: async (list: ScreeningListRecord) => {
      await lists.insert(session, [list]);
    },
    find: ({ accountId, listId }: Key) => lists.find(session, { accountId, listId }),
    all: (accountId: AccountId) => lists.all(session, { accountId }, 'order by created_at, list_id'),
    /** Newest first. */
    page: (accountId: AccountId, page: PageRequest) =>
      lists.page(session, { name: 'screening-lists', where: { accountId } }, page),
    update: async ({ accountId, listId, ...patch }: ScreeningListRecord) => {
      await lists.update(session, { accountId, listId }, patch);
    },
    /** Its addresses are deleted. */
    delete: async ({ accountId, listId }: Key) => {
      await lists.delete(session, { accountId, listId });
    },
    addEntries: async ({ accountId, listId }: Key, slice: readonly ScreeningEntry[]) => {
      await entries.insert(
        session,
        slice.map((entry) => ({ ...entry, accountId, listId })),
      );
    },
    /** By script, from this one on. */
    entriesFrom: async ({ accountId, listId }: Key, script: string, limit: number): Promise<EntryRecord[]> =>
      (await from.all(session, { accountId, listId, script, limit: BigInt(limit) })).map(entries.record),
    findForUpdate: ({ accountId, listId }: Key) => lists.findForUpdate(session, { accountId, listId }),
    /** One list of each account. */
    toSweep: async (limit: number): Promise<Key[]> =>
      (await toSweep.all(session, { limit: BigInt(limit) })).map((row) => ({
        accountId: row.account_id as AccountId,
        listId: row.list_id as ListId,
      })),
    /** The first ones by script, which are deleted. */
    takeEntries: async ({ accountId, listId }: Key, limit: number): Promise<EntryRecord[]> => {
      const rows = (await from.all(session, { accountId, listId, script: '', limit: BigInt(limit) })).map(
        entries.record,
      );
      const last = rows.at(-1);
      if (last !== undefined) await deleteUpTo.run(session, { accountId, listId, script: last.scriptPubKey });
      return rows;
    },
    /** Until jobs that are writing deposits of the account have ended; those that begin to wait for this one. */
    awaitDeposits: async (accountId: AccountId): Promise<void> => void (await alone.first(session, { accountId })),
    /** The lists that have one of these keys, each with an address that has it. */
    matching: async (accountId: AccountId, keys: readonly string[]) =>
      (await matching.all(session, { accountId, keys: textList(keys) })).map((row) => ({
        listId: row.list_id as ListId,
        address: row.address as string,
      })),
  };
}
