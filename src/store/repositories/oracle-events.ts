import type { Generated } from 'kysely';
import { DomainError } from '../../core/errors.ts';
import type { AccountId, OracleId } from '../../core/ids.ts';
import { integer, json, orNull, type RecordOf, type RowOf, table, text, time } from '../queries/columns.ts';
import type { PageRequest } from '../queries/page-of-rows.ts';
import { prepared } from '../queries/prepared.ts';
import { LARGE_AT_ONCE } from '../queries/rows-in-parts.ts';
import { rowsOf } from '../queries/rows-of.ts';
import type { Session } from '../queries/session.ts';
import { isElsewhere, noteDecision } from './decisions.ts';
import { awaitEvents, notePolled, pollLater, pollNoMore } from './polled-events.ts';
import type { EncryptedSecret } from './wallet-rows.ts';

export const oracleEvents = table('oracle_events', ['oracleId', 'eventId'], {
  oracleId: text<OracleId>(),
  /** The oracle's own name of the event; unique per oracle. */
  eventId: text(),
  accountId: text<AccountId>(),
  /** The whole TLV, hex. */
  announcement: text(),
  /** Unix seconds. */
  maturityEpoch: integer,
  /** JSON of core's EventDescriptor. */
  descriptor: text(),
  /** Of a local oracle: the encrypted nonces (32 bytes each, one after the other), committed with the announcement. */
  nonces: orNull(json<EncryptedSecret>()),
  /** The local oracle's decision, committed before anything is signed; JSON list of what is attested. */
  committedOutcome: orNull(text()),
  committedAt: orNull(time),
  /** A restored database may lack an attestation that was given: this event is attested no more. */
  frozenAt: orNull(time),
  /** Record of its nonces' proofs (core/dlc/messages/nonce-proofs.ts), verified, hex; null where there is none. */
  proof: orNull(text()),
  /** Since when the account itself has it (announced, posted, fetched), epoch milliseconds; null where it is out of others' offers alone. */
  knownAt: orNull(time),
  createdAt: time,
});
/** An event that an oracle announced. Announcements of external oracles and of counterparties' offers are kept in the same form. */
export type OracleEventRecord = RecordOf<typeof oracleEvents>;
/** Named, because the ids are strings that a caller could swap. */
type OracleEventKey = Pick<OracleEventRecord, 'accountId' | 'oracleId' | 'eventId'>;

declare module '../schema.ts' {
  interface Schema {
    oracle_events: RowOf<typeof oracleEvents> & {
      /** When the oracle's URL was asked last. */
      polled_at: Generated<bigint | null>;
      /** When it is asked next; null: it is attested, a local oracle's, or no contract waits for it. */
      poll_at: Generated<bigint | null>;
    };
  }
}

/** Such ids are keys; PostgreSQL's text holds no zero byte. */
const MAX_EVENT_ID_LENGTH = 500;

export const events = rowsOf(oracleEvents, 'on conflict do nothing');
interface Key {
  accountId: AccountId;
  oracleId: OracleId;
  eventId: string;
}
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

const missing = () => new DomainError('not_found', 'the oracle has no such event', { field: 'event_id' });

/** Throws `oracle_frozen`. */
export function assertNotFrozen({ frozenAt }: OracleEventRecord): void {
  if (frozenAt === null) return;
  throw new DomainError(
    'oracle_frozen',
    'this database was restored or copied, and may lack an attestation that was given: the event is attested no more',
    { field: 'event_id' },
  );
}

export function oracleEventRepository(session: Session) {
  return {
    /** Throws `already_exists` (field event_id), `invalid_value` for an id of more than 500 characters, none, or with a zero character. */
    insert: async (event: OracleEventRecord) => {
      const { eventId } = event;
      if (eventId.length === 0 || eventId.length > MAX_EVENT_ID_LENGTH || eventId.includes('\0')) {
        throw new DomainError(
          'invalid_value',
          `an event's id has 1 to ${MAX_EVENT_ID_LENGTH} characters, none of them the zero character`,
          { field: 'event_id' },
        );
      }
      if ((await events.insert(session, [event])) === 0n) {
        throw new DomainError('already_exists', 'the oracle has an event of this id already', { field: 'event_id' });
      }
    },
    find: (accountId: AccountId, oracleId: OracleId, eventId: string) =>
      events.find(session, { accountId, oracleId, eventId }),
    /** What is learned of an announcement later; what is given there stands. */
    learn: async (
      accountId: AccountId,
      oracleId: OracleId,
      eventId: string,
      { proof, knownAt }: Pick<OracleEventRecord, 'proof' | 'knownAt'>,
    ) => {
      await learn.run(session, {
        accountId,
        oracleId,
        eventId,
        proof,
        knownAt: knownAt === null ? null : BigInt(knownAt),
      });
    },
    /** Until the job ends no other job changes it. */
    findForUpdate: (accountId: AccountId, oracleId: OracleId, eventId: string) =>
      events.findForUpdate(session, { accountId, oracleId, eventId }),
    list: (
      accountId: AccountId,
      { oracleId, eventId, attested }: { oracleId?: OracleId; eventId?: string; attested?: boolean },
      page: PageRequest,
    ) =>
      events.page(
        session,
        {
          name: 'oracle-events',
          where: { accountId, oracleId, eventId },
          and: (eb) => {
            if (attested === undefined) return [];
            const one = eb.exists(
              eb
                .selectFrom('attestations')
                .select('attestation_id')
                .whereRef('attestations.oracle_id', '=', 'oracle_events.oracle_id')
                .whereRef('attestations.event_id', '=', 'oracle_events.event_id'),
            );
            return [attested ? one : eb.not(one)];
          },
          atOnce: LARGE_AT_ONCE,
        },
        page,
      ),
    /**
     * Commits the outcome unless one is committed; answers the one that stands. One statement: of two replicas one decides. Throws
     * `oracle_frozen`. Where attestations of the event are known already, from wherever, the first of them stands.
     */
    commitOutcome: async ({ accountId, oracleId, eventId }: OracleEventKey, outcomes: string, at: number) => {
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
      const event = await events.find(session, key);
      if (!event) throw missing();
      assertNotFrozen(event);
      return event.committedOutcome ?? (await attestedOutcome.first(session, key))?.outcomes ?? outcomes;
    },
    /** All events of local oracles without an attestation, in every account; answers how many. For restored databases. */
    freezeUnattested: async (at: number) => Number(await freeze.run(session, { at: BigInt(at) })),
    /** Its oracle's URL was asked at a time, and is asked again at `next`, where a contract waits for it. Epoch milliseconds both. */
    polled: async (
      accountId: AccountId,
      oracleId: OracleId,
      eventId: string,
      { at, next }: { at: number; next: number },
    ) => {
      await notePolled.run(session, { accountId, oracleId, eventId, at: BigInt(at), next: BigInt(next) });
    },
    /** Not asked for before `at` (epoch milliseconds); null: not at all, unless a contract waits for it. */
    pollLater: async (accountId: AccountId, oracleId: OracleId, eventId: string, at: number | null) => {
      const key = { accountId, oracleId, eventId };
      if (at === null) await pollNoMore.run(session, key);
      else await pollLater.run(session, { ...key, at: BigInt(at) });
    },
    /** A contract that begins to wait sees to it that its events are asked for; this does it for all of every account, whatever was missed. */
    pollAwaited: async () => {
      await awaitEvents.run(session, {});
    },
  };
}
