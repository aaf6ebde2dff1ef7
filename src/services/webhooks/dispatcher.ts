/**
 * Starts the work of listeners (webhooks, notification rules) whose account has a new event of their types, or whose time has come. It reads
 * each new event once, however many listeners there are, and does not read listeners without new events. One process of several does it for
 * each kind of listener. Its successor continues from a stored place: all events before it were handled, or wait in the database.
 */
import type { Logger } from 'pino';
import { isTyped } from '../../core/events/channels.ts';
import { type EventType, eventTypeOf } from '../../core/events/event-types.ts';
import type { AccountId } from '../../core/ids.ts';
import { createWorkOutage } from '../../outages/outage.ts';
import { createJobQueue, type Job } from '../../scheduling/job-queue.ts';
import { createTurns } from '../../scheduling/turns.ts';
import type { Worker, WorkerOptions } from '../../scheduling/worker.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { StoredEvent } from '../../store/records.ts';
import type { ExclusiveWork, Repositories, Store } from '../../store/store.ts';
import type { Turn } from './deliver-events.ts';
import { rowOf } from './webhook-messages.ts';

const ROUND_MS = 1_000;
/** Rounds are further apart if many webhooks wait, because each round goes over all of them. */
const GATHER_MS = { few: 5, many: 100 };
const MANY = 1_000;
const AT_ONCE = { all: 256, ofAccount: 8, ofHost: 32 };
/** Of those whose last attempt failed: the next may hang for as long as one may take. */
const FAILING_AT_ONCE = { all: 64, ofAccount: 2, ofHost: 8 };
const EVENTS_AT_ONCE = 500;
const DUE_AT_ONCE = 1_000;
/** Decoded in one turn of the event loop. */
const LISTENERS_AT_ONCE = 100;
/** Steps of deliveries per turn of the event loop: the first runs a dozen statements. */
export const STEPS_IN_A_TURN = 8;
/** A clock that goes back by more than this was set. */
const CLOCK_SLACK_MS = 1_000;

export interface Listener extends Job {
  readonly accountId: AccountId;
  readonly types: readonly EventType[];
}

export interface Listeners {
  /** Of its worker, and of the lock of the one process. The setting `<name>.position` has {seq, at}: work on all earlier events was started, and when. */
  readonly name: ExclusiveWork;
  readonly reading: Pick<WorkerOptions, 'failed' | 'recovered'>;
  readonly storing: { readonly began: string; readonly ended: string };
  listening(accountId: AccountId): Promise<readonly Listener[]>;
  /** Of every account, in order of key: those with events of blocks. */
  readingBlocks(after: string, limit: number): Promise<readonly Listener[]>;
  /** Of every account: whose time has come. */
  due(now: number, limit: number): Promise<readonly Listener[]>;
  /** The clock was set back: what waits for a later time is due now. */
  bringForward?(tx: Repositories, now: number): Promise<void>;
  /** `since`: the first event that may not be handled yet. `seen`: the last that was read. */
  perform(
    listener: Pick<Listener, 'key' | 'accountId'>,
    events: { readonly since: bigint; readonly seen: bigint },
    signal: AbortSignal,
  ): Promise<Turn>;
}

interface Pending extends Job {
  readonly accountId: AccountId;
  /** Seq of the last event for which its delivery was started. */
  latest: bigint;
  /** The first event that may not be delivered yet, and when it was written. */
  since: bigint;
  at: number;
  isFailing?: boolean | undefined;
}

/** Events of one type that were read together. */
interface Span {
  readonly first: Pick<StoredEvent, 'seq' | 'createdAt'>;
  readonly last: bigint;
}

