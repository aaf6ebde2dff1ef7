import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { LabelRecord } from '../records.ts';
import type { LabelRepository } from '../store.ts';
import { jsonOrNull, parsedOrNull } from './column-values.ts';

const upsertLabels = insertRows(
  'labels',
  ['account_id', 'wallet_id', 'type', 'ref', 'label', 'extra'],
  'on conflict (wallet_id, type, ref) do update set label = excluded.label, extra = excluded.extra',
);
const ofWallet = prepared((db, p: { accountId: string; walletId: string }) =>
  db
    .selectFrom('labels')
    .selectAll()
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .orderBy('type')
    .orderBy('ref'),
);

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
    list: async (accountId, walletId) =>
      (await ofWallet.all(session, { accountId, walletId })).map((row) => ({
        accountId: row.account_id,
        walletId: row.wallet_id,
        type: row.type as LabelRecord['type'],
        ref: row.ref,
        label: row.label,
        extra: parsedOrNull(row.extra),
      })),
  };
}
