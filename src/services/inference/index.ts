/**
 * The one way to a model: whoever asks, by family F or for a dashboard. A call begins (bounded per account), its model's backend answers piece
 * by piece, and however it ends it is counted.
 */

import { DomainError } from '../../core/errors.ts';
import { base62 } from '../../core/ids.ts';
import type { Backend, Call, Model } from '../../core/inference/backend.ts';
import type { ChatPiece, ChatRequest, Usage } from '../../core/inference/chat.ts';
import {
  estimatePromptTokens,
  estimateTokens,
  mostPromptTokens,
  mostTokens,
} from '../../core/inference/estimate-tokens.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { schemaJobs } from '../../engines/schemas/schema-job.ts';
import { onAbort } from '../../scheduling/on-abort.ts';
import type { Allowance } from '../limits/limits.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Activity, ActivityNow } from './activity.ts';
import { type Guard, guarded } from './guard.ts';
import type { BegunCall, CallOutcome, EndedCall, InferenceLedger, PlannedCall } from './ledger.ts';
import { createOpenCalls, type OpenCall } from './open-calls.ts';
import { type StructuredAnswer, structuredAnswer } from './structured-answer.ts';

/** An answer that has begun: its first piece is there, so that what is refused was refused before. */
export interface Generation {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly model: string;
  /** Tokens of this minute that its credential has left, without those of the answer. */
  readonly tokens: Allowance;
  /** To be gone through once. `finish` comes, then `usage`. Throws where the answer breaks off. */
  readonly pieces: AsyncIterable<ChatPiece>;
}

export interface Embedded {
  readonly model: string;
  /** In the order of the inputs. */
  readonly vectors: readonly (readonly number[])[];
  readonly promptTokens: number;
}

export interface InferenceStatus extends ActivityNow {
  readonly status: 'ok' | 'degraded';
  readonly modelsLoaded: number;
}

/** Whoever asks is in the record of the call. */
type Asking = Pick<RequestContext, 'requestId' | 'accountId' | 'credential' | 'facts' | 'signal'>;

