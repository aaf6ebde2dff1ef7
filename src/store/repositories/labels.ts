import { type Selectable, type SqlBool, sql } from 'kysely';
import { LABEL_TYPES } from '../../core/wallets/label-lines.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { LabelRecord } from '../records.ts';
import type { Schema } from '../schema.ts';
import type { LabelRepository } from '../store.ts';
import { jsonOrNull, parsedOrNull } from './column-values.ts';

const upsertLabels = insertRows(
  'labels',
  ['account_id', 'wallet_id', 'type', 'ref', 'label', 'extra'],
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

const toLabel = (row: Selectable<Schema['labels']>): LabelRecord => ({
  accountId: row.account_id,
  walletId: row.wallet_id,
  type: row.type as LabelRecord['type'],
  ref: row.ref,
  label: row.label,
  extra: parsedOrNull(row.extra),
});

export function labelRepository(session: Session): LabelRepository {
  return {
    /** Of several labels for one thing the last stands. */
    upsert: async (labels) => {
      const last = new Map(labels.map((label) => [`${label.walletId} ${label.type} ${label.ref}`, label]));
      const rows = [...last.values()].map((label) => ({
        account_id: label.accountId,
        wallet_id: label.walletId,
        type: label.type,
        ref: label.ref,
        label: label.label,
        extra: jsonOrNull(label.extra),
      }));
      await upsertLabels(session, rows);
    },
    find: async (accountId, walletId, refs) =>
      (await findLabels.all(session, { accountId, walletId, refs: textList(refs) })).map(toLabel),
    page: async (accountId, walletId, after, limit) =>
      (await page.all(session, { accountId, walletId, type: after?.type ?? '', ref: after?.ref ?? '', limit })).map(
        toLabel,
      ),
  };
}
