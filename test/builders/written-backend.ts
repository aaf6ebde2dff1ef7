/** A backend whose models answer what a test says. */

import type { Backend, Call, Model } from '../../src/core/inference/backend.ts';
import type { ChatPiece, ChatRequest } from '../../src/core/inference/chat.ts';

type Answers = (request: ChatRequest, call: Call) => AsyncIterable<ChatPiece> | Iterable<ChatPiece>;

export function writtenBackend(models: Readonly<Record<string, Answers>>, more: Partial<Backend> = {}): Backend {
  const model = (id: string): Model => ({
    ...{ id, ownedBy: 'test', createdAt: 1_790_000_000_000, contextLength: null, price: null },
    ...{ maySeeRecords: false, embeddings: more.embed !== undefined },
  });
  return {
    models: () => Object.keys(models).map(model),
    async *chat(request, call) {
      call.answeredBy({ upstream: 'written', model: request.model, price: null });
      yield* (models[request.model] as Answers)(request, call);
    },
    degraded: () => [],
    ...more,
  };
}

/** What the examples of operations ask besides the guide. */
export const exampleBackend = writtenBackend(
  { 'text-embedding-3-small': () => [] },
  { embed: async (_, inputs) => ({ vectors: inputs.map(() => [0.5, -1]), promptTokens: inputs.length }) },
);
