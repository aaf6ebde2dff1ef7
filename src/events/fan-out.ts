import { isOffered, type OfferedChannel } from '../core/events/channels.ts';
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
}

export interface FanOut extends Pick<Worker, 'name' | 'stop' | 'wake' | 'counts'> {
  /** Resolves once the position is known: everything numbered later is delivered. */
  start(): Promise<void>;
  /** Seq of the last message delivered to subscribers. */
  position(): bigint;
  /** The last seq given by any process so far. */
  lastSeq(): Promise<bigint>;
  /** The oldest seq that is still kept; where nothing is kept, the next one to come. */
  oldestSeq(): Promise<bigint>;
  /** Live messages of a channel for an account, and those for all, from the one after `position()` on. Answers the unsubscribe. */
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
  const subscribers = new Map<OfferedChannel, Map<string, Set<Deliver>>>();
  let position = 0n;
  let ring: MessageRing = createMessageRing(0n, RING_MESSAGES, RING_BYTES);

  function deliver(message: EventMessage): void {
    ring.push(message);
    position = message.seq;
    const byAccount = subscribers.get(message.channel);
    if (!byAccount) return;
    if (message.accountId !== null) {
      for (const one of byAccount.get(message.accountId) ?? []) one(message);
      return;
    }
    for (const all of byAccount.values()) for (const one of all) one(message);
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
          else position = event.seq;
        }
        full = events.length === BATCH;
      }
    },
  });

  return {
    ...reader,
    async start() {
      position = await store.read.events.lastSeq();
      ring = createMessageRing(position, RING_MESSAGES, RING_BYTES);
      reader.start();
    },
    position: () => position,
    lastSeq: () => store.read.events.lastSeq(),
    async oldestSeq() {
      return (await store.read.events.firstSeq()) ?? (await store.read.events.lastSeq()) + 1n;
    },
    subscribe({ accountId, channel }, one) {
      const byAccount = subscribers.get(channel) ?? new Map<string, Set<Deliver>>();
      subscribers.set(channel, byAccount);
      const all = byAccount.get(accountId) ?? new Set<Deliver>();
      byAccount.set(accountId, all);
      all.add(one);
      return () => {
        all.delete(one);
        if (all.size === 0 && byAccount.get(accountId) === all) byAccount.delete(accountId);
      };
    },
    async replay(interest, seq, limit) {
      return (await store.read.events.after(seq, limit, interest)).filter(offered).map(eventMessage);
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

const concerns = (message: EventMessage, { accountId, channel }: EventInterest): boolean =>
  message.channel === channel && (message.accountId === null || message.accountId === accountId);
