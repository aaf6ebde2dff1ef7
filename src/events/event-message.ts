import type { EventChannel, StoredEvent } from '../store/records.ts';

export const CHANNELS = ['transactions', 'blocks', 'contracts'] as const satisfies readonly EventChannel[];

/** `type` of the updates of each channel. */
export const UPDATE_TYPES = {
  transactions: 'transaction',
  blocks: 'block',
  contracts: 'contract',
} as const satisfies Record<EventChannel, string>;

/** A numbered event as it goes to subscribers: serialized once, the same bytes for all. */
export interface EventMessage {
  readonly seq: bigint;
  /** null: for every account. */
  readonly accountId: string | null;
  readonly channel: EventChannel;
  /** JSON in UTF-8: {type, channel, seq, data, retracts?} */
  readonly bytes: Buffer;
}

/** `data` is spliced in as it is stored; seq fits a JSON number (2^53 events are out of reach). */
export function eventMessage(event: StoredEvent): EventMessage {
  const retracts = event.retractsSeq === null ? '' : `,"retracts":${event.retractsSeq}`;
  const text = `{"type":"${UPDATE_TYPES[event.channel]}","channel":"${event.channel}","seq":${event.seq},"data":${event.data}${retracts}}`;
  return { seq: event.seq, accountId: event.accountId, channel: event.channel, bytes: Buffer.from(text) };
}
