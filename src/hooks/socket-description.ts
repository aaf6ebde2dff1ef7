/** The form in which a WebSocket is described; /asyncapi.json is made from it (families/service/asyncapi). */
import type { z } from 'zod';

export interface SocketMessage {
  readonly summary: string;
  readonly schema: z.ZodType;
  readonly example: object;
}

/** What a client says. */
export interface SocketRequest extends SocketMessage {
  readonly description?: string;
  /** Names of the answers that may follow. */
  readonly answers: readonly string[];
}

/** What comes without being asked for each time. */
interface SocketUpdate extends SocketMessage {
  /** What the credential needs; null: any does. */
  readonly scope: string | null;
}

export interface SocketDescription {
  /** Of the socket in the document. */
  readonly name: string;
  /** Of its messages and operations in the document, where sockets have the same names. */
  readonly prefix: string;
  readonly path: string;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  /** What a client says, what it is answered, and what comes by itself: each by its name, all of them different. */
  readonly requests: Readonly<Record<string, SocketRequest>>;
  readonly answers: Readonly<Record<string, SocketMessage>>;
  readonly updates: Readonly<Record<string, SocketUpdate>>;
}
