import { type Generated, type Kysely, sql } from 'kysely';
import type { EventChannel } from '../../core/events/channels.ts';
import type { AccountId } from '../../core/ids.ts';
import { insertRows } from '../queries/insert-rows.ts';
import { prepared } from '../queries/prepared.ts';
import type { DatabaseKind, Session } from '../queries/session.ts';
import type { Schema } from '../schema.ts';
import { settingsRepository } from './settings.ts';

export interface NewEvent {
  accountId: AccountId | null;
  channel: EventChannel;
  /** What it is about: a txid, a block hash, a contract_id, … */
  ref: string;
  data: Record<string, unknown>;
  /** event_id of the event this one takes back. */
  retractsEventId?: bigint;
}

export interface StoredEvent {
  eventId: bigint;
  seq: bigint;
  accountId: AccountId | null;
  channel: EventChannel;
  /** What it is about. */
  ref: string;
  /** JSON text, ready to be spliced into a message. */
  data: string;
  retractsSeq: bigint | null;
  createdAt: number;
}

export interface Change extends StoredEvent {
  /** A later event is about the same. */
  superseded: boolean;
}

declare module '../schema.ts' {
  interface Schema {
    events: {
      event_id: Generated<bigint>;
      /** Given by the commit on SQLite, by the sequencer after it on PostgreSQL; null until then. */
      seq: bigint | null;
      /** null: for every account (blocks). */
      account_id: AccountId | null;
      channel: string;
      /** What it is about: a txid, a block hash, a contract_id. */
      ref: string;
      data: string;
      /** The event_id this one takes back (a block that left the chain); the reader sees its seq. */
      retracts_event_id: bigint | null;
      created_at: bigint;
    };
  }
}

/** The highest seq given before old events were last deleted: theirs may have been the last. */
const LAST_SEQ = 'events.last_seq';
/** The highest seq that was deleted: ages need not follow the order of numbers. */
const DELETED_SEQ = 'events.deleted_seq';

const insertEvents = insertRows<'events', { event_id: bigint }>(
  'events',
  ['seq', 'account_id', 'channel', 'ref', 'data', 'retracts_event_id', 'created_at'],
  'returning event_id',
);
/** The highest seq ever given. */
const last = (kind: DatabaseKind) => sql<bigint>`(select ${sql.raw(kind === 'sqlite' ? 'max' : 'greatest')}(
  coalesce((select max(seq) from events), 0),
  coalesce((select cast(value as bigint) from settings where name = ${sql.lit(LAST_SEQ)}), 0)))`;
const lastGiven = prepared((db, _: object, kind) => ({
  compile: () => sql<{ seq: bigint }>`select ${last(kind)} as seq`.compile(db),
}));
const numberEvents = prepared((db, p: { limit: bigint }, kind) => ({
  compile: () =>
    sql`update events set seq = numbered.seq
      from (
        select event_id, ${last(kind)} + row_number() over (order by event_id) as seq
        from (select event_id from events where seq is null order by event_id limit ${p.limit}) as waiting
      ) as numbered
      where events.event_id = numbered.event_id`.compile(db),
}));
const edge = (order: 'asc' | 'desc') =>
  prepared((db) => db.selectFrom('events').select('seq').where('seq', 'is not', null).orderBy('seq', order).limit(1n));
const oldest = edge('asc');
const since = prepared((db, p: { time: bigint }) =>
  db
    .selectFrom('events')
    .select('seq')
    .where('seq', 'is not', null)
    .where('created_at', '>=', p.time)
    .orderBy('created_at')
    .orderBy('seq')
    .limit(1n),
);

interface Range {
  seq: bigint;
  limit: bigint;
}
const afterSeq = (db: Kysely<Schema>, p: Range) =>
  db
    .selectFrom('events as event')
    .leftJoin('events as retracted', 'retracted.event_id', 'event.retracts_event_id')
    .select([
      'event.event_id',
      'event.seq',
      'event.account_id',
      'event.channel',
      'event.ref',
      'event.data',
      'event.created_at',
      'retracted.seq as retracts_seq',
    ])
    .where('event.seq', '>', p.seq)
    .orderBy('event.seq')
    .limit(p.limit);
