import type { EventMessage } from './event-message.ts';

/**
 * The most recent messages in order of seq, bounded by count and bytes, so that a resuming reader seldom asks the database twice.
 * `start`: every message above this seq will be pushed.
 */
export function createMessageRing(start: bigint, maxCount: number, maxBytes: number) {
  let messages: EventMessage[] = [];
  let first = 0;
  let bytes = 0;
  /** All messages above this seq are in the ring. */
  let coveredFrom = start;
  return {
    push(message: EventMessage) {
      messages.push(message);
      bytes += message.bytes.length;
      while (messages.length - first > maxCount || (bytes > maxBytes && messages.length - first > 1)) {
        const dropped = messages[first++] as EventMessage;
        bytes -= dropped.bytes.length;
        coveredFrom = dropped.seq;
      }
      if (first > maxCount) {
        messages = messages.slice(first);
        first = 0;
      }
    },
    /** Messages with a seq above `seq`, or null where the ring may no longer hold all of them. */
    after(seq: bigint) {
      if (seq < coveredFrom) return null;
      let low = first;
      let high = messages.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((messages[middle] as EventMessage).seq > seq) high = middle;
        else low = middle + 1;
      }
      return messages.slice(low);
    },
  };
}

export type MessageRing = ReturnType<typeof createMessageRing>;