export function createDispatcher(deps: {
  store: Store;
  listeners: Listeners;
  clock: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
  roundMs?: number;
  /** Before each step of a delivery. */
  turn?: () => Promise<void>;
}): { readonly worker: Worker; lagMs(): number } {
  const { store, listeners, clock, log, roundMs = ROUND_MS, turn = createTurns(STEPS_IN_A_TURN) } = deps;
  const { name } = listeners;
  const positionKept = `${name}.position`;
  const { read } = store;
  const pending = new Map<string, Pending>();
  let position: bigint | null = null;
  let saved = { seq: -1n, at: 0 };
  let looksAt = 0;
  let lookedAt = 0;

  function wake({ types: _, ...job }: Listener, { first, last }: Span) {
    const { key } = job;
    const known = pending.get(key);
    if (known === undefined)
      return void pending.set(key, { ...job, latest: last, since: first.seq, at: first.createdAt });
    known.isFailing = job.isFailing;
    if (last > known.latest) known.latest = last;
    if (first.seq < known.since) Object.assign(known, { since: first.seq, at: first.createdAt });
  }

  /** The first and the last event of each type, by account; null: events for all accounts. */
  function byAccount(events: readonly StoredEvent[]) {
    const accounts = new Map<AccountId | null, Map<EventType, Span>>();
    for (const event of events) {
      if (!isTyped(event.channel)) continue;
      const types = accounts.get(event.accountId) ?? new Map<EventType, Span>();
      accounts.set(event.accountId, types);
      const type = eventTypeOf(rowOf(event));
      types.set(type, { first: types.get(type)?.first ?? event, last: event.seq });
    }
    return accounts;
  }

  async function handOn(events: readonly StoredEvent[]): Promise<void> {
    const pause = createYielder();
    const wakeAll = async (all: readonly Listener[], types: ReadonlyMap<EventType, Span>) => {
      for (const listener of all) {
        for (const type of listener.types) {
          const span = types.get(type);
          if (span !== undefined) wake(listener, span);
        }
        await pause();
      }
    };
    for (const [accountId, types] of byAccount(events)) {
      if (accountId !== null) await wakeAll(await listeners.listening(accountId), types);
      else for await (const page of readingBlocks()) await wakeAll(page, types);
    }
  }

  async function* readingBlocks(): AsyncGenerator<readonly Listener[]> {
    for (let after = ''; ; ) {
      const page = await listeners.readingBlocks(after, LISTENERS_AT_ONCE);
      yield page;
      if (page.length < LISTENERS_AT_ONCE) return;
      after = page.at(-1)!.key;
    }
  }

  async function start(): Promise<bigint> {
    const kept = await read.settings.get(positionKept);
    if (kept !== null) {
      const { seq, at } = JSON.parse(kept) as { seq: string; at: number };
      saved = { seq: BigInt(seq), at };
    }
    looksAt = 0;
    lookedAt = Math.max(lookedAt, saved.at);
    return kept === null ? read.events.lastSeq() : saved.seq;
  }

  /** At an interval: starts due retries, and stores where to continue after a crash. */
  async function look(seq: bigint): Promise<void> {
    const now = clock();
    const { bringForward } = listeners;
    if (bringForward && now < lookedAt - CLOCK_SLACK_MS) await store.write((tx) => bringForward(tx, now));
    lookedAt = now;
    for (const listener of await listeners.due(now, DUE_AT_ONCE))
      wake(listener, { first: { seq, createdAt: now }, last: seq });
    const firsts = [...pending.values()].map(({ since }) => since - 1n);
    const safe = firsts.reduce((least, one) => (one < least ? one : least), seq);
    if (safe === saved.seq) return;
    await store.write((tx) => tx.settings.set(positionKept, JSON.stringify({ seq: String(safe), at: now })));
    saved = { seq: safe, at: now };
  }

  async function due(): Promise<Pending[]> {
    position ??= await start();
    for (let full = true; full; ) {
      const events = await read.events.after(position, EVENTS_AT_ONCE);
      await handOn(events);
      position = events.at(-1)?.seq ?? position;
      full = events.length === EVENTS_AT_ONCE;
    }
    if (performance.now() >= looksAt) {
      await look(position);
      looksAt = performance.now() + roundMs;
    }
    return [...pending.values()];
  }

  async function perform({ key, accountId, since }: Pending, signal: AbortSignal): Promise<'done' | 'more'> {
    await turn();
    const events = { since, seen: position ?? 0n };
    const { covered, more, waitsSince, isFailing } = await listeners.perform({ key, accountId }, events, signal);
    const entry = pending.get(key);
    if (entry === undefined) return 'done';
    entry.isFailing = isFailing;
    if (more || entry.latest > covered) {
      if (covered >= entry.since) Object.assign(entry, { since: covered + 1n, at: waitsSince ?? clock() });
      return 'more';
    }
    pending.delete(key);
    // An event that was written since may have been read by a round that did not start its delivery.
    setImmediate(() => worker.wake(GATHER_MS.few));
    return 'done';
  }

  const worker: Worker = createJobQueue<Pending>({
    ...{ name, log, clock, intervalMs: roundMs, ...listeners.reading },
    ...{ atOnce: AT_ONCE, failingAtOnce: FAILING_AT_ONCE },
    failing: createWorkOutage({ part: name, log, clock, ...listeners.storing }),
    alone: (signal, rounds) =>
      store.exclusively(name, signal, async (held) => {
        position = null;
        try {
          await rounds(held);
        } finally {
          pending.clear();
        }
      }),
    wokenBy: (wakeUp) => store.onEvents(() => wakeUp(pending.size > MANY ? GATHER_MS.many : GATHER_MS.few)),
    due,
    perform,
  });
  return {
    worker: {
      ...worker,
      wake(ms) {
        looksAt = 0;
        worker.wake(ms);
      },
    },
    lagMs: () => Math.max(0, ...[...pending.values()].map(({ at }) => clock() - at)),
  };
}
