/** What is asked and in which order, as AI_CONFIG says it. */
import type { Price } from '../../core/inference/backend.ts';

export interface UpstreamModel {
  /** What callers name. */
  readonly id: string;
  readonly aliases: readonly string[];
  /** What the upstream calls it. */
  readonly upstreamModel: string;
  readonly contextLength: number | null;
  readonly price: Price | null;
  readonly embeddings: boolean;
  /** Which field bounds an answer: some vendors refuse the older one. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
}

export interface UpstreamConfig {
  readonly name: string;
  /** Without credentials, query and fragment. */
  readonly baseUrl: string;
  /** null: none is sent. */
  readonly apiKey: string | null;
  readonly models: readonly UpstreamModel[];
  readonly timeouts: {
    readonly connectMs: number;
    /** Until the first piece of an answer. */
    readonly firstByteMs: number;
    /** Between two pieces. */
    readonly silenceMs: number;
    /** For a place among those under way. */
    readonly placeMs: number;
  };
  readonly maxConcurrent: number;
  readonly maySeeRecords: boolean;
}

export interface RouteConfig {
  readonly id: string;
  /** Asked one after another; each a model, or several that stand for one another and share what is asked by weight. */
  readonly steps: readonly (readonly { readonly model: string; readonly weight: number }[])[];
}

export interface InferenceConfig {
  readonly upstreams: readonly UpstreamConfig[];
  readonly routes: readonly RouteConfig[];
  readonly retries: {
    /** So often all targets are tried again. */
    readonly rounds: number;
    /** For an upstream that cools down one waits so long at most. */
    readonly longestWaitMs: number;
  };
}