const allAfter = prepared((db, p: Range) => afterSeq(db, p));
const ofAccountAfter = prepared((db, p: Range & { accountId: AccountId; channel: string }) =>
  afterSeq(db, p).where('event.channel', '=', p.channel).where('event.account_id', '=', p.accountId),
);
/** Written as in the index. */
const ownAfter = prepared((db, p: Range & { accountId: AccountId; ref: string }) =>
  afterSeq(db, p)
    .where(sql<boolean>`event.channel = 'notifications'`)
    .where('event.account_id', '=', p.accountId)
    .where('event.ref', '=', p.ref),
);
/** A sum is in no index: what is about the same is found by its subject, not among all that came later. */
const superseded = sql<bigint>`cast(case when exists (select 1 from events as later where later.channel = event.channel
  and later.ref = event.ref and later.event_id > event.event_id and later.account_id = event.account_id
  and later.seq + 0 > event.seq) then 1 else 0 end as bigint)`;
const changesAfter = prepared((db, p: Range & { accountId: AccountId; channel: string }) =>
  afterSeq(db, p)
    .select(superseded.as('superseded'))
    .where('event.channel', '=', p.channel)
    .where('event.account_id', '=', p.accountId),
);
const lastForAll = prepared((db, p: { channel: string; after: bigint; upTo: bigint }) =>
  db
    .selectFrom('events')
    .select('seq')
    .where('channel', '=', p.channel)
    .where('account_id', 'is', null)
    .where('seq', '>', p.after)
    .where('seq', '<=', p.upTo)
    .orderBy('seq', 'desc')
    .limit(1n),
);
const forAllAfter = prepared((db, p: Range & { channel: string }) =>
  afterSeq(db, p).where('event.channel', '=', p.channel).where('event.account_id', 'is', null),
);
const latest = (db: Kysely<Schema>, p: { channel: string; ref: string }) =>
  db
    .selectFrom('events')
    .select('event_id')
    .where('channel', '=', p.channel)
    .where('ref', '=', p.ref)
    .orderBy('event_id', 'desc')
    .limit(1n);
const latestForAll = prepared((db, p: { channel: string; ref: string }) =>
  latest(db, p).where('account_id', 'is', null),
);
const latestForAccount = prepared((db, p: { channel: string; ref: string; accountId: AccountId }) =>
  latest(db, p).where('account_id', '=', p.accountId),
);
const lastOlder = prepared((db, p: { time: bigint }) =>
  db
    .selectFrom('events')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .where('seq', 'is not', null)
    .where('created_at', '<', p.time),
);
const deleteOlder = prepared((db, p: { time: bigint }) =>
  db.deleteFrom('events').where('seq', 'is not', null).where('created_at', '<', p.time),
);

type EventRow = Awaited<ReturnType<typeof allAfter.all>>[number];
const toEvent = (row: EventRow): StoredEvent => ({
  eventId: row.event_id,
  seq: row.seq!,
  accountId: row.account_id as AccountId,
  channel: row.channel as EventChannel,
  ref: row.ref,
  data: row.data,
  retractsSeq: row.retracts_seq,
  createdAt: Number(row.created_at),
});

