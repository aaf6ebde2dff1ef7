import { DomainError } from '../../core/errors.ts';
import { decodeCursor, encodeCursor } from '../queries/cursor.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { patchRow } from '../queries/patch-row.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { WalletRecord } from '../records.ts';
import type { WalletRepository } from '../store.ts';
import { bigintOrNull, flag, ifGiven } from './column-values.ts';
import { scanColumns, toWallet, walletColumns } from './wallet-rows.ts';

const insertWallets = insertRows('wallets', [
  'wallet_id',
  'account_id',
  'name',
  'external_id',
  'type',
  'backup_type',
  'network',
  'fingerprint',
  'external_descriptor',
  'internal_descriptor',
  'secret',
  'is_default',
  'birthday_height',
  'next_external_index',
  'next_internal_index',
  'scan_state',
  'scan_from',
  'scan_at',
  'scan_to',
  'scan_error',
  'archived_at',
  'created_at',
]);
const findWallet = prepared((db, p: { accountId: string; walletId: string }) =>
  db.selectFrom('wallets').selectAll().where('wallet_id', '=', p.walletId).where('account_id', '=', p.accountId),
);
const findWallets = prepared((db, p: { accountId: string; walletIds: string }, kind) =>
  db
    .selectFrom('wallets')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'wallet_id', p.walletIds)),
);
/** The default first; the second row tells whether an only one is alone. */
const defaultCandidates = prepared((db, p: { accountId: string }) =>
  db
    .selectFrom('wallets')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where('archived_at', 'is', null)
    .orderBy('is_default', 'desc')
    .limit(2n),
);
const clearDefault = prepared((db, p: { accountId: string; walletId: string }) =>
  db
    .updateTable('wallets')
    .set({ is_default: 0n })
    .where('account_id', '=', p.accountId)
    .where('is_default', '=', 1n)
    .where('wallet_id', '!=', p.walletId),
);
type BranchColumn = 'next_external_index' | 'next_internal_index';
const takeNext = (column: BranchColumn) =>
  prepared((db, p: { accountId: string; walletId: string }) =>
    db
      .updateTable('wallets')
      .set((eb) => ({ [column]: eb(column, '+', 1n) }))
      .where('wallet_id', '=', p.walletId)
      .where('account_id', '=', p.accountId)
      .returning(`${column} as next`),
  );
const raiseNext = (column: BranchColumn) =>
  prepared((db, p: { accountId: string; walletId: string; next: bigint }) =>
    db
      .updateTable('wallets')
      .set({ [column]: p.next })
      .where('wallet_id', '=', p.walletId)
      .where('account_id', '=', p.accountId)
      .where(column, '<', p.next),
  );
const takeExternal = takeNext('next_external_index');
const takeInternal = takeNext('next_internal_index');
const raiseExternal = raiseNext('next_external_index');
const raiseInternal = raiseNext('next_internal_index');
const patchWallet = patchRow('wallets', ['wallet_id', 'account_id']);

const unknownWallet = () => new DomainError('not_found', 'there is no such wallet', { field: 'wallet_id' });

export function walletRepository(session: Session): WalletRepository {
  async function find(accountId: string, walletId: string): Promise<WalletRecord | null> {
    const row = await findWallet.first(session, { accountId, walletId });
    return row && toWallet(row);
  }

  return {
    find,
    insert: async (wallet) => {
      if (wallet.isDefault) await clearDefault.run(session, wallet);
      await insertWallets(session, [walletColumns(wallet)]);
    },
    findByIds: async (accountId, walletIds) =>
      (await findWallets.all(session, { accountId, walletIds: textList(walletIds) })).map(toWallet),
    /** Newest first. */
    list: async (accountId, filter, page) => {
      let matching = session.db.selectFrom('wallets').where('account_id', '=', accountId);
      if (filter.type !== undefined) matching = matching.where('type', '=', filter.type);
      if (filter.name !== undefined) matching = matching.where('name', '=', filter.name);
      if (filter.externalId !== undefined) matching = matching.where('external_id', '=', filter.externalId);
      if (filter.archived !== undefined) {
        matching = matching.where('archived_at', filter.archived ? 'is not' : 'is', null);
      }
      let rows = matching
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('wallet_id', 'desc')
        .limit(BigInt(page.limit + 1));
      let offset = page.offset;
      if (page.cursor === undefined) rows = rows.offset(BigInt(offset));
      else {
        const [position, createdAt, walletId] = decodeCursor('wallets', ['count', 'count', 'text'], page.cursor);
        offset = position;
        rows = rows.where((eb) =>
          eb(eb.refTuple('created_at', 'wallet_id'), '<', eb.tuple(BigInt(createdAt), walletId)),
        );
      }
      const { count } = await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow();
      const found = await rows.execute();
      const data = found.slice(0, page.limit).map(toWallet);
      const hasMore = found.length > page.limit;
      const last = data.at(-1);
      const nextCursor =
        hasMore && last ? encodeCursor('wallets', [offset + data.length, last.createdAt, last.walletId]) : null;
      return { data, total: Number(count), limit: page.limit, offset, hasMore, nextCursor };
    },
    findDefault: async (accountId) => {
      const [first, second] = await defaultCandidates.all(session, { accountId });
      if (!first || (first.is_default !== 1n && second)) return null;
      return toWallet(first);
    },
    update: async (accountId, walletId, patch) => {
      if (patch.isDefault) await clearDefault.run(session, { accountId, walletId });
      await patchWallet(
        session,
        {
          name: patch.name,
          external_id: patch.externalId,
          archived_at: ifGiven(patch.archivedAt, bigintOrNull),
          is_default: ifGiven(patch.isDefault, flag),
          birthday_height: ifGiven(patch.birthdayHeight, BigInt),
        },
        { wallet_id: walletId, account_id: accountId },
      );
      return await find(accountId, walletId);
    },
    setScan: async (accountId, walletId, scan) => {
      const changed = await patchWallet(session, scanColumns(scan), { wallet_id: walletId, account_id: accountId });
      if (changed === 0n) throw unknownWallet();
    },
    takeIndex: async (accountId, walletId, change) => {
      const row = await (change ? takeInternal : takeExternal).first(session, { accountId, walletId });
      if (!row) throw unknownWallet();
      return Number(row.next) - 1;
    },
    raiseNextIndex: async (accountId, walletId, change, next) => {
      await (change ? raiseInternal : raiseExternal).run(session, { accountId, walletId, next: BigInt(next) });
    },
  };
}
