/** What answers: an upstream, or the service's own guide. */

import type { AccountId } from '../ids.ts';
import type { ChatPiece, ChatRequest } from './chat.ts';

/** In millionths of a US dollar for a million tokens. */
export interface Price {
  readonly inputPerMillion: bigint;
  readonly outputPerMillion: bigint;
}

export interface Model {
  /** May hold slashes and colons. */
  readonly id: string;
  readonly ownedBy: string;
  /** Epoch milliseconds: when its configuration was read. */
  readonly createdAt: number;
  /** Tokens; null: unknown. */
  readonly contextLength: number | null;
  readonly price: Price | null;
  readonly maySeeRecords: boolean;
  readonly embeddings: boolean;
}

export interface Call {
  readonly accountId: AccountId;
  /** Aborts when nobody waits for the answer any more: the work ends, also that of the upstream. */
  readonly signal: AbortSignal;
  /** Told which upstream and model answer, before the first piece. */
  answeredBy(by: { upstream: string; model: string; price: Price | null }): void;
  /** Told that the model works, though it says nothing. */
  working?(): void;
  /** Told of tokens of inputs that are embedded, while others are not yet: they are paid for, however it ends. */
  embedded?(promptTokens: number): void;
}

export interface Backend {
  models(): readonly Model[];
  /** Throws a DomainError where it cannot answer. */
  chat(request: ChatRequest, call: Call): AsyncIterable<ChatPiece>;
  embed?(
    model: string,
    inputs: readonly string[],
    call: Call,
  ): Promise<{ vectors: readonly (readonly number[])[]; promptTokens: number }>;
  /** Names of upstreams that are not asked now. */
  degraded(): readonly string[];
}
