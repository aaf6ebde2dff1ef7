/** Deposits whose payers are on a screening list: their coins are locked until the deposit is released. */
import type { ParsedTransaction } from '../../core/blocks/transaction.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Outpoint } from '../../core/outpoint.ts';
import { outpointKey, type Txid } from '../../core/outpoint.ts';
import type { Listed } from '../../core/policies/policy.ts';
import { payerKeys } from '../../core/screening/payer-keys.ts';
import type { Repositories } from '../../store/store.ts';

interface Deposit {
  readonly accountId: AccountId;
  readonly txid: Txid;
  readonly walletId: WalletId | null;
  readonly now: number;
}

/** In the job that writes it down. `isNew`: the account has no record of it; `own`: the account's coins among what it spends. */
export async function screenDeposit(
  tx: Repositories,
  { inputs, txid }: ParsedTransaction,
  { own, isNew, ...deposit }: Omit<Deposit, 'txid'> & { readonly own: readonly Outpoint[]; readonly isNew: boolean },
): Promise<void> {
  const { accountId } = deposit;
  if (!isNew) {
    // A wallet that joined later has a coin of it, too.
    const known = await tx.screenedDeposits.find(accountId, txid);
    if (known?.status === 'frozen') await tx.screenedDeposits.lock(known, true);
    return;
  }
  const ours = new Set(own.map(outpointKey));
  const keys = [...new Set(inputs.filter(({ prev }) => !ours.has(outpointKey(prev))).flatMap(payerKeys))];
  if (keys.length === 0) return;
  await tx.screenedDeposits.addPayers(accountId, txid, keys);
  const matches = await tx.screeningLists.matching(accountId, keys);
  if (matches.length === 0) return;
  const names = new Map((await tx.screeningLists.all(accountId)).map(({ listId, name }) => [listId, name]));
  const lists = matches.map((match): Listed => ({ ...match, name: names.get(match.listId) ?? '' }));
  await freeze(tx, { ...deposit, txid }, lists);
}

/** Lists that it was frozen for before, and is released of, are no reason to do so again. */
export async function freeze(tx: Repositories, { walletId, now, ...key }: Deposit, found: readonly Listed[]) {
  const { accountId, txid } = key;
  const before = await tx.screenedDeposits.findForUpdate(accountId, txid);
  const lists = found.filter(({ listId }) => !before?.lists.some((known) => known.listId === listId));
  const [first] = lists;
  if (first === undefined) return;
  const after = { ...key, status: 'frozen', lists: [...(before?.lists ?? []), ...lists], updatedAt: now } as const;
  if (before === null) await tx.screenedDeposits.insert({ ...after, createdAt: now });
  else await tx.screenedDeposits.update({ ...after, createdAt: before.createdAt });
  await tx.screenedDeposits.lock(key, true);
  await tx.events.append({
    ...{ accountId, channel: 'screening', ref: txid },
    data: {
      ...{ operation: 'deposit', decision: 'freeze', wallet_id: walletId, txid },
      lists: lists.map(({ listId, name, address }) => ({ list_id: listId, name, address })),
    },
  });
}
