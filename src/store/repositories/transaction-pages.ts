/**
 * Pages of transactions, newest first. A history is cut by dense positions (1, 2, 3, … without gaps, one sequence per account and
 * one per wallet), so page and total are found by position: the cost is that of the page, however long the history or deep the offset.
 * Only lists filtered by something else count what matches, in ranges of positions.
 */
import type { SelectQueryBuilder } from 'kysely';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { decodeCursor, encodeCursor } from '../queries/cursor.ts';
import type { Page, PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { countInRanges, countUpTo, type PlaceRange, rowsInRanges } from '../queries/row-walk.ts';
import { rowsInParts } from '../queries/rows-in-parts.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import {
  LISTED,
  type ListedRow,
  type ListedTransaction,
  type TransactionFilter,
  toListed,
} from './transaction-rows.ts';

const LISTED_OF_JOIN = LISTED.map((column) => `transaction.${column}` as const);

const countInAccount = prepared((db, p: { accountId: AccountId }) =>
  db.selectFrom('accounts').select('transaction_count as count').where('account_id', '=', p.accountId),
);
const countInWallet = prepared((db, p: { accountId: AccountId; walletId: WalletId }) =>
  db
    .selectFrom('wallets')
    .select('transaction_count as count')
    .where('wallet_id', '=', p.walletId)
    .where('account_id', '=', p.accountId),
);
const pageOfAccount = prepared((db, p: { accountId: AccountId; top: bigint; limit: bigint }) =>
  db
    .selectFrom('transactions')
    .select(LISTED)
    .where('account_id', '=', p.accountId)
    .where('ordinal', '<=', p.top)
    .orderBy('ordinal', 'desc')
    .limit(p.limit),
);
const pageOfWallet = prepared((db, p: { accountId: AccountId; walletId: WalletId; top: bigint; limit: bigint }) =>
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

type Joined = Schema & { transaction: Schema['transactions']; link: Schema['wallet_transactions'] };

/** Positions whose transactions one statement looks at: each takes SQLite some microseconds, in the serving thread. */
const LOOKED_AT = 2_000n;
/** The recipients of a payment may have some hundred kilobytes. */
const AT_ONCE = 50;

export async function listTransactions(
  session: Session,
  accountId: AccountId,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<Page<ListedTransaction>> {
  return filtersOf(filter).length > 0
    ? await filteredPage(session, accountId, filter, page)
    : await densePage(session, accountId, filter, page);
}

const filtersOf = ({ status, direction, externalId, label }: TransactionFilter) =>
  Object.entries({ status, direction, external_id: externalId, label }).filter(
    (entry): entry is ['status' | 'direction' | 'external_id' | 'label', string] => entry[1] !== undefined,
  );

/** How many transactions the account has, or the wallet. */
async function countAll(session: Session, accountId: AccountId, { walletId }: TransactionFilter): Promise<bigint> {
  const counted =
    walletId === undefined
      ? await countInAccount.first(session, { accountId })
      : await countInWallet.first(session, { accountId, walletId });
  return counted?.count ?? 0n;
}

/** The same cursor serves one history only. */
const historyOf = (filter: TransactionFilter): string => `transactions ${filter.walletId ?? ''}`.trim();

async function densePage(
  session: Session,
  accountId: AccountId,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<Page<ListedTransaction>> {
  const { walletId } = filter;
  const history = historyOf(filter);
  const total = Number(await countAll(session, accountId, filter));
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
  accountId: AccountId,
  filter: TransactionFilter,
  page: PageRequest,
): Promise<Page<ListedTransaction>> {
  const { db } = session;
  const { walletId } = filter;
  const filters = filtersOf(filter);
  const history = `${historyOf(filter)} ${walletId === undefined ? 'filtered' : 'matching'}`;
  const position = walletId === undefined ? 'transaction.ordinal' : 'link.ordinal';
  // From the wallet's own to the transactions, never the other way about: SQLite keeps to that order in a cross join.
  const all =
    walletId === undefined
      ? db.selectFrom('transactions as transaction').where('transaction.account_id', '=', accountId)
      : db
          .selectFrom('wallet_transactions as link')
          .crossJoin('transactions as transaction')
          .whereRef('transaction.txid', '=', 'link.txid')
          .where('transaction.account_id', '=', accountId)
          .where('link.wallet_id', '=', walletId)
          .where('link.account_id', '=', accountId);
  const matching = filters.reduce(
    (query, [column, value]) => query.where(`transaction.${column}`, '=', value),
    all as SelectQueryBuilder<Joined, 'transaction' | 'link', object>,
  );
  const inRange = ({ above, upTo }: PlaceRange) => matching.where(position, '>', above).where(position, '<=', upTo);
  const countIn = (range: PlaceRange, most: bigint) => countUpTo(db, inRange(range).select('transaction.txid'), most);

  const top = await countAll(session, accountId, filter);
  // What a single index has is read along it: where that are few, in one statement.
  const indexed = walletId === undefined && filters.length === 1;
  const few = indexed && (await countIn({ above: 0n, upTo: top }, LOOKED_AT)) < LOOKED_AT;
  const width = few && top > LOOKED_AT ? top : LOOKED_AT;
  const ranges = await countInRanges(top, width, (range) => countIn(range, width));
  const total = Number(ranges.reduce((sum, { count }) => sum + count, 0n));
  let [offset, behind] = [page.offset, top + 1n];
  if (page.cursor !== undefined) {
    const [last, passed] = decodeCursor(history, ['count', 'count'], page.cursor);
    [offset, behind] = [passed, BigInt(last)];
  }
  const found = rowsInRanges(
    ranges.filter(({ above }) => above < behind - 1n),
    { skip: page.cursor === undefined ? BigInt(offset) : 0n, most: page.limit + 1, atOnce: AT_ONCE },
    ({ above, upTo }, limit, skipped) =>
      inRange({ above, upTo: upTo < behind ? upTo : behind - 1n })
        .select(LISTED_OF_JOIN)
        .select(`${position} as position`)
        .orderBy(position, 'desc')
        .limit(limit)
        .offset(skipped)
        .execute(),
  );
  const data: ListedTransaction[] = [];
  let [last, hasMore] = [0n, false];
  for await (const row of found) {
    hasMore = data.length === page.limit;
    if (hasMore) break;
    data.push(toListed(row));
    last = row.position;
  }
  return {
    data,
    total,
    limit: page.limit,
    offset,
    hasMore,
    nextCursor: hasMore ? encodeCursor(history, [Number(last), offset + data.length]) : null,
  };
}
