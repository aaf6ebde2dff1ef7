import { isOffered, isOwn, type OfferedChannel } from '../core/events/channels.ts';
import type { AccountId } from '../core/ids.ts';
import type { OutageLog } from '../outages/outage.ts';
import { createWorker, type Worker } from '../scheduling/worker.ts';
import type { StoredEvent } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type EventMessage, eventMessage } from './event-message.ts';
import { createMessageRing, type MessageRing } from './message-ring.ts';

const BATCH = 500;
const POLL_MS = 250;
const MAX_RETRY_MS = 1_000;
const RING_MESSAGES = 10_000;
const RING_BYTES = 8 * 1024 * 1024;

/** Takes messages in order of seq. Must neither throw nor wait. */
type Deliver = (message: EventMessage) => void;

export interface EventInterest {
  readonly accountId: AccountId;
  readonly channel: OfferedChannel;
  /** Who listens, a credential's id: of what is one's own, others are told nothing. */
  readonly subject: string;
}

export interface FanOut extends Pick<Worker, 'name' | 'stop' | 'wake' | 'counts'> {
  /** Resolves once the position is known: everything numbered later is delivered. */
  start(): Promise<void>;
  /** Seq of the last message delivered to subscribers. */
  position(): bigint;
  /** When the event of this number was written; null where it is not kept. Only a restored database has another at its number. */
  writtenAt(seq: bigint): Promise<number | null>;
  /** Of the one at `position()`. */
  positionAt(): number | null;
  /** The last seq given by any process so far. */
  lastSeq(): Promise<bigint>;
  /** The oldest seq that is still kept; where nothing is kept, the next one to come. */
  oldestSeq(): Promise<bigint>;
  /** Live messages of a channel for an account or subject, and those for all, from the one after `position()` on. Answers the unsubscribe. */
  subscribe(interest: EventInterest, deliver: Deliver): () => void;
  /** Kept messages above `seq`, at most `limit`, in order, from the database. */
  replay(interest: EventInterest, seq: bigint, limit: number): Promise<EventMessage[]>;
  /** Messages above `seq` up to `position()` from memory; null where memory does not reach back that far. */
  recent(interest: EventInterest, seq: bigint): readonly EventMessage[] | null;
}

/**
 * Reads numbered events in order and hands each, serialized once, to the subscribers in this process. What it knows comes from the
 * database alone, so every process delivers the events of all.
 */
export function createFanOut(deps: {
  store: Pick<Store, 'read' | 'onEvents'>;
  log: OutageLog;
  clock?: () => number;
  pollMs?: number;
}): FanOut {
  const { store, log, pollMs = POLL_MS } = deps;
  /** By channel, and account or subject. */
  const subscribers = new Map<OfferedChannel, Map<string, Set<Deliver>>>();
  let position = 0n;
  let positionAt: number | null = null;
  const writtenAt = async (seq: bigint): Promise<number | null> => (await store.read.events.at(seq))?.createdAt ?? null;
  let ring: MessageRing = createMessageRing(0n, RING_MESSAGES, RING_BYTES);

  function moveTo({ seq, createdAt }: Pick<StoredEvent, 'seq' | 'createdAt'>): void {
    position = seq;
    positionAt = createdAt;
  }

  function deliver(message: EventMessage): void {
    ring.push(message);
    moveTo(message);
    const byReader = subscribers.get(message.channel);
    if (!byReader) return;
    if (message.accountId !== null) {
      const reader = readerOf({ ...message, accountId: message.accountId, subject: message.ref });
      for (const one of byReader.get(reader) ?? []) one(message);
      return;
    }
    for (const all of byReader.values()) for (const one of all) one(message);
  }

  const reader = createWorker({
    ...{ name: 'events', log, clock: deps.clock ?? Date.now },
    failed: 'events could not be read; trying again',
    recovered: 'events are read again',
    intervalMs: pollMs,
    longestRetryMs: MAX_RETRY_MS,
    wokenBy: store.onEvents,
    async round(signal) {
      for (let full = true; full && !signal.aborted; ) {
        const events = await store.read.events.after(position, BATCH);
        for (const event of events) {
          if (offered(event)) deliver(eventMessage(event));
          else moveTo(event);
        }
        full = events.length === BATCH;
      }
    },
  });

  return {
    ...reader,
    async start() {
      position = await store.read.events.lastSeq();
      positionAt = await writtenAt(position);
      ring = createMessageRing(position, RING_MESSAGES, RING_BYTES);
      reader.start();
    },
    position: () => position,
    writtenAt,
    positionAt: () => positionAt,
    lastSeq: () => store.read.events.lastSeq(),
    async oldestSeq() {
      return (await store.read.events.firstSeq()) ?? (await store.read.events.lastSeq()) + 1n;
    },
    subscribe(interest, one) {
      const { channel } = interest;
      const reader = readerOf(interest);
      const byReader = subscribers.get(channel) ?? new Map<string, Set<Deliver>>();
      subscribers.set(channel, byReader);
      const all = byReader.get(reader) ?? new Set<Deliver>();
      byReader.set(reader, all);
      all.add(one);
      return () => {
        all.delete(one);
        if (all.size === 0 && byReader.get(reader) === all) byReader.delete(reader);
      };
    },
    async replay(interest, seq, limit) {
      const { accountId, subject: ref, channel } = interest;
      const { events } = store.read;
      const found = isOwn(channel)
        ? await events.ownAfter({ accountId, ref }, seq, limit)
        : await events.after(seq, limit, { accountId, channel });
      return found.filter(offered).map(eventMessage);
    },
    recent(interest, seq) {
      const messages = ring.after(seq);
      return messages?.filter((message) => concerns(message, interest)) ?? null;
    },
  };
}

/** Others are delivered elsewhere. */
const offered = (event: StoredEvent): event is StoredEvent & { readonly channel: OfferedChannel } =>
  isOffered(event.channel);

const readerOf = ({ accountId, channel, subject }: EventInterest): string =>
  isOwn(channel) ? `${accountId} ${subject}` : accountId;

function concerns({ accountId, channel, ref: subject }: EventMessage, interest: EventInterest): boolean {
  if (channel !== interest.channel) return false;
  return accountId === null || readerOf({ accountId, channel, subject }) === readerOf(interest);
}
