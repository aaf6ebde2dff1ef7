/** What one answer of a sync holds, and its bounds. */
import type { EventType } from '../../core/events/event-types.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import type { Json } from '../webhooks/webhook-messages.ts';
import type { SyncPlace } from './sync-cursor.ts';

/** Of the records of an answer, as JSON: with this no more are added. */
const ENOUGH_BYTES = 512 * 1024;

export interface Change {
  readonly seq: bigint;
  readonly type: EventType;
  readonly data: Json;
  readonly retracts?: bigint;
}

export interface Part {
  readonly changes: readonly Change[];
  /** Where the next answer begins. */
  readonly next: SyncPlace;
  readonly hasMore: boolean;
}

export function createAnswerPart(limit: number, signal: AbortSignal) {
  const changes: Change[] = [];
  const yielding = createYielder();
  let bytes = 0;
  return {
    changes,
    room: () => (bytes >= ENOUGH_BYTES ? 0 : limit - changes.length),
    /** Others get their turn. */
    async add(change: Change | null): Promise<void> {
      if (change !== null) {
        changes.push(change);
        bytes += JSON.stringify(change.data).length;
      }
      await yielding();
      signal.throwIfAborted();
    },
  };
}
