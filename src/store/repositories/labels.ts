import { type SqlBool, sql } from 'kysely';
import { LABEL_TYPES } from '../../core/wallets/label-lines.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { LabelRecord } from '../records.ts';
import { labels as table } from '../tables/wallets.ts';

const labels = rowsOf(
  table,
  'on conflict (wallet_id, type, ref) do update set label = excluded.label, extra = excluded.extra',
);
const page = prepared((db, p: { accountId: string; walletId: string; type: string; ref: string; limit: number }) =>
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
const findLabels = prepared((db, p: { accountId: string; walletId: string; refs: string }, kind) =>
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
    find: async (accountId: string, walletId: string, refs: readonly string[]) =>
      (await findLabels.all(session, { accountId, walletId, refs: textList(refs) })).map(labels.record),
    /** By type and ref, those that follow `after`. */
    page: async (accountId: string, walletId: string, after: Pick<LabelRecord, 'type' | 'ref'> | null, limit: number) =>
      (await page.all(session, { accountId, walletId, type: after?.type ?? '', ref: after?.ref ?? '', limit })).map(
        labels.record,
      ),
  };
}
