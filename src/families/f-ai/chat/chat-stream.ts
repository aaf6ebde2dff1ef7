/** The answer as server-sent events, in the chunks that OpenAI's clients read. */
import type { ChatPiece, Usage } from '../../../core/inference/chat.ts';
import { errorBody, refusalOf } from '../../../hooks/refusals/errors.ts';
import type { InternalFault } from '../../../hooks/refusals/internal-fault.ts';
import type { Generation } from '../../../services/inference/index.ts';
import { unixSeconds, usageOf } from './chat-answer.ts';

export interface Streamed {
  readonly generation: Generation;
  readonly includeUsage: boolean;
  /** Told of what breaks the answer off and is ours. */
  failed(fault: InternalFault): void;
}

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // What stands in front of the service passes pieces on as they come.
  'x-accel-buffering': 'no',
} as const;

/** What breaks off is told as an event, which clients throw as an error. */
export async function* eventsOf({ generation, includeUsage, failed }: Streamed): AsyncGenerator<string, void> {
  const { id, createdAt, model } = generation;
  const head = { id, object: 'chat.completion.chunk', created: unixSeconds(createdAt), model };
  const event = (choices: readonly object[], usage: Usage | null): string =>
    `data: ${JSON.stringify({ ...head, choices, ...(includeUsage && { usage: usage && usageOf(usage) }) })}\n\n`;
  const choice = (delta: object, finish_reason: string | null = null): string =>
    event([{ index: 0, delta, logprobs: null, finish_reason }], null);
  try {
    yield choice({ role: 'assistant', content: '', refusal: null });
    for await (const piece of generation.pieces) {
      if ('usage' in piece) {
        if (includeUsage) yield event([], piece.usage);
      } else if ('finish' in piece) yield choice({}, piece.finish);
      else yield choice(deltaOf(piece));
    }
    yield 'data: [DONE]\n\n';
  } catch (error) {
    const { refusal, fault } = refusalOf(error);
    if (fault !== null) failed(fault);
    yield `event: error\ndata: ${JSON.stringify(errorBody('f', refusal))}\n\n`;
  }
}

function deltaOf(piece: Exclude<ChatPiece, { usage: Usage } | { finish: unknown }>): object {
  if ('content' in piece) return { content: piece.content };
  const { index, id, name, arguments: more } = piece.toolCall;
  const called = { ...(name !== undefined && { name }), arguments: more };
  return { tool_calls: [{ index, ...(id !== undefined && { id, type: 'function' }), function: called }] };
}
