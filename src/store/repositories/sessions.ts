import type { Selectable } from 'kysely';
import type { SessionEnd, SessionMethod, SessionRecord, SessionRepository } from '../interfaces/sessions.ts';
import { decodeCursor, encodeCursor } from '../queries/cursor.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, numberOrNull } from './column-values.ts';

const insertSessions = insertRows('sessions', [
  'session_id',
  'account_id',
  'user_id',
  'method',
  'bound_key_id',
  'remote_address',
  'address_class',
  'created_at',
  'last_used_at',
  'expires_at',
  'ended_at',
  'end_reason',
]);
const findSession = prepared((db, p: { accountId: string; sessionId: string }) =>
  db.selectFrom('sessions').selectAll().where('session_id', '=', p.sessionId).where('account_id', '=', p.accountId),
);
const prolong = prepared((db, p: { accountId: string; sessionId: string; at: bigint; expiresAt: bigint }) =>
  db
    .updateTable('sessions')
    .set({ last_used_at: p.at, expires_at: p.expiresAt })
    .where('session_id', '=', p.sessionId)
    .where('account_id', '=', p.accountId),
);
const endSession = prepared(
  (db, p: { accountId: string; userId: string; sessionId: string; at: bigint; reason: string }) =>
    db
      .updateTable('sessions')
      .set({ ended_at: p.at, end_reason: p.reason })
      .where('session_id', '=', p.sessionId)
      .where('user_id', '=', p.userId)
      .where('account_id', '=', p.accountId)
      .where('ended_at', 'is', null),
);
const endSessions = prepared(
  (db, p: { accountId: string; userId: string; except: string; at: bigint; reason: string }) =>
    db
      .updateTable('sessions')
      .set({ ended_at: p.at, end_reason: p.reason })
      .where('user_id', '=', p.userId)
      .where('account_id', '=', p.accountId)
      .where('session_id', '!=', p.except)
      .where('ended_at', 'is', null),
);
const fromThere = prepared((db, p: { accountId: string; userId: string; addressClass: string; since: bigint }) =>
  db
    .selectFrom('sessions')
    .select('session_id')
    .where('user_id', '=', p.userId)
    .where('account_id', '=', p.accountId)
    .where('address_class', '=', p.addressClass)
    .where('created_at', '>=', p.since)
    .limit(1n),
);
const deleteTokens = prepared((db, p: { time: bigint }) =>
  db
    .deleteFrom('refresh_tokens')
    .where('session_id', 'in', (eb) => eb.selectFrom('sessions').select('session_id').where('expires_at', '<', p.time)),
);
const deleteSessions = prepared((db, p: { time: bigint }) =>
  db.deleteFrom('sessions').where('expires_at', '<', p.time),
);

const toSession = (row: Selectable<Schema['sessions']>): SessionRecord => ({
  sessionId: row.session_id,
  accountId: row.account_id,
  userId: row.user_id,
  method: row.method as SessionMethod,
  boundKeyId: row.bound_key_id,
  remoteAddress: row.remote_address,
  addressClass: row.address_class,
  createdAt: Number(row.created_at),
  lastUsedAt: Number(row.last_used_at),
  expiresAt: Number(row.expires_at),
  endedAt: numberOrNull(row.ended_at),
  endReason: row.end_reason as SessionEnd | null,
});

export function sessionRepository(session: Session): SessionRepository {
  return {
    insert: async (record) => {
      await insertSessions(session, [
        {
          session_id: record.sessionId,
          account_id: record.accountId,
          user_id: record.userId,
          method: record.method,
          bound_key_id: record.boundKeyId,
          remote_address: record.remoteAddress,
          address_class: record.addressClass,
          created_at: BigInt(record.createdAt),
          last_used_at: BigInt(record.lastUsedAt),
          expires_at: BigInt(record.expiresAt),
          ended_at: bigintOrNull(record.endedAt),
          end_reason: record.endReason,
        },
      ]);
    },
    find: async (accountId, sessionId) => {
      const row = await findSession.first(session, { accountId, sessionId });
      return row && toSession(row);
    },
    listLive: async (accountId, userId, now, page) => {
      const matching = session.db
        .selectFrom('sessions')
        .where('user_id', '=', userId)
        .where('account_id', '=', accountId)
        .where('ended_at', 'is', null)
        .where('expires_at', '>', BigInt(now));
      let rows = matching
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('session_id', 'desc')
        .limit(BigInt(page.limit + 1));
      let offset = page.offset;
      if (page.cursor === undefined) rows = rows.offset(BigInt(offset));
      else {
        const [position, createdAt, id] = decodeCursor('sessions', ['count', 'count', 'text'], page.cursor);
        offset = position;
        rows = rows.where((eb) => eb(eb.refTuple('created_at', 'session_id'), '<', eb.tuple(BigInt(createdAt), id)));
      }
      const { count } = await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow();
      const found = await rows.execute();
      const data = found.slice(0, page.limit).map(toSession);
      const hasMore = found.length > page.limit;
      const last = data.at(-1);
      const nextCursor =
        hasMore && last ? encodeCursor('sessions', [offset + data.length, last.createdAt, last.sessionId]) : null;
      return { data, total: Number(count), limit: page.limit, offset, hasMore, nextCursor };
    },
    prolong: async (accountId, sessionId, at, expiresAt) => {
      await prolong.run(session, { accountId, sessionId, at: BigInt(at), expiresAt: BigInt(expiresAt) });
    },
    end: async (accountId, userId, sessionId, at, reason) => {
      const ended = await endSession.run(session, { accountId, userId, sessionId, at: BigInt(at), reason });
      if (ended > 0n) session.note('credentials');
      return ended > 0n;
    },
    endAll: async (accountId, userId, at, reason, except) => {
      const ended = await endSessions.run(session, {
        accountId,
        userId,
        except: except ?? '',
        at: BigInt(at),
        reason,
      });
      if (ended > 0n) session.note('credentials');
      return Number(ended);
    },
    cameFrom: async (accountId, userId, addressClass, since) =>
      (await fromThere.first(session, { accountId, userId, addressClass, since: BigInt(since) })) !== null,
    deleteExpiredBefore: async (time) => {
      await deleteTokens.run(session, { time: BigInt(time) });
      return Number(await deleteSessions.run(session, { time: BigInt(time) }));
    },
  };
}
