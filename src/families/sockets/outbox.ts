import type { WebSocket } from 'ws';
import type { ServerMessage } from './server-message.ts';

/** Close codes: RFC 6455's, and of the private range those that the interface names. */
export const CLOSE = {
  goingAway: 1001,
  internal: 1011,
  tryAgainLater: 1013,
  unauthorized: 4401,
  conflict: 4409,
  tooMany: 4429,
} as const;

const MAX_BEHIND_BYTES = 4 * 1024 * 1024;
/** A replay waits while more than this is unsent, so that it never makes a reader a slow one. */
const REPLAY_BEHIND_BYTES = 256 * 1024;
const TEXT = { binary: false } as const;

/** The sending side of one socket. A reader that falls 4 MiB behind is closed with 1013 and can resume. */
export interface Outbox {
  readonly open: boolean;
  say(message: ServerMessage): void;
  greet(message: object): void;
  /** Bytes that are JSON already, shared by all sockets. */
  send(bytes: Buffer): void;
  /** As `send`, but resolves once the socket has room for more. */
  sendPatiently(bytes: Buffer): Promise<void>;
  close(code: number, reason: string): void;
}

/** Of all sockets of this process, since it began. */
export interface SocketMetrics {
  open: number;
  received: number;
  sent: number;
}

export function createOutbox(
  socket: WebSocket,
  metrics?: SocketMetrics,
  worded: (message: ServerMessage) => object = (message) => message,
): Outbox {
  const note = (): void => {
    if (metrics !== undefined) metrics.sent++;
  };
  const isOpen = (): boolean => socket.readyState === socket.OPEN;

  function send(bytes: Buffer | string): void {
    if (!isOpen()) return;
    if (socket.bufferedAmount > MAX_BEHIND_BYTES) {
      socket.close(CLOSE.tryAgainLater, 'too far behind: reconnect and resume after the last seq');
      return;
    }
    note();
    socket.send(bytes, TEXT);
  }

  return {
    get open() {
      return isOpen();
    },
    say: (message) => send(JSON.stringify(worded(message))),
    greet: (message) => send(JSON.stringify(message)),
    send,
    sendPatiently(bytes) {
      if (!isOpen()) return Promise.resolve();
      note();
      // The callback comes when these bytes, and all before them, have left; or with an error when the socket closes.
      return new Promise((resolve) => {
        if (socket.bufferedAmount > REPLAY_BEHIND_BYTES) {
          socket.send(bytes, TEXT, () => resolve());
        } else {
          socket.send(bytes, TEXT);
          resolve();
        }
      });
    },
    close(code, reason) {
      if (isOpen()) socket.close(code, reason);
    },
  };
}
