/**
 * Pages of transactions, newest first. A history is cut by dense positions (1, 2, 3, … without gaps, one sequence per account and
 * one per wallet), so page and total are found by position: the cost is that of the page, however long the history or deep the offset.
 * Only lists filtered by something else count what matches.
 */
import type { WalletId } from '../../core/ids.ts';
import { decodeCursor, encodeCursor } from '../queries/cursor.ts';
import type { Page, PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { countRows, countUpTo, passRows, type Walk } from '../queries/row-walk.ts';
import { rowsInParts } from '../queries/rows-in-parts.ts';
import type { Session } from '../queries/session.ts';
import {
  LISTED,
  type ListedRow,
  type ListedTransaction,
  type TransactionFilter,
  toListed,
} from './transaction-rows.ts';

const LISTED_OF_JOIN = LISTED.map((column) => `transaction.${column}` as const);

const countInAccount = prepared((db, p: { accountId: string }) =>
  db.selectFrom('accounts').select('transaction_count as count').where('account_id', '=', p.accountId),
);
const countInWallet = prepared((db, p: { accountId: string; walletId: WalletId }) =>
  db
    .selectFrom('wallets')
    .select('transaction_count as count')
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId),
);
const pageOfAccount = prepared((db, p: { accountId: string; top: bigint; limit: bigint }) =>
  db
    .selectFrom('transactions')
    .select(LISTED)
    .where('account_id', '=', p.accountId)
    .where('ordinal', '<=', p.top)
    .orderBy('ordinal', 'desc')
    .limit(p.limit),
);
const pageOfWallet = prepared((db, p: { accountId: string; walletId: WalletId; top: bigint; limit: bigint }) =>
  db
    .selectFrom('wallet_transactions as link')
    .innerJoin('transactions as transaction', (join) =>
      join.onRef('transaction.txid', '=', 'link.txid').onRef('transaction.account_id', '=', 'link.account_id'),
    )
    .select(LISTED_OF_JOIN)
    .where('link.wallet_id', '=', p.walletId)
    .where('link.account_id', '=', p.accountId)
    .where('link.ordinal', '<=', p.top)
    .orderBy('link.ordinal', 'desc')
    .limit(p.limit),
);

/** The recipients of a payment may have some hundred kilobytes. */
const AT_ONCE = 50;

export async function listTransactions(
  session: Session,
  accountId: string,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<Page<ListedTransaction>> {
  const { status, direction, externalId, label } = filter;
  const filtered = [status, direction, externalId, label].some((value) => value !== undefined);
  return filtered
    ? await filteredPage(session, accountId, filter, page)
    : await densePage(session, accountId, filter, page);
}

/** The same cursor serves one history only. */
const historyOf = (filter: TransactionFilter): string => `transactions ${filter.walletId ?? ''}`.trim();

async function densePage(
  session: Session,
  accountId: string,
  { walletId }: TransactionFilter,
  page: PageRequest,
): Promise<Page<ListedTransaction>> {
  const history = historyOf(walletId === undefined ? {} : { walletId });
  const counted =
    walletId === undefined
      ? await countInAccount.first(session, { accountId })
      : await countInWallet.first(session, { accountId, walletId });
  const total = Number(counted?.count ?? 0n);
  let top = total - page.offset;
  if (page.cursor !== undefined) {
    const [last] = decodeCursor(history, ['count', 'count'], page.cursor);
    top = Math.min(last - 1, total);
  }
  const data: ListedTransaction[] = [];
  const rows = rowsInParts<ListedRow>(
    { most: Math.min(page.limit, Math.max(top, 0)), atOnce: AT_ONCE },
    ({ passed }, limit) => {
      const range = { accountId, top: BigInt(top - passed), limit };
      return walletId === undefined
        ? pageOfAccount.all(session, range)
        : pageOfWallet.all(session, { ...range, walletId });
    },
  );
  for await (const row of rows) data.push(toListed(row));
  const last = top - data.length + 1;
  const hasMore = data.length > 0 && last > 1;
  const offset = page.cursor === undefined ? page.offset : total - top;
  return {
    data,
    total,
    limit: page.limit,
    offset,
    hasMore,
    nextCursor: hasMore ? encodeCursor(history, [last, offset + data.length]) : null,
  };
}

async function filteredPage(
  session: Session,
  accountId: string,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<Page<ListedTransaction>> {
  const { walletId } = filter;
  const history = `${historyOf(filter)} filtered`;
  let matching = session.db.selectFrom('transactions as transaction').where('transaction.account_id', '=', accountId);
  if (walletId !== undefined) {
    matching = matching.where((eb) =>
      eb.exists(
        eb
          .selectFrom('wallet_transactions as link')
          .select('link.wallet_id')
          .whereRef('link.txid', '=', 'transaction.txid')
          .where('link.wallet_id', '=', walletId)
          .where('link.account_id', '=', accountId),
      ),
    );
  }
  if (filter.status !== undefined) matching = matching.where('transaction.status', '=', filter.status);
  if (filter.direction !== undefined) matching = matching.where('transaction.direction', '=', filter.direction);
  if (filter.externalId !== undefined) matching = matching.where('transaction.external_id', '=', filter.externalId);
  if (filter.label !== undefined) matching = matching.where('transaction.label', '=', filter.label);
  let rows = matching.select(LISTED_OF_JOIN).orderBy('transaction.ordinal', 'desc');
  let offset = page.offset;
  if (page.cursor !== undefined) {
    const [last, position] = decodeCursor(history, ['count', 'count'], page.cursor);
    offset = position;
    rows = rows.where('transaction.ordinal', '<', BigInt(last));
  }
  const placed = (after: bigint | null) => {
    const placed = matching.select('transaction.ordinal').orderBy('transaction.ordinal', 'desc');
    return after === null ? placed : placed.where('transaction.ordinal', '<', after);
  };
  const walk: Walk<bigint> = {
    at: async (after, skipped) => (await placed(after).limit(1n).offset(skipped).executeTakeFirst())?.ordinal,
    count: (after, most) => countUpTo(session.db, placed(after), most),
  };
  const total = Number(await countRows(walk));
  const passed = page.cursor === undefined ? await passRows(walk, BigInt(Math.min(offset, total))) : null;
  const found = rowsInParts<ListedRow>({ most: page.limit + 1, atOnce: AT_ONCE }, ({ last }, limit) => {
    const after = last?.ordinal ?? passed;
    const part = rows.limit(limit);
    return (after === null || after === undefined ? part : part.where('transaction.ordinal', '<', after)).execute();
  });
  const data: ListedTransaction[] = [];
  let hasMore = false;
  for await (const row of found) {
    hasMore = data.length === page.limit;
    if (!hasMore) data.push(toListed(row));
  }
  const last = data.at(-1);
  return {
    data,
    total,
    limit: page.limit,
    offset,
    hasMore,
    nextCursor: hasMore && last ? encodeCursor(history, [last.ordinal, offset + data.length]) : null,
  };
}
