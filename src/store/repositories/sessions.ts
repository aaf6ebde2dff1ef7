import type { SessionRepository } from '../interfaces/sessions.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { sessions as table } from '../tables/users.ts';

const sessions = rowsOf(table);
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

export function sessionRepository(session: Session): SessionRepository {
  const noteIf = (ended: bigint): number => {
    if (ended > 0n) session.note('credentials');
    return Number(ended);
  };
  return {
    insert: async (record) => {
      await sessions.insert(session, [record]);
    },
    find: (accountId, sessionId) => sessions.find(session, { accountId, sessionId }),
    listLive: (accountId, userId, now, page) =>
      sessions.page(
        session,
        {
          name: 'sessions',
          where: { accountId, userId, endedAt: null },
          and: (eb) => [eb('expires_at', '>', BigInt(now))],
        },
        page,
      ),
    prolong: async (accountId, sessionId, at, expiresAt) => {
      await sessions.update(session, { accountId, sessionId }, { lastUsedAt: at, expiresAt });
    },
    end: async (accountId, userId, sessionId, at, reason) =>
      noteIf(
        await sessions.update(
          session,
          { accountId, userId, sessionId, endedAt: null },
          { endedAt: at, endReason: reason },
        ),
      ) > 0,
    endAll: async (accountId, userId, at, reason, except) =>
      noteIf(await endSessions.run(session, { accountId, userId, except: except ?? '', at: BigInt(at), reason })),
    cameFrom: async (accountId, userId, addressClass, since) =>
      (await fromThere.first(session, { accountId, userId, addressClass, since: BigInt(since) })) !== null,
    deleteExpiredBefore: async (time) => {
      await deleteTokens.run(session, { time: BigInt(time) });
      return Number(await deleteSessions.run(session, { time: BigInt(time) }));
    },
  };
}
