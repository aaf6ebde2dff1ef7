/**
 * The one way to a model: whoever asks, by family F or for a dashboard. A call begins (bounded per account), its model's backend answers piece
 * by piece, and however it ends it is counted.
 */

import { DomainError } from '../../core/errors.ts';
import { type AccountId, base62 } from '../../core/ids.ts';
import type { Backend, Model } from '../../core/inference/backend.ts';
import type { ChatPiece, ChatRequest } from '../../core/inference/chat.ts';
import { estimatePromptTokens, estimateTokens } from '../../core/inference/estimate-tokens.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { type ActivityNow, createActivity } from './activity.ts';
import { createOpenCalls, type OpenCall } from './open-calls.ts';

/** An answer that has begun: its first piece is there, so that what is refused was refused before. */
export interface Generation {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly model: string;
  /** To be gone through once. `finish` comes, then `usage`. Throws where the answer breaks off. */
  readonly pieces: AsyncIterable<ChatPiece>;
}

export interface InferenceStatus extends ActivityNow {
  readonly status: 'ok' | 'degraded';
  readonly modelsLoaded: number;
}

export interface Inference {
  models(): readonly Model[];
  /** Throws `not_found`, naming those there are. */
  model(id: string): Model;
  status(): InferenceStatus;
  generate(request: ChatRequest, context: Pick<RequestContext, 'accountId' | 'signal'>): Promise<Generation>;
  /** No call goes on. */
  stop(): void;
}

const OF_ACCOUNT = 50;
const ALL = 1_000;
const SILENCE_MS = 30_000;
/** Characters of an answer: no model of today writes as many, and it would be kept in memory. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const NAMED = 20;

export function createInference(deps: {
  readonly backends: readonly Backend[];
  readonly lastsMs: number;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}): Inference {
  const { backends, lastsMs, clock, randomBytes } = deps;
  const activity = createActivity(clock);
  const calls = createOpenCalls({ ofAccount: OF_ACCOUNT, all: ALL, lastsMs, silenceMs: SILENCE_MS });

  const models = (): readonly Model[] => backends.flatMap((backend) => backend.models());

  function find(id: string): { backend: Backend; model: Model } {
    for (const backend of backends) {
      const model = backend.models().find((one) => one.id === id);
      if (model !== undefined) return { backend, model };
    }
    throw new DomainError('not_found', `there is no model ${JSON.stringify(id)}: ${listed(models())}`, {
      field: 'model',
    });
  }

  /** All pieces. Throws why the call was given up, whatever the backend makes of it. */
  async function* answer(
    backend: Backend,
    request: ChatRequest,
    { accountId, call }: { accountId: AccountId; call: OpenCall },
  ): AsyncGenerator<ChatPiece, void> {
    const began = clock();
    let latencyMs: number | null = null;
    let failed = false;
    try {
      call.waits();
      const told = { usage: false, finish: false };
      let said = '';
      for await (const piece of backend.chat(request, { accountId, signal: call.signal, answeredBy: () => {} })) {
        call.hears();
        if ('usage' in piece) told.usage = true;
        else if ('finish' in piece) told.finish = true;
        else said += 'content' in piece ? piece.content : piece.toolCall.arguments;
        if (said.length > MOST_CHARACTERS) throw new DomainError('unavailable', TOO_LONG);
        yield piece;
        call.waits();
      }
      call.signal.throwIfAborted();
      if (!told.finish) yield { finish: 'stop' };
      if (!told.usage) {
        const [promptTokens, completionTokens] = [estimatePromptTokens(request), estimateTokens(said)];
        yield { usage: { promptTokens, completionTokens, estimated: true } };
      }
      latencyMs = clock() - began;
    } catch (error) {
      const cause = call.signal.aborted ? call.signal.reason : error;
      failed = isFailure(cause);
      throw cause;
    } finally {
      call.end();
      activity.count({ latencyMs, failed });
    }
  }

  return {
    models,
    model: (id) => find(id).model,
    status: () => ({
      ...activity.now(),
      status: backends.some((backend) => backend.degraded().length > 0) ? 'degraded' : 'ok',
      modelsLoaded: models().length,
    }),
    async generate(request, { accountId, signal }) {
      const { backend } = find(request.model);
      const call = calls.begin(accountId, signal);
      const rest = answer(backend, request, { accountId, call });
      const first = await rest.next();
      return {
        ...{ id: `chatcmpl-${base62(randomBytes(32), 22)}`, createdAt: clock(), model: request.model },
        pieces: resumed(first, rest),
      };
    },
    stop: calls.stop,
  };
}

const TOO_LONG = 'the answer of the model is longer than 4 MiB, and was ended';

/** What was taken from it goes before the rest. */
function resumed<Piece>(first: IteratorResult<Piece, void>, rest: AsyncGenerator<Piece, void>): AsyncIterable<Piece> {
  let begun = false;
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (begun) return rest.next();
        begun = true;
        return Promise.resolve(first);
      },
      return: () => rest.return(),
    }),
  };
}

/** Not what was wrong with the request, nor that its client went away. */
const isFailure = (error: unknown): boolean =>
  !(error instanceof DomainError) || error.code === 'unavailable' || error.code === 'not_configured';

function listed(models: readonly Model[]): string {
  const ids = models.slice(0, NAMED).map(({ id }) => id);
  if (ids.length === 0) return 'there is none now';
  return `there ${ids.length === 1 ? 'is' : 'are'} ${ids.join(', ')}${models.length > NAMED ? ` and ${models.length - NAMED} more` : ''}`;
}
