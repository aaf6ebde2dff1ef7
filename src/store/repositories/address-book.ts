import { sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import { json, named, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import { amongTexts, ofAccountByIds, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export const addressBook = table('address_book', ['entryId'], {
  entryId: text(),
  accountId: text<AccountId>(),
  name: text(),
  /** In the network's form: bech32 in lower case. */
  address: text(),
  /** Hex; once in an account. */
  scriptPubKey: named('script_pubkey', text()),
  tags: json<readonly string[]>(),
  externalId: orNull(text()),
  /** A signed message by which the address's owner showed control of it, checked before it was stored. */
  proof: orNull(json<{ readonly message: string; readonly signature: string }>()),
  /** From when rules and payments go by it. */
  effectiveAt: time,
  createdAt: time,
  updatedAt: time,
});
export type AddressBookRecord = RecordOf<typeof addressBook>;

export interface AddressBookFilter {
  /** A part of the name; the case of A to Z does not matter. */
  name?: string;
  tag?: string;
  scriptPubKey?: string;
  externalId?: string;
}

declare module '../schema.ts' {
  interface Schema {
    address_book: RowOf<typeof addressBook>;
  }
}

const entries = rowsOf(addressBook);
const byScripts = prepared((db, p: { accountId: AccountId; list: string }, kind) =>
  entries
    .select(db)
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'script_pubkey', p.list)),
);
const byIds = prepared((db, p: { accountId: AccountId; list: string }, kind) =>
  entries
    .select(db)
    .where(ofAccountByIds(kind, p.accountId))
    .where(amongTexts(kind, 'entry_id', p.list)),
);
const oldestAfter = prepared((db, p: { accountId: AccountId; at: bigint; entryId: string; limit: bigint }) =>
  entries
    .select(db)
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`(created_at, entry_id) > (${p.at}, ${p.entryId})`)
    .orderBy('created_at')
    .orderBy('entry_id')
    .limit(p.limit),
);

export function addressBookRepository(session: Session) {
  const part = session.kind === 'sqlite' ? sql`instr` : sql`strpos`;
  const holds = (column: string, wanted: string) => sql<boolean>`${part}(${sql.ref(column)}, ${wanted}) > 0`;
  const byScript = async (accountId: AccountId, scripts: readonly string[]) =>
    (await byScripts.all(session, { accountId, list: textList(scripts) })).map(entries.record);

  return {
    insert: async (records: readonly AddressBookRecord[]) => {
      await entries.insert(session, records);
    },
    find: (accountId: AccountId, entryId: string) => entries.find(session, { accountId, entryId }),
    /** Until the job ends no other job changes it. */
    findForUpdate: (accountId: AccountId, entryId: string) => entries.findForUpdate(session, { accountId, entryId }),
    findAll: async (accountId: AccountId, entryIds: readonly string[]) =>
      (await byIds.all(session, { accountId, list: textList(entryIds) })).map(entries.record),
    /** Effective or not, by the scripts (hex) that they are of. */
    byScript,
    /** Those that are effective at a time, epoch milliseconds. */
    entriesFor: async (accountId: AccountId, scripts: readonly string[], at: number) =>
      (await byScript(accountId, scripts)).filter(({ effectiveAt }) => effectiveAt <= at),
    /** Newest first. */
    list: (accountId: AccountId, { name, tag, ...where }: AddressBookFilter, page: PageRequest) =>
      entries.page(
        session,
        {
          name: 'address-book',
          where: { accountId, ...where },
          and: () => [
            name === undefined ? undefined : sql<boolean>`${part}(lower(name), lower(cast(${name} as text))) > 0`,
            // Within the JSON list no other text holds one in its quotation marks.
            tag === undefined ? undefined : holds('tags', JSON.stringify(tag)),
          ],
        },
        page,
      ),
    /** Oldest first, those behind one. */
    slice: async (accountId: AccountId, after: AddressBookRecord | null, limit: number) => {
      const { createdAt, entryId } = after ?? { createdAt: -1, entryId: '' };
      const rows = await oldestAfter.all(session, { accountId, at: BigInt(createdAt), entryId, limit: BigInt(limit) });
      return rows.map(entries.record);
    },
    count: (accountId: AccountId) => entries.count(session, { accountId }),
    update: async ({ accountId, entryId, ...record }: AddressBookRecord) => {
      await entries.update(session, { accountId, entryId }, record);
    },
    /** False where it is not the account's. */
    delete: async (accountId: AccountId, entryId: string) =>
      (await entries.delete(session, { accountId, entryId })) > 0n,
  };
}
