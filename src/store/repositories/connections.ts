import { sql } from 'kysely';
import type { AccountId } from '../../core/ids.ts';
import { flag, integer, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import type { EncryptedSecret } from './wallet-rows.ts';

export type ConnectionType = 'siem' | 'archive';

const connectionsTable = table('connections', ['connectionId'], {
  /** `con_…` */
  connectionId: text(),
  accountId: text<AccountId>(),
  name: text(),
  type: text<ConnectionType>(),
  enabled: flag,
  /** Without its secrets (services/connections/connection-settings.ts). */
  settings: json<Readonly<Record<string, unknown>>>(),
  secret: orNull(json<EncryptedSecret>()),
  /** Of the audit log that is delivered: the account's id, or `service`. */
  logId: text(),
  /** The credential that set it up last: what is delivered is what it may read. */
  makerKind: text<'api_key' | 'oauth_client' | 'person'>(),
  makerId: text(),
  /** Why deliveries have ended, until somebody sets it up anew; null: they have not. */
  stoppedReason: orNull(text()),
  /** In the log: what is before it has been delivered. */
  position: integer,
  /** Of an archive: where the segment from `position` on ends, once that was decided; it is so also after a crash. */
  segmentEnd: orNull(integer),
  /** In a row. */
  failures: integer,
  lastError: orNull(text()),
  lastErrorAt: orNull(time),
  lastDeliveredAt: orNull(time),
  /** Of an archive: until when the store said that the last object cannot be deleted; null where it said nothing. */
  lockedUntil: orNull(time),
  /** Not tried before. */
  nextAt: time,
  /** Grows with each change of what a delivery goes by: one that began before does not move the position. */
  revision: integer,
  createdAt: time,
  updatedAt: time,
});
export type ConnectionRecord = RecordOf<typeof connectionsTable>;

declare module '../schema.ts' {
  interface Schema {
    connections: RowOf<typeof connectionsTable>;
  }
}

/** How far the log is ahead. */
export interface ConnectionLag {
  readonly connectionId: string;
  readonly events: number;
  /** When the oldest that is not delivered was recorded; null where nothing waits. */
  readonly oldestAt: number | null;
}

/** What deliveries change. */
type Progress = Pick<
  ConnectionRecord,
  'position' | 'segmentEnd' | 'failures' | 'lastError' | 'lastErrorAt' | 'lastDeliveredAt' | 'lockedUntil' | 'nextAt'
>;

export const connections = rowsOf(connectionsTable);
const due = prepared((db, p: { now: bigint; limit: bigint }) =>
  connections
    .select(db)
    .where('next_at', '<=', p.now)
    // Written as in the index.
    .where(sql<boolean>`enabled = 1 and stopped_reason is null`)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('audit_seals')
          .select('audit_seals.position')
          .whereRef('audit_seals.log_id', '=', 'connections.log_id')
          .whereRef('audit_seals.position', '>=', 'connections.position'),
      ),
    )
    .orderBy('next_at')
    .limit(p.limit),
);
const waiting = prepared((db, p: { accountId: AccountId }) => ({
  compile: () =>
    sql<{ connection_id: string; ahead: bigint; oldest: bigint | null }>`select connection_id,
      coalesce((select max(position) + 1 from audit_seals where audit_seals.log_id = connections.log_id), 0) - position as ahead,
      (select audit_records.time from audit_seals join audit_records on audit_records.sequence = audit_seals.sequence
        where audit_seals.log_id = connections.log_id and audit_seals.position = connections.position) as oldest
      from connections where account_id = ${p.accountId}`.compile(db),
}));
const overall = prepared((db) => ({
  compile: () =>
    sql<{ state: string; count: bigint; behind: bigint; oldest: bigint | null }>`select state, count(*) as count,
      max(ahead) as behind, min(oldest) as oldest from (select
      case when enabled = 0 then 'disabled' when stopped_reason is not null then 'stopped'
        when failures > 0 then 'failing' else 'active' end as state,
      coalesce((select max(position) + 1 from audit_seals where audit_seals.log_id = connections.log_id), 0) - position as ahead,
      (select audit_records.time from audit_seals join audit_records on audit_records.sequence = audit_seals.sequence
        where audit_seals.log_id = connections.log_id and audit_seals.position = connections.position) as oldest
      from connections) as each_of_them group by state`.compile(db),
}));

export function connectionRepository(session: Session) {
  return {
    insert: async (connection: ConnectionRecord) => {
      await connections.insert(session, [connection]);
    },
    find: (accountId: AccountId, connectionId: string) => connections.find(session, { accountId, connectionId }),
    count: (accountId: AccountId) => connections.count(session, { accountId }),
    /** Newest first. */
    list: (accountId: AccountId, { type }: { type?: ConnectionType }, page: PageRequest) =>
      connections.page(session, { name: 'connections', where: { accountId, type } }, page),
    /** False where it is not there, or was changed since that revision. */
    update: async (
      { accountId, connectionId, revision }: Pick<ConnectionRecord, 'accountId' | 'connectionId' | 'revision'>,
      patch: Partial<Omit<ConnectionRecord, 'accountId' | 'connectionId' | 'createdAt'>>,
    ) => (await connections.update(session, { accountId, connectionId, revision }, patch)) > 0n,
    /** The same, while it stands at that position: another process may have delivered meanwhile. */
    progress: async ({ accountId, connectionId, revision, position }: ConnectionRecord, patch: Partial<Progress>) =>
      (await connections.update(session, { accountId, connectionId, revision, position }, patch)) > 0n,
    delete: async (accountId: AccountId, connectionId: string) =>
      (await connections.delete(session, { accountId, connectionId })) > 0n,
    /** Of every account: those with something to deliver whose time has come, the longest waiting first. */
    due: async (now: number, limit: number) =>
      (await due.all(session, { now: BigInt(now), limit: BigInt(limit) })).map((row) => connections.record(row)),
    /** Of each connection of the account, as far as the log is sealed. */
    lags: async (accountId: AccountId): Promise<ConnectionLag[]> =>
      (await waiting.all(session, { accountId })).map(({ connection_id, ahead, oldest }) => ({
        connectionId: connection_id,
        events: Math.max(0, Number(ahead)),
        oldestAt: oldest === null ? null : Number(oldest),
      })),
    /** Of every account, by state: how many, and how far behind at most. */
    overall: async () =>
      (await overall.all(session, {})).map(({ state, count, behind, oldest }) => ({
        state,
        count: Number(count),
        events: Math.max(0, Number(behind)),
        oldestAt: oldest === null ? null : Number(oldest),
      })),
  };
}
