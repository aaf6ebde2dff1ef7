import type { Selectable } from 'kysely';
import { DomainError } from '../../core/errors.ts';
import type { OracleEventRecord, OracleEventRepository } from '../interfaces/oracles.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { newestFirst } from '../queries/newest-first.ts';
import { prepared } from '../queries/prepared.ts';
import { LARGE_AT_ONCE } from '../queries/rows-in-parts.ts';
import type { Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { bigintOrNull, jsonOrNull, numberOrNull, parsedOrNull } from './column-values.ts';
import { isElsewhere, noteDecision } from './decisions.ts';
import { awaitEvents, notePolled, pollLater, pollNoMore } from './polled-events.ts';

/** Such ids are keys; PostgreSQL's text holds no zero byte. */
const LONGEST_EVENT_ID = 500;

const insertEvents = insertRows(
  'oracle_events',
  [
    'oracle_id',
    'event_id',
    'account_id',
    'announcement',
    'maturity_epoch',
    'descriptor',
    'nonces',
    'committed_outcome',
    'committed_at',
    'frozen_at',
    'proof',
    'known_at',
    'created_at',
  ],
  'on conflict do nothing',
);
interface Key {
  accountId: string;
  oracleId: string;
  eventId: string;
}
const byId = prepared((db, p: Key) =>
  db
    .selectFrom('oracle_events')
    .selectAll()
    .where('oracle_id', '=', p.oracleId)
    .where('event_id', '=', p.eventId)
    .where('account_id', '=', p.accountId),
);
const heldById = prepared((db, p: Key, kind) => {
  const event = db
    .selectFrom('oracle_events')
    .selectAll()
    .where('oracle_id', '=', p.oracleId)
    .where('event_id', '=', p.eventId)
    .where('account_id', '=', p.accountId);
  return kind === 'postgres' ? event.forNoKeyUpdate() : event;
});
/**
 * Decision and write are one statement: of two that commit at once the second waits for the row and finds the first's outcome there.
 * An attestation that is known of other outcomes (given before what this database holds, and posted since) decides as well.
 */
const commit = prepared((db, p: Key & { outcomes: string; at: bigint }) =>
  db
    .updateTable('oracle_events')
    .set((eb) => ({
      committed_outcome: eb.fn.coalesce('committed_outcome', eb.cast<string>(eb.val(p.outcomes), 'text')),
      committed_at: eb.fn.coalesce('committed_at', eb.cast<bigint>(eb.val(p.at), 'bigint')),
    }))
    .where('oracle_id', '=', p.oracleId)
    .where('event_id', '=', p.eventId)
    .where('account_id', '=', p.accountId)
    .where('frozen_at', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('attestations')
            .select('attestation_id')
            .where('attestations.oracle_id', '=', p.oracleId)
            .where('attestations.event_id', '=', p.eventId)
            .where(
              'attestations.outcomes',
              '!=',
              eb.fn.coalesce('committed_outcome', eb.cast<string>(eb.val(p.outcomes), 'text')),
            ),
        ),
      ),
    )
    .returning('committed_outcome'),
);
const learn = prepared((db, p: Key & { proof: string | null; knownAt: bigint | null }) =>
  db
    .updateTable('oracle_events')
    .set((eb) => ({
      proof: eb.fn.coalesce('proof', eb.cast<string | null>(eb.val(p.proof), 'text')),
      known_at: eb.fn.coalesce('known_at', eb.cast<bigint | null>(eb.val(p.knownAt), 'bigint')),
    }))
    .where('oracle_id', '=', p.oracleId)
    .where('event_id', '=', p.eventId)
    .where('account_id', '=', p.accountId),
);
const attestedOutcome = prepared((db, p: Key) =>
  db
    .selectFrom('attestations')
    .select('outcomes')
    .where('oracle_id', '=', p.oracleId)
    .where('event_id', '=', p.eventId)
    .where('account_id', '=', p.accountId)
    .orderBy('created_at')
    .orderBy('attestation_id')
    .limit(1n),
);
const freeze = prepared((db, p: { at: bigint }) =>
  db
    .updateTable('oracle_events')
    .set({ frozen_at: p.at })
    .where('frozen_at', 'is', null)
    .where('oracle_id', 'in', (eb) => eb.selectFrom('oracles').select('oracles.oracle_id').where('kind', '=', 'local'))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('attestations')
            .select('attestation_id')
            .whereRef('attestations.oracle_id', '=', 'oracle_events.oracle_id')
            .whereRef('attestations.event_id', '=', 'oracle_events.event_id'),
        ),
      ),
    ),
);

export const toOracleEvent = (row: Selectable<Schema['oracle_events']>): OracleEventRecord => ({
  accountId: row.account_id,
  oracleId: row.oracle_id,
  eventId: row.event_id,
  announcement: row.announcement,
  maturityEpoch: Number(row.maturity_epoch),
  descriptor: row.descriptor,
  nonces: parsedOrNull(row.nonces),
  committedOutcome: row.committed_outcome,
  committedAt: numberOrNull(row.committed_at),
  frozenAt: numberOrNull(row.frozen_at),
  proof: row.proof,
  knownAt: numberOrNull(row.known_at),
  createdAt: Number(row.created_at),
});

