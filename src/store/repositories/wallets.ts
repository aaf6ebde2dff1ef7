import { DomainError } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import { flatScan, flatWallet, type WalletRecord, type WalletType, wallets } from './wallet-rows.ts';

const findWallets = prepared((db, p: { accountId: AccountId; walletIds: string }, kind) =>
  db
    .selectFrom('wallets')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .where(amongTexts(kind, 'wallet_id', p.walletIds)),
);
const clearDefault = prepared((db, p: { accountId: AccountId; walletId: WalletId }) =>
  db
    .updateTable('wallets')
    .set({ is_default: 0n })
    .where('account_id', '=', p.accountId)
    .where('is_default', '=', 1n)
    .where('wallet_id', '!=', p.walletId),
);
const tipFor = prepared((db, p: { accountId: AccountId; walletId: WalletId }) =>
  db
    .selectFrom('wallets')
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId)
    .select((eb) =>
      eb
        .selectFrom('blocks')
        .select((blocks) => blocks.fn.max('height').as('height'))
        .as('height'),
    ),
);
type BranchColumn = 'next_external_index' | 'next_internal_index';
const takeNext = (column: BranchColumn) =>
  prepared((db, p: { accountId: AccountId; walletId: WalletId }) =>
    db
      .updateTable('wallets')
      .set((eb) => ({ [column]: eb(column, '+', 1n) }))
      .where('wallet_id', '=', p.walletId)
      .where('account_id', '=', p.accountId)
      .returning(`${column} as next`),
  );
const raiseNext = (column: BranchColumn) =>
  prepared((db, p: { accountId: AccountId; walletId: WalletId; next: bigint }) =>
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

const noteBackup = prepared((db, p: { accountId: AccountId; walletId: WalletId; at: bigint }) =>
  db
    .updateTable('wallets')
    .set({ backed_up_at: p.at })
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId),
);

const unknownWallet = () => new DomainError('not_found', 'there is no such wallet', { field: 'wallet_id' });

export function walletRepository(session: Session) {
  const find = (accountId: AccountId, walletId: WalletId) => wallets.find(session, { accountId, walletId });

  return {
    find,
    /** Height of the followed chain's tip, 0 before the first block: where the wallet is the account's, null otherwise. */
    tipFor: async (accountId: AccountId, walletId: WalletId) => {
      const row = await tipFor.first(session, { accountId, walletId });
      return row === null ? null : Number(row.height ?? 0n);
    },
    insert: async (wallet: WalletRecord) => {
      if (wallet.isDefault) await clearDefault.run(session, wallet);
      await wallets.insert(session, [flatWallet(wallet)]);
    },
    findByIds: async (accountId: AccountId, walletIds: readonly string[]) =>
      (await findWallets.all(session, { accountId, walletIds: textList(walletIds) })).map(wallets.record),
    /** Newest first. */
    list: (
      accountId: AccountId,
      { type, name, externalId, archived }: { type?: string; name?: string; externalId?: string; archived?: boolean },
      page: PageRequest,
    ) => {
      const where = { accountId, type: type as WalletType | undefined, name, externalId };
      return wallets.page(session, { name: 'wallets', where, given: { archivedAt: archived } }, page);
    },
    /** The account's default wallet, or its only unarchived one; null where neither. */
    findDefault: async (accountId: AccountId) => {
      // The second tells whether an only one is alone.
      const [first, second] = await wallets.all(
        session,
        { accountId, archivedAt: null },
        'order by is_default desc limit 2',
      );
      return !first || (!first.isDefault && second) ? null : first;
    },
    update: async (
      accountId: AccountId,
      walletId: WalletId,
      {
        name,
        externalId,
        archivedAt,
        isDefault,
        birthdayHeight,
      }: Partial<Pick<WalletRecord, 'name' | 'externalId' | 'archivedAt' | 'isDefault' | 'birthdayHeight'>>,
    ) => {
      if (isDefault) await clearDefault.run(session, { accountId, walletId });
      const patch = { name, externalId, archivedAt, isDefault, birthdayHeight };
      await wallets.update(session, { accountId, walletId }, patch);
      return await find(accountId, walletId);
    },
    /** That its keys were handed out to be kept, at this time. */
    noteBackup: async (accountId: AccountId, walletId: WalletId, at: number) => {
      await noteBackup.run(session, { accountId, walletId, at: BigInt(at) });
    },
    setScan: async (accountId: AccountId, walletId: WalletId, scan: WalletRecord['scan']) => {
      const changed = await wallets.update(session, { accountId, walletId }, flatScan(scan));
      if (changed === 0n) throw unknownWallet();
    },
    /**
     * Takes the next index of the external (0) or internal (1) branch, atomically.
     */
    takeIndex: async (accountId: AccountId, walletId: WalletId, change: boolean) => {
      const row = await (change ? takeInternal : takeExternal).first(session, { accountId, walletId });
      if (!row) throw unknownWallet();
      return Number(row.next) - 1;
    },
    /** Raises the next index to at least `next` (a restore or a deposit found an address used further on). */
    raiseNextIndex: async (accountId: AccountId, walletId: WalletId, change: boolean, next: number) => {
      await (change ? raiseInternal : raiseExternal).run(session, { accountId, walletId, next: BigInt(next) });
    },
  };
}
