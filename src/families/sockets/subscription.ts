import type { EventMessage } from '../../events/event-message.ts';
import type { EventInterest, FanOut } from '../../events/fan-out.ts';
import type { Outbox } from './outbox.ts';
import { SocketError } from './socket-error.ts';

const PAGE = 500;
/** The last stretch of a resume is handed over in one step when it is no larger than this. */
const ONE_STEP_BYTES = 128 * 1024;

export interface Subscription {
  cancel(): void;
}

/** What one socket listens to. */
export interface Listening extends EventInterest {
  /** Updates say when they were written. */
  readonly times: boolean;
}

const bytesOf = (message: EventMessage, { times }: Listening): Buffer => (times ? message.timed() : message.bytes);

/** From now on: `subscribed`, then everything live. Nothing can come in between: both happen in one step. */
export function subscribeLive(fanOut: FanOut, to: Listening, outbox: Outbox): Subscription {
  const at = to.times ? fanOut.positionAt() : null;
  const seq = Number(fanOut.position());
  outbox.say({ type: 'subscribed', channel: to.channel, seq, ...(at !== null && { at }) });
  return { cancel: fanOut.subscribe(to, (message) => outbox.send(bytesOf(message, to))) };
}

/** As `subscribeLive`, for whoever has seen what the database has lost. */
export function subscribeAnew(fanOut: FanOut, to: Listening, outbox: Outbox): Subscription {
  outbox.say({ type: 'gap', channel: to.channel, from: Number(fanOut.position() + 1n), reset: true });
  return subscribeLive(fanOut, to, outbox);
}

/** Where a resume can begin: the seq before the first event to be sent, and the oldest kept seq where some are missing. */
export interface ResumePoint {
  readonly from: bigint;
  readonly gapBefore: bigint | null;
}

/**
 * `at`: when the event of this number was written, for who knows. `lost`: the database was restored from a backup, and its number was never
 * given or is another event's. Throws SocketError for a seq that was never given, where `at` is not.
 */
export async function resumePoint(
  fanOut: FanOut,
  after: bigint,
  at: number | undefined,
): Promise<ResumePoint | 'lost'> {
  const last = await fanOut.lastSeq();
  if (after > last && at === undefined)
    throw new SocketError('invalid_request', `after: is above the last seq, ${last}`);
  if (after > last || (at !== undefined && ((await fanOut.writtenAt(after)) ?? at) !== at)) return 'lost';
  const oldest = await fanOut.oldestSeq();
  return after + 1n >= oldest ? { from: after, gapBefore: null } : { from: oldest - 1n, gapBefore: oldest };
}

/**
 * `gap` where events are no longer kept, `subscribed`, the kept ones in order, then live; each once. What follows `subscribed` comes
 * by itself; `onFailure` is called where it can't.
 */
export function subscribeFrom(
  fanOut: FanOut,
  to: Listening,
  { from, gapBefore }: ResumePoint,
  outbox: Outbox,
  onFailure: (error: unknown) => void,
): Subscription {
  const { channel } = to;
  if (gapBefore !== null) outbox.say({ type: 'gap', channel, from: Number(gapBefore) });
  // Another process may have delivered further than this one has read: live messages up to `from` are skipped then.
  const position = fanOut.position();
  outbox.say({ type: 'subscribed', channel, seq: Number(position > from ? position : from) });

  const state = { cancelled: false, unsubscribe: (): void => {} };
  catchUp(fanOut, to, from, outbox, state).catch(onFailure);
  return {
    cancel() {
      state.cancelled = true;
      state.unsubscribe();
    },
  };
}

async function catchUp(
  fanOut: FanOut,
  to: Listening,
  from: bigint,
  outbox: Outbox,
  state: { cancelled: boolean; unsubscribe: () => void },
): Promise<void> {
  let cursor = from;
  while (!state.cancelled && outbox.open) {
    const recent = fanOut.recent(to, cursor);
    if (recent && recent.reduce((sum, { bytes }) => sum + bytes.length, 0) <= ONE_STEP_BYTES) {
      // No wait from here to the subscription: position() does not move, so nothing is missed and nothing comes twice.
      for (const message of recent) outbox.send(bytesOf(message, to));
      const reached = cursor > fanOut.position() ? cursor : fanOut.position();
      state.unsubscribe = fanOut.subscribe(to, (message) => {
        if (message.seq > reached) outbox.send(bytesOf(message, to));
      });
      return;
    }
    // All that is numbered up to the position is in the database; what lies above it is left to memory.
    const target = fanOut.position();
    const page = recent ?? (await fanOut.replay(to, cursor, PAGE));
    const last = page.at(-1)?.seq ?? target;
    for (const message of page) {
      if (message.seq > target) break;
      await outbox.sendPatiently(bytesOf(message, to));
      if (state.cancelled) return;
      cursor = message.seq;
    }
    if (recent || page.length < PAGE || last >= target) cursor = cursor > target ? cursor : target;
  }
}
