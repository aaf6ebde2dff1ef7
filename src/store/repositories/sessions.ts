import type { AccountId } from '../../core/ids.ts';
import { orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';

export type SessionMethod = 'password' | 'reset' | 'sso';

export type SessionEnd = 'logout' | 'revoked' | 'reused' | 'password' | 'disabled';

const sessionsTable = table('sessions', ['sessionId'], {
  sessionId: text(),
  accountId: text<AccountId>(),
  userId: text(),
  method: text<SessionMethod>(),
  /** The key that signed the login: the only one that may sign under this session's tokens. */
  boundKeyId: orNull(text()),
  remoteAddress: text(),
  /** The neighbourhood that the address is in (core/users/address-class.ts). */
  addressClass: text(),
  createdAt: time,
  lastUsedAt: time,
  expiresAt: time,
  endedAt: orNull(time),
  endReason: orNull(text<SessionEnd>()),
});
export type SessionRecord = RecordOf<typeof sessionsTable>;

declare module '../schema.ts' {
  interface Schema {
    sessions: RowOf<typeof sessionsTable>;
  }
}

const sessions = rowsOf(sessionsTable);
const lastsLongest = prepared((db, p: { accountId: AccountId; userId: string; keyId: string; at: bigint }) =>
  sessions
    .select(db)
    .where('user_id', '=', p.userId)
    .where('account_id', '=', p.accountId)
    .where('bound_key_id', '=', p.keyId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', p.at)
    .orderBy('expires_at', 'desc')
    .limit(1n),
);
const endSessions = prepared(
  (db, p: { accountId: AccountId; userId: string; except: string; at: bigint; reason: string }) =>
    db
      .updateTable('sessions')
      .set({ ended_at: p.at, end_reason: p.reason })
      .where('user_id', '=', p.userId)
      .where('account_id', '=', p.accountId)
      .where('session_id', '!=', p.except)
      .where('ended_at', 'is', null),
);
const fromThere = prepared((db, p: { accountId: AccountId; userId: string; addressClass: string; since: bigint }) =>
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

export function sessionRepository(session: Session) {
  const noteIf = (ended: bigint): number => {
    if (ended > 0n) session.note('credentials');
    return Number(ended);
  };
  return {
    insert: async (record: SessionRecord) => {
      await sessions.insert(session, [record]);
    },
    find: (accountId: AccountId, sessionId: string) => sessions.find(session, { accountId, sessionId }),
    /** One that lives, whose login this key signed. */
    signedBy: async (accountId: AccountId, key: { userId: string; keyId: string }, now: number) => {
      const row = await lastsLongest.first(session, { accountId, ...key, at: BigInt(now) });
      return row && sessions.record(row);
    },
    /** Those that can still be refreshed, newest first. */
    listLive: (accountId: AccountId, userId: string, now: number, page: PageRequest) =>
      sessions.page(
        session,
        {
          name: 'sessions',
          where: { accountId, userId, endedAt: null },
          and: (eb) => [eb('expires_at', '>', BigInt(now))],
        },
        page,
      ),
    /** A refresh: used now, and alive until `expiresAt`. */
    prolong: async (accountId: AccountId, sessionId: string, at: number, expiresAt: number) => {
      await sessions.update(session, { accountId, sessionId }, { lastUsedAt: at, expiresAt });
    },
    /** Every process forgets what it knew. False where it is not this person's, or has ended. */
    end: async (
      { accountId, userId, sessionId }: Pick<SessionRecord, 'accountId' | 'userId' | 'sessionId'>,
      at: number,
      reason: SessionEnd,
    ) =>
      noteIf(
        await sessions.update(
          session,
          { accountId, userId, sessionId, endedAt: null },
          { endedAt: at, endReason: reason },
        ),
      ) > 0,
    /** All of a person's but `except`; answers how many. */
    endAll: async (accountId: AccountId, userId: string, at: number, reason: SessionEnd, except?: string | null) =>
      noteIf(await endSessions.run(session, { accountId, userId, except: except ?? '', at: BigInt(at), reason })),
    /** Whether the person logged in from there since `since`. */
    cameFrom: async (accountId: AccountId, userId: string, addressClass: string, since: number) =>
      (await fromThere.first(session, { accountId, userId, addressClass, since: BigInt(since) })) !== null,
    /** Forgets sessions that expired before `time`, their tokens with them; answers how many. */
    deleteExpiredBefore: async (time: number) => {
      await deleteTokens.run(session, { time: BigInt(time) });
      return Number(await deleteSessions.run(session, { time: BigInt(time) }));
    },
  };
}
