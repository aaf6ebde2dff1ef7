import { CHANNELS, type OfferedChannel, type UpdateData } from '../core/events/channels.ts';
import type { StoredEvent } from '../store/records.ts';

type Offered = StoredEvent & { readonly channel: OfferedChannel };

/** `data` is spliced in as it is stored. */
function partsOf({ channel, data }: Offered): { head: string; data: string } {
  const { socket } = CHANNELS[channel];
  if (socket !== 'kinds') return { head: `"type":"${socket.type}","channel":"${channel}"`, data };
  const { event: type, proposal_id, ...rest } = JSON.parse(data) as UpdateData['governance'];
  return { head: JSON.stringify({ type, proposal_id }).slice(1, -1), data: JSON.stringify(rest) };
}

/** seq fits a JSON number (2^53 events are out of reach). */
export function eventMessage(event: Offered) {
  const { head, data } = partsOf(event);
  const retracts = event.retractsSeq === null ? '' : `,"retracts":${event.retractsSeq}`;
  const place = `{${head},"seq":${event.seq},`;
  const content = `"data":${data}${retracts}}`;
  let timed: Buffer | undefined;
  return {
    seq: event.seq,
    /** null: for every account. */
    accountId: event.accountId,
    channel: event.channel,
    ref: event.ref,
    /** JSON in UTF-8: {type, channel, seq, data, retracts?}; of kinds {type, proposal_id?, seq, data} */
    bytes: Buffer.from(place + content),
    createdAt: event.createdAt,
    /** The same with `at`, when it was written, behind `seq`. */
    timed: (): Buffer => (timed ??= Buffer.from(`${place}"at":${event.createdAt},${content}`)),
  };
}

/** A numbered event as it goes to subscribers: serialized once, the same bytes for all. */
export type EventMessage = ReturnType<typeof eventMessage>;
