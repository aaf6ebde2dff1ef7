import { type SqlBool, sql } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { LABEL_TYPES } from '../../core/wallets/label-lines.ts';
import { json, orNull, type RecordOf, type RowOf, table, text } from '../queries/columns.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

const labelsTable = table('labels', ['type', 'ref'], {
  accountId: text<AccountId>(),
  walletId: text<WalletId>(),
  type: text<'tx' | 'addr' | 'pubkey' | 'input' | 'output' | 'xpub'>(),
  ref: text(),
  label: text(),
  /** Further BIP329 fields (origin, spendable, …) as JSON. */
  extra: orNull(json<Record<string, unknown>>()),
});
/** One BIP329 label. */
export type LabelRecord = RecordOf<typeof labelsTable>;

declare module '../schema.ts' {
  interface Schema {
    labels: RowOf<typeof labelsTable>;
  }
}

const labels = rowsOf(
  labelsTable,
  'on conflict (wallet_id, type, ref) do update set label = excluded.label, extra = excluded.extra',
);
const page = prepared((db, p: { accountId: AccountId; walletId: WalletId; type: string; ref: string; limit: number }) =>
  db
    .selectFrom('labels')
    .selectAll()
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .where(sql<SqlBool>`(type, ref) > (${p.type}, ${p.ref})`)
    .orderBy('type')
    .orderBy('ref')
    .limit(p.limit),
);
const findLabels = prepared((db, p: { accountId: AccountId; walletId: WalletId; refs: string }, kind) =>
  db
    .selectFrom('labels')
    .selectAll()
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .where('type', 'in', [...LABEL_TYPES])
    .where(amongTexts(kind, 'ref', p.refs)),
);

export function labelRepository(session: Session) {
  return {
    /** Of several labels for one thing the last stands. */
    upsert: async (given: readonly LabelRecord[]) => {
      const last = new Map(given.map((label) => [`${label.walletId} ${label.type} ${label.ref}`, label]));
      await labels.insert(session, [...last.values()]);
    },
    /** Those of these refs, of any type. */
    find: async (accountId: AccountId, walletId: WalletId, refs: readonly string[]) =>
      (await findLabels.all(session, { accountId, walletId, refs: textList(refs) })).map(labels.record),
    /** By type and ref, those that follow `after`. */
    page: async (
      accountId: AccountId,
      walletId: WalletId,
      after: Pick<LabelRecord, 'type' | 'ref'> | null,
      limit: number,
    ) =>
      (await page.all(session, { accountId, walletId, type: after?.type ?? '', ref: after?.ref ?? '', limit })).map(
        labels.record,
      ),
  };
}
