import type { UserFilter, UserRecord } from '../interfaces/users.ts';
import { decodeCursor, encodeCursor } from '../queries/cursor.ts';
import type { Session } from '../queries/session.ts';
import type { Page, PageRequest } from '../records.ts';
import { toUser } from './user-rows.ts';

/** Newest first, without the deleted. */
export async function listUsers(
  session: Session,
  accountId: string,
  filter: UserFilter,
  page: PageRequest,
): Promise<Page<UserRecord>> {
  let matching = session.db.selectFrom('users').where('account_id', '=', accountId).where('deleted_at', 'is', null);
  if (filter.role !== undefined) matching = matching.where('role', '=', filter.role);
  if (filter.disabled !== undefined) {
    matching = matching.where('disabled_at', filter.disabled ? 'is not' : 'is', null);
  }
  if (filter.loginName !== undefined) {
    const name = filter.loginName;
    matching = matching.where('user_id', 'in', (eb) =>
      eb.selectFrom('login_names').select('login_names.user_id').where('login_names.name', '=', name),
    );
  }
  let rows = matching
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('user_id', 'desc')
    .limit(BigInt(page.limit + 1));
  let offset = page.offset;
  if (page.cursor === undefined) rows = rows.offset(BigInt(offset));
  else {
    const [position, createdAt, userId] = decodeCursor('users', ['count', 'count', 'text'], page.cursor);
    offset = position;
    rows = rows.where((eb) => eb(eb.refTuple('created_at', 'user_id'), '<', eb.tuple(BigInt(createdAt), userId)));
  }
  const { count } = await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow();
  const found = await rows.execute();
  const data = found.slice(0, page.limit).map(toUser);
  const hasMore = found.length > page.limit;
  const last = data.at(-1);
  const nextCursor =
    hasMore && last ? encodeCursor('users', [offset + data.length, last.createdAt, last.userId]) : null;
  return { data, total: Number(count), limit: page.limit, offset, hasMore, nextCursor };
}
