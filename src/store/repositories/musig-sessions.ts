import type { Selectable } from 'kysely';
import type {
  MusigParticipant,
  MusigSessionRecord,
  MusigSessionRepository,
  MusigState,
} from '../interfaces/musig-sessions.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { newestFirst } from '../queries/newest-first.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { flag, jsonOrNull, parsedOrNull } from './column-values.ts';

const insertSessions = insertRows('musig_sessions', [
  'session_id',
  'account_id',
  'name',
  'external_id',
  'state',
  'message',
  'sorted',
  'tweaks',
  'taproot',
  'participants',
  'aggregate_key',
  'internal_key',
  'aggregate_nonce',
  'signature',
  'created_at',
  'updated_at',
]);
const insertNonces = insertRows('musig_nonces', ['account_id', 'public_nonce', 'used_by'], 'on conflict do nothing');
interface Key {
  accountId: string;
  sessionId: string;
}
const byId = prepared((db, p: Key) =>
  db
    .selectFrom('musig_sessions')
    .selectAll()
    .where('session_id', '=', p.sessionId)
    .where('account_id', '=', p.accountId),
);
/** The row lock of an update that changes nothing. */
const heldById = prepared((db, p: Key) =>
  db
    .updateTable('musig_sessions')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('session_id', '=', p.sessionId)
    .where('account_id', '=', p.accountId)
    .returningAll(),
);
const advance = prepared(
  (
    db,
    p: Key & {
      name: string | null;
      externalId: string | null;
      state: string;
      participants: string;
      aggregateNonce: string | null;
      signature: string | null;
      at: bigint;
    },
  ) =>
    db
      .updateTable('musig_sessions')
      .set({
        name: p.name,
        external_id: p.externalId,
        state: p.state,
        participants: p.participants,
        aggregate_nonce: p.aggregateNonce,
        signature: p.signature,
        updated_at: p.at,
      })
      .where('session_id', '=', p.sessionId)
      .where('account_id', '=', p.accountId),
);

const toSession = (row: Selectable<Schema['musig_sessions']>): MusigSessionRecord => ({
  sessionId: row.session_id,
  accountId: row.account_id,
  name: row.name,
  externalId: row.external_id,
  state: row.state as MusigState,
  message: row.message,
  sorted: row.sorted === 1n,
  tweaks: JSON.parse(row.tweaks) as MusigSessionRecord['tweaks'],
  taproot: parsedOrNull(row.taproot),
  participants: JSON.parse(row.participants) as MusigParticipant[],
  aggregateKey: row.aggregate_key,
  internalKey: row.internal_key,
  aggregateNonce: row.aggregate_nonce,
  signature: row.signature,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

export function musigSessionRepository(session: Session): MusigSessionRepository {
  return {
    insert: async (record) => {
      await insertSessions(session, [
        {
          session_id: record.sessionId,
          account_id: record.accountId,
          name: record.name,
          external_id: record.externalId,
          state: record.state,
          message: record.message,
          sorted: flag(record.sorted),
          tweaks: JSON.stringify(record.tweaks),
          taproot: jsonOrNull(record.taproot),
          participants: JSON.stringify(record.participants),
          aggregate_key: record.aggregateKey,
          internal_key: record.internalKey,
          aggregate_nonce: record.aggregateNonce,
          signature: record.signature,
          created_at: BigInt(record.createdAt),
          updated_at: BigInt(record.updatedAt),
        },
      ]);
    },
    find: async (accountId, sessionId) => {
      const row = await byId.first(session, { accountId, sessionId });
      return row && toSession(row);
    },
    hold: async (accountId, sessionId) => {
      const row = await heldById.first(session, { accountId, sessionId });
      return row && toSession(row);
    },
    list: (accountId, filter, page) => {
      let matching = session.db.selectFrom('musig_sessions').where('account_id', '=', accountId);
      if (filter.state !== undefined) matching = matching.where('state', '=', filter.state);
      if (filter.name !== undefined) matching = matching.where('name', '=', filter.name);
      if (filter.externalId !== undefined) matching = matching.where('external_id', '=', filter.externalId);
      return newestFirst('musig-sessions', page, {
        rows: (start, limit) => {
          const rows = matching.selectAll().orderBy('created_at', 'desc').orderBy('session_id', 'desc').limit(limit);
          if ('offset' in start) return rows.offset(start.offset).execute();
          const { createdAt, id } = start.before;
          return rows
            .where((eb) => eb(eb.refTuple('created_at', 'session_id'), '<', eb.tuple(createdAt, id)))
            .execute();
        },
        count: async () =>
          (await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        idOf: (row) => row.session_id,
        toRecord: toSession,
      });
    },
    advance: async (
      accountId,
      sessionId,
      { name, externalId, state, participants, aggregateNonce, signature, updatedAt },
    ) => {
      await advance.run(session, {
        accountId,
        sessionId,
        name,
        externalId,
        state,
        participants: JSON.stringify(participants),
        aggregateNonce,
        signature,
        at: BigInt(updatedAt),
      });
    },
    takeNonce: async (accountId, usedBy, publicNonce) =>
      (await insertNonces(session, [{ account_id: accountId, public_nonce: publicNonce, used_by: usedBy }])).changes >
      0n,
  };
}
