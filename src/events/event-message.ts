import { CHANNELS, type OfferedChannel } from '../core/events/channels.ts';
import type { StoredEvent } from '../store/records.ts';

/** `data` is spliced in as it is stored; seq fits a JSON number (2^53 events are out of reach). */
export function eventMessage(event: StoredEvent & { readonly channel: OfferedChannel }) {
  const retracts = event.retractsSeq === null ? '' : `,"retracts":${event.retractsSeq}`;
  const place = `{"type":"${CHANNELS[event.channel].socket.type}","channel":"${event.channel}","seq":${event.seq},`;
  const content = `"data":${event.data}${retracts}}`;
  let timed: Buffer | undefined;
  return {
    seq: event.seq,
    /** null: for every account. */
    accountId: event.accountId,
    channel: event.channel,
    ref: event.ref,
    /** JSON in UTF-8: {type, channel, seq, data, retracts?} */
    bytes: Buffer.from(place + content),
    createdAt: event.createdAt,
    /** The same with `at`, when it was written, behind `seq`. */
    timed: (): Buffer => (timed ??= Buffer.from(`${place}"at":${event.createdAt},${content}`)),
  };
}

/** A numbered event as it goes to subscribers: serialized once, the same bytes for all. */
export type EventMessage = ReturnType<typeof eventMessage>;
