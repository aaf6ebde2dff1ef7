/** One connection for each name in this process: a second one waits until the first has shown that it lives, or takes its place. */
import { once } from 'node:events';
import type { WebSocket } from 'ws';

const ANSWER_WITHIN_MS = 5_000;

export interface Seats {
  /** False where the seat is another's, and where the socket was closed while it waited. */
  take(name: string, socket: WebSocket): Promise<boolean>;
}

export function createSeats(answerWithinMs = ANSWER_WITHIN_MS): Seats {
  const seats = new Map<string, WebSocket>();
  /** Somebody waits for them. */
  const claimed = new Set<string>();

  return {
    async take(name, socket) {
      if (claimed.has(name)) return false;
      claimed.add(name);
      try {
        const before = seats.get(name);
        if (before !== undefined && (await answers(before, answerWithinMs))) return false;
        before?.terminate();
        if (socket.readyState !== socket.OPEN) return false;
        seats.set(name, socket);
        socket.on('close', () => {
          if (seats.get(name) === socket) seats.delete(name);
        });
        return true;
      } finally {
        claimed.delete(name);
      }
    },
  };
}

/** Whether anything comes from it in time. */
async function answers(socket: WebSocket, withinMs: number): Promise<boolean> {
  if (socket.readyState !== socket.OPEN) return false;
  const over = new AbortController();
  const { signal } = over;
  const timer = setTimeout(() => over.abort(), withinMs);
  socket.ping();
  const came = await Promise.race([
    ...['pong', 'message'].map((event) => once(socket, event, { signal }).then(() => true)),
    once(socket, 'close', { signal }).then(() => false),
  ]).catch(() => false);
  clearTimeout(timer);
  over.abort();
  return came;
}