export function eventRepository(session: Session, clock: () => number) {
  const settings = settingsRepository(session);

  async function appendMany(events: readonly NewEvent[]): Promise<bigint[]> {
    if (events.length === 0) return [];
    const createdAt = BigInt(clock());
    const { rows } = await insertEvents(
      session,
      events.map((event) => ({
        seq: null,
        account_id: event.accountId,
        channel: event.channel,
        ref: event.ref,
        data: JSON.stringify(event.data),
        retracts_event_id: event.retractsEventId ?? null,
        created_at: createdAt,
      })),
    );
    session.note('events');
    // Ids grow in the order of the rows; the order in which they are returned is not promised.
    return rows.map((row) => row.event_id).sort((a, b) => (a < b ? -1 : 1));
  }

  const lastSeq = async (): Promise<bigint> => (await lastGiven.first(session, {}))!.seq;

  return {
    /** Appends, unnumbered; answers the event_id. */
    append: async (event: NewEvent) => (await appendMany([event]))[0]!,
    appendMany,
    /**
     * Numbers up to `limit` unnumbered events in event_id order; answers how many. For the sequencer, and on SQLite for the writer before
     * each COMMIT of events.
     */
    number: async (limit: number) => {
      const numbered = await numberEvents.run(session, { limit: BigInt(limit) });
      if (numbered > 0n) session.note('events');
      return Number(numbered);
    },
    lastSeq,
    /** Oldest kept seq, or null where none is kept. */
    firstSeq: async () => (await oldest.first(session, {}))?.seq ?? null,
    /** Seq of the first that was written at that time or later, or null. */
    firstSince: async (time: number) => (await since.first(session, { time: BigInt(time) }))?.seq ?? null,
    /** Numbered events after `seq`, in order; of one account (plus those for all) and channel where given. */
    after: async (seq: bigint, limit: number, only?: { accountId: AccountId; channel: string }) => {
      const range = { seq, limit: BigInt(limit) };
      if (!only) return (await allAfter.all(session, range)).map(toEvent);
      // Two walks along an index, merged: an OR would make the database walk everybody's events.
      const own = await ofAccountAfter.all(session, { ...range, ...only });
      const shared = await forAllAfter.all(session, { ...range, channel: only.channel });
      return [...own, ...shared]
        .map(toEvent)
        .sort((a, b) => (a.seq < b.seq ? -1 : 1))
        .slice(0, limit);
    },
    /** The one with this number, or null where it is not kept. */
    at: async (seq: bigint) => {
      const row = await allAfter.first(session, { seq: seq - 1n, limit: 1n });
      return row?.seq === seq ? toEvent(row) : null;
    },
    /** Of a subject's own channel after `seq`, in order. */
    ownAfter: async ({ accountId, ref }: { accountId: AccountId; ref: string }, seq: bigint, limit: number) =>
      (await ownAfter.all(session, { accountId, ref, seq, limit: BigInt(limit) })).map(toEvent),
    /** An account's own of one channel after `seq`, in order. */
    changesAfter: async (accountId: AccountId, channel: EventChannel, seq: bigint, limit: number) => {
      // Each notice tells something else. They are of names that clients choose, and other accounts may have any number of one name.
      if (channel === 'security') {
        const notices = await ofAccountAfter.all(session, { accountId, channel, seq, limit: BigInt(limit) });
        return notices.map((row): Change => ({ ...toEvent(row), superseded: false }));
      }
      const rows = await changesAfter.all(session, { accountId, channel, seq, limit: BigInt(limit) });
      return rows.map((row): Change => ({ ...toEvent(row), superseded: row.superseded === 1n }));
    },
    /** Those for all of one channel after `seq`, in order. */
    forAllAfter: async (seq: bigint, limit: number, channel: EventChannel) =>
      (await forAllAfter.all(session, { seq, limit: BigInt(limit), channel })).map(toEvent),
    /** Seq of the last of them in (after, upTo], or null. */
    lastForAll: async (channel: EventChannel, after: bigint, upTo: bigint) =>
      (await lastForAll.first(session, { channel, after, upTo }))?.seq ?? null,
    /** After it nothing is missing. */
    deletedSeq: async () => BigInt((await settings.get(DELETED_SEQ)) ?? 0),
    /** event_id of the latest event about `ref` on that channel (for that account), for retractions. */
    latestFor: async (channel: string, ref: string, accountId: AccountId | null) => {
      const row =
        accountId === null
          ? await latestForAll.first(session, { channel, ref })
          : await latestForAccount.first(session, { channel, ref, accountId });
      return row?.event_id ?? null;
    },
    /** Only numbered ones: an event that nobody could have read yet is never lost. */
    deleteOlderThan: async (time: number) => {
      await settings.set(LAST_SEQ, String(await lastSeq()));
      const deleted = (await lastOlder.first(session, { time: BigInt(time) }))?.seq ?? null;
      if (deleted !== null && deleted > BigInt((await settings.get(DELETED_SEQ)) ?? 0))
        await settings.set(DELETED_SEQ, String(deleted));
      return Number(await deleteOlder.run(session, { time: BigInt(time) }));
    },
  };
}
