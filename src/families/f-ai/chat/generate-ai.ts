import { Readable } from 'node:stream';
import { collectAnswer } from '../../../core/inference/collect-answer.ts';
import { operation } from '../../../hooks/operation.ts';
import type { InternalFault } from '../../../hooks/refusals/internal-fault.ts';
import type { Generation, Inference } from '../../../services/inference/index.ts';
import { type Answered, chatCompletion, completionExample, presentCompletion } from './chat-answer.ts';
import { chatRequest } from './chat-request.ts';
import { eventsOf, STREAM_HEADERS, type Streamed } from './chat-stream.ts';
import { readChatRequest } from './read-chat-request.ts';

export interface ChatDeps {
  readonly inference: Pick<Inference, 'generate'>;
  readonly log: { error(facts: object, sentence: string): void };
}

const isStreamed = (result: Answered | Streamed): result is Streamed => 'generation' in result;

const tokenHeaders = ({ tokens: { limit, remaining, resetAt } }: Pick<Generation, 'tokens'>) => ({
  'x-ratelimit-limit-tokens': String(limit),
  'x-ratelimit-remaining-tokens': String(remaining),
  'x-ratelimit-reset-tokens': String(resetAt),
});

/** Two paths: the interface's, and the one that clients of OpenAI know. */
const answersChat = (
  { inference, log }: ChatDeps,
  names: { id: string; path: string; summary: string; description: string },
) =>
  operation({
    ...names,
    family: 'f',
    method: 'POST',
    tag: 'AI',
    effect: 'compute',
    access: { scope: 'ai:write', role: 'viewer' },
    secretBody: true,
    outlasts: 'the model took longer than a request may: ask with "stream": true, and the answer comes as it is made',
    body: chatRequest,
    success: {
      status: 200,
      schema: chatCompletion,
      description:
        'The answer; with `stream`, server-sent events of `chat.completion.chunk` objects, and `[DONE]` at the end',
      otherContentTypes: ['text/event-stream'],
      resultHeaders: (result) =>
        isStreamed(result) ? { ...STREAM_HEADERS, ...tokenHeaders(result.generation) } : tokenHeaders(result),
      streamed: isStreamed,
    },
    errors: ['not_found', 'unsupported', 'rate_limited', 'unavailable'],
    example: {
      body: { model: 'ashlar-guide', messages: [{ role: 'user', content: 'How do I bump a fee?' }] },
      response: completionExample,
    },
    async run({ body }, context): Promise<Answered | Streamed> {
      const generation = await inference.generate(readChatRequest(body), context);
      if (!body.stream) return { ...generation, whole: await collectAnswer(generation.pieces) };
      const failed = (fault: InternalFault): void =>
        log.error({ fault, request_id: context.requestId, operation: names.id }, 'internal error');
      return { generation, includeUsage: body.stream_options?.include_usage === true, failed };
    },
    present: (result) =>
      isStreamed(result) ? Readable.from(eventsOf(result), { objectMode: false }) : presentCompletion(result),
  });

export const generateAi = (deps: ChatDeps) =>
  answersChat(deps, {
    id: 'ai.generate',
    path: '/v1/ai/generate',
    summary: 'Ask a model',
    description: 'Chat completions as clients of OpenAI know them.',
  });

export const completeAi = (deps: ChatDeps) =>
  answersChat(deps, {
    id: 'ai.complete',
    path: '/v1/ai/chat/completions',
    summary: 'Ask a model, by the path that OpenAI clients use',
    description: 'The same as POST /v1/ai/generate: OpenAI clients work with the base URL /v1/ai.',
  });