const missing = () => new DomainError('not_found', 'the oracle has no such event', { field: 'event_id' });

export function oracleEventRepository(session: Session): OracleEventRepository {
  return {
    insert: async (event) => {
      const { eventId } = event;
      if (eventId.length === 0 || eventId.length > LONGEST_EVENT_ID || eventId.includes('\0')) {
        throw new DomainError(
          'invalid_value',
          `an event's id has 1 to ${LONGEST_EVENT_ID} characters, none of them the zero character`,
          { field: 'event_id' },
        );
      }
      const { changes } = await insertEvents(session, [
        {
          oracle_id: event.oracleId,
          event_id: eventId,
          account_id: event.accountId,
          announcement: event.announcement,
          maturity_epoch: BigInt(event.maturityEpoch),
          descriptor: event.descriptor,
          nonces: jsonOrNull(event.nonces),
          committed_outcome: event.committedOutcome,
          committed_at: bigintOrNull(event.committedAt),
          frozen_at: bigintOrNull(event.frozenAt),
          proof: event.proof,
          known_at: bigintOrNull(event.knownAt),
          created_at: BigInt(event.createdAt),
        },
      ]);
      if (changes === 0n) {
        throw new DomainError('already_exists', 'the oracle has an event of this id already', { field: 'event_id' });
      }
    },
    find: async (accountId, oracleId, eventId) => {
      const row = await byId.first(session, { accountId, oracleId, eventId });
      return row && toOracleEvent(row);
    },
    learn: async (accountId, oracleId, eventId, { proof, knownAt }) => {
      await learn.run(session, { accountId, oracleId, eventId, proof, knownAt: bigintOrNull(knownAt) });
    },
    hold: async (accountId, oracleId, eventId) => {
      const row = await heldById.first(session, { accountId, oracleId, eventId });
      return row && toOracleEvent(row);
    },
    list: (accountId, filter, page) => {
      let matching = session.db.selectFrom('oracle_events').where('account_id', '=', accountId);
      if (filter.oracleId !== undefined) matching = matching.where('oracle_id', '=', filter.oracleId);
      if (filter.eventId !== undefined) matching = matching.where('event_id', '=', filter.eventId);
      const { attested } = filter;
      if (attested !== undefined) {
        matching = matching.where((eb) => {
          const one = eb.exists(
            eb
              .selectFrom('attestations')
              .select('attestation_id')
              .whereRef('attestations.oracle_id', '=', 'oracle_events.oracle_id')
              .whereRef('attestations.event_id', '=', 'oracle_events.event_id'),
          );
          return attested ? one : eb.not(one);
        });
      }
      return newestFirst('oracle-events', page, {
        rows: (start, limit) => {
          const rows = matching
            .selectAll()
            .orderBy('created_at', 'desc')
            .orderBy('oracle_id', 'desc')
            .orderBy('event_id', 'desc')
            .limit(limit);
          if ('offset' in start) return rows.offset(start.offset).execute();
          const { createdAt, id } = start.before;
          // The oracle's id has no space in it.
          const space = id.indexOf(' ');
          const behind = [id.slice(0, space), id.slice(space + 1)] as const;
          return rows
            .where((eb) =>
              eb(eb.refTuple('created_at', 'oracle_id', 'event_id'), '<', eb.tuple(createdAt, behind[0], behind[1])),
            )
            .execute();
        },
        count: async () =>
          (await matching.select((eb) => eb.fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow()).count,
        idOf: (row) => `${row.oracle_id} ${row.event_id}`,
        toRecord: toOracleEvent,
        atOnce: LARGE_AT_ONCE,
      });
    },
    commitOutcome: async (accountId, oracleId, eventId, outcomes, at) => {
      const key = { accountId, oracleId, eventId };
      if (await isElsewhere(session)) {
        throw new DomainError(
          'oracle_frozen',
          'the database has gone over to another server, or back to an earlier time, and may lack an attestation that was given: ' +
            'start the service again, and what is not attested by then is attested no more',
          { field: 'event_id' },
        );
      }
      const row = await commit.first(session, { ...key, outcomes, at: BigInt(at) });
      if (row?.committed_outcome) {
        await noteDecision(session);
        return row.committed_outcome;
      }
      const event = await byId.first(session, key);
      if (!event) throw missing();
      if (event.frozen_at !== null) {
        throw new DomainError(
          'oracle_frozen',
          'this database was restored or copied, and may lack an attestation that was given: the event is attested no more',
          { field: 'event_id' },
        );
      }
      return event.committed_outcome ?? (await attestedOutcome.first(session, key))?.outcomes ?? outcomes;
    },
    freezeUnattested: async (at) => Number(await freeze.run(session, { at: BigInt(at) })),
    polled: async (accountId, oracleId, eventId, { at, next }) => {
      await notePolled.run(session, { accountId, oracleId, eventId, at: BigInt(at), next: BigInt(next) });
    },
    pollLater: async (accountId, oracleId, eventId, at) => {
      const key = { accountId, oracleId, eventId };
      if (at === null) await pollNoMore.run(session, key);
      else await pollLater.run(session, { ...key, at: BigInt(at) });
    },
    pollAwaited: async () => {
      await awaitEvents.run(session, {});
    },
  };
}
