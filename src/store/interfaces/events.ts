import type { NewEvent, StoredEvent } from '../records.ts';

export interface EventRepository {
  /** Appends, unnumbered; answers the event_id. */
  append(event: NewEvent): Promise<bigint>;
  appendMany(events: readonly NewEvent[]): Promise<bigint[]>;
  /** Numbers up to `limit` unnumbered events in event_id order; answers how many. Only the sequencer calls it. */
  number(limit: number): Promise<number>;
  lastSeq(): Promise<bigint>;
  /** Oldest kept seq, or null where none is kept. */
  firstSeq(): Promise<bigint | null>;
  /** Numbered events after `seq`, in order; of one account (plus those for all) and channel where given. */
  after(seq: bigint, limit: number, only?: { accountId: string; channel: string }): Promise<StoredEvent[]>;
  /** event_id of the latest event about `ref` on that channel (for that account), for retractions. */
  latestFor(channel: string, ref: string, accountId: string | null): Promise<bigint | null>;
  deleteOlderThan(time: number): Promise<number>;
}