export interface Inference {
  models(): readonly Model[];
  /** Throws `not_found`, naming those there are. */
  model(id: string): Model;
  status(): Promise<InferenceStatus>;
  generate(request: ChatRequest, context: Asking): Promise<Generation>;
  /** Throws `invalid_value` where the model makes none, naming those that do. */
  embed(id: string, inputs: readonly string[], context: Asking): Promise<Embedded>;
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
  readonly guard: Guard;
  readonly ledger: Pick<InferenceLedger, 'begin' | 'refusedByGuard'>;
  readonly activity: Pick<Activity, 'count' | 'now'>;
  readonly computing: Computing<typeof schemaJobs>;
  readonly lastsMs: number;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}): Inference {
  const { guard, ledger, activity, computing, lastsMs, clock, randomBytes } = deps;
  const backends = deps.backends.map((backend) => guarded(backend, guard));
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

  /** All pieces. Throws why the call was given up, whatever the backend makes of it. However it ends, that is written before its end is told. */
  async function* answer(
    backend: Backend,
    request: ChatRequest,
    { context, call, kept, form }: { context: Asking; call: OpenCall; kept: BegunCall; form: StructuredAnswer | null },
  ): AsyncGenerator<ChatPiece, void> {
    const { accountId } = context;
    const began = clock();
    let latencyMs: number | null = null;
    let failed = false;
    let by: EndedCall['by'] = null;
    let usage: Usage | null = null;
    let said = '';
    /** Who stops listening has gone away. */
    let outcome: CallOutcome = 'client_gone';
    const estimated = (): Usage => ({
      ...{ promptTokens: estimatePromptTokens(request), completionTokens: estimateTokens(said), estimated: true },
    });
    try {
      call.waits();
      let finished = false;
      const answeredBy: Call['answeredBy'] = (answering) => {
        by = answering;
      };
      const asking = { accountId, signal: call.signal, answeredBy, working: call.waits };
      for await (const piece of backend.chat(request, asking)) {
        call.hears();
        if ('usage' in piece) {
          // Something was asked, and something may have been said: 0 is no count.
          const { promptTokens, completionTokens } = piece.usage;
          usage = promptTokens === 0 || (completionTokens === 0 && said !== '') ? estimated() : piece.usage;
          yield { usage };
          call.waits();
          continue;
        }
        if ('finish' in piece) {
          finished = true;
          if (piece.finish === 'stop') await form?.check(said);
        } else {
          const more = 'content' in piece ? piece.content : piece.toolCall.arguments;
          said += more;
          kept.said(more);
        }
        if (said.length > MOST_CHARACTERS) throw new DomainError('unavailable', TOO_LONG);
        yield piece;
        call.waits();
      }
      call.signal.throwIfAborted();
      if (!finished) {
        await form?.check(said);
        yield { finish: 'stop' };
      }
      if (usage === null) {
        usage = estimated();
        yield { usage };
      }
      latencyMs = clock() - began;
      outcome = 'done';
    } catch (error) {
      const cause = call.signal.aborted ? call.signal.reason : error;
      failed = isFailure(cause);
      if (!context.signal.aborted) outcome = call.signal.aborted ? 'given_up' : 'upstream_failed';
      throw cause;
    } finally {
      call.end();
      activity.count({ latencyMs, failed });
      // What failed before it said anything is not paid for; whoever goes away before that may have to be.
      const nothing = outcome === 'upstream_failed' && said === '';
      usage ??= nothing ? { promptTokens: 0, completionTokens: 0, estimated: true } : estimated();
      await kept.end({ by, usage, outcome });
    }
  }

  /** What goes before the call itself. */
  async function begin<Made>(call: OpenCall, work: () => Promise<Made>): Promise<Made> {
    try {
      return await work();
    } catch (error) {
      call.end();
      throw error;
    }
  }

  /** What the guard refuses is recorded, without a digest of it. */
  async function unrefused<Made>(context: Asking, plan: Omit<PlannedCall, 'prompt'>, read: () => Promise<Made>) {
    try {
      return await read();
    } catch (error) {
      if (error instanceof DomainError && error.code === 'invalid_value') await ledger.refusedByGuard(context, plan);
      throw error;
    }
  }

  return {
    models,
    model: (id) => find(id).model,
    status: async () => ({
      ...(await activity.now()),
      status: backends.some((backend) => backend.degraded().length > 0) ? 'degraded' : 'ok',
      modelsLoaded: models().length,
    }),
    async generate(asked, context) {
      const { backend, model } = find(asked.model);
      const id = `chatcmpl-${base62(randomBytes(32), 22)}`;
      const call = calls.begin(context.accountId, context.signal);
      const whose = { accountId: context.accountId, signal: call.signal };
      const { request, form, kept } = await begin(call, async () => {
        // What is written of a call holds no secret either.
        const refused = { id, model, promptTokens: estimatePromptTokens(asked), maxTokens: null };
        const request = await unrefused(context, refused, () => guard.prompt(asked, whose));
        const form = await structuredAnswer(computing, request, whose);
        const planned = {
          id,
          model,
          promptTokens: mostPromptTokens(request),
          maxTokens: request.maxTokens ?? null,
        };
        return { request, form, kept: await ledger.begin(context, { ...planned, prompt: request }) };
      });
      const rest = answer(backend, request, { context, call, kept, form });
      const first = await rest.next();
      // Nobody may go through it any more: it ends all the same.
      onAbort(call.signal, () => void rest.return().catch(() => {}));
      const pieces = resumed(first, rest, call.signal);
      return { id, createdAt: clock(), model: request.model, tokens: kept.tokens, pieces };
    },
    async embed(id, inputs, context) {
      const { backend, model } = find(id);
      if (!model.embeddings || backend.embed === undefined) throw makesNone(id, models());
      const { accountId, signal } = context;
      const call = calls.begin(accountId, signal);
      const estimated = inputs.reduce((sum, input) => sum + estimateTokens(input), 0);
      const most = inputs.reduce((sum, input) => sum + mostTokens(Buffer.byteLength(input)), 0);
      const planned = { id: `embd-${base62(randomBytes(32), 22)}`, model, promptTokens: most, maxTokens: 0 };
      const whose = { accountId, signal: call.signal };
      const { given, kept } = await begin(call, async () => {
        const given = await unrefused(context, planned, () => guard.inputs(inputs, whose));
        return { given, kept: await ledger.begin(context, { ...planned, prompt: given }) };
      });
      const began = clock();
      let latencyMs: number | null = null;
      let by: EndedCall['by'] = null;
      let usage: Usage = { promptTokens: 0, completionTokens: 0, estimated: true };
      let outcome: CallOutcome = 'client_gone';
      let failed = false;
      const answeredBy: Call['answeredBy'] = (answering) => {
        by = answering;
      };
      const embedded = (promptTokens: number): void => {
        usage = { ...usage, promptTokens: usage.promptTokens + promptTokens };
      };
      try {
        const made = await backend.embed(id, given, { ...whose, answeredBy, embedded });
        const uncounted = made.promptTokens === 0;
        usage = { ...usage, promptTokens: uncounted ? estimated : made.promptTokens, estimated: uncounted };
        latencyMs = clock() - began;
        outcome = 'done';
        return { model: id, ...made };
      } catch (error) {
        const cause = call.signal.aborted ? call.signal.reason : error;
        failed = isFailure(cause);
        if (!signal.aborted) outcome = call.signal.aborted ? 'given_up' : 'upstream_failed';
        // Whoever goes away may have to pay for what was done.
        else usage = { ...usage, promptTokens: Math.max(usage.promptTokens, estimated) };
        throw cause instanceof DomainError && cause.details.field === 'messages' ? cause.at('input') : cause;
      } finally {
        call.end();
        activity.count({ latencyMs, failed });
        await kept.end({ by, usage, outcome });
      }
    },
    stop: calls.stop,
  };
}

const TOO_LONG = 'the answer of the model is longer than 4 MiB, and was ended';

/** What was taken from it goes before the rest. Throws why it was given up. */
function resumed<Piece>(
  first: IteratorResult<Piece, void>,
  rest: AsyncGenerator<Piece, void>,
  signal: AbortSignal,
): AsyncIterable<Piece> {
  let begun = false;
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (signal.aborted) return Promise.reject(signal.reason);
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

function makesNone(id: string, models: readonly Model[]): DomainError {
  const others = models.filter(({ embeddings }) => embeddings);
  const sentence = `the model ${JSON.stringify(id)} makes no embeddings: ${listed(others)}`;
  return new DomainError('invalid_value', sentence, { field: 'model' });
}

function listed(models: readonly Model[]): string {
  const ids = models.slice(0, NAMED).map(({ id }) => id);
  if (ids.length === 0) return 'there is none now';
  return `there ${ids.length === 1 ? 'is' : 'are'} ${ids.join(', ')}${models.length > NAMED ? ` and ${models.length - NAMED} more` : ''}`;
}
