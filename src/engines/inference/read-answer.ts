/** An upstream's answer as pieces. Nothing in it is believed: sizes, numbers and reasons are checked, and its errors are told by their kind. */
import { TextDecoder } from 'node:util';
import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import type { ChatPiece, FinishReason, Usage } from '../../core/inference/chat.ts';
import { createYielder } from '../../scheduling/yielder.ts';
import { failureOfError } from './read-refusal.ts';
import { UpstreamFailed } from './upstream-failed.ts';

export interface AnswerBounds {
  /** Of an event, in characters. */
  readonly maxEvent: number;
  readonly maxBytes: number;
  readonly maxToolCalls: number;
}

export const ANSWER_BOUNDS: AnswerBounds = { maxEvent: 256 * 1024, maxBytes: 16 * 1024 * 1024, maxToolCalls: 128 };

const MOST_TOKENS = 100_000_000;
const MAX_NAME = 256;
/** Of an answer: more than tokens that a model writes. */
const MOST_EVENTS = 500_000;
/** One is asked for. */
const MOST_CHOICES = 8;

const tokens = z.int().min(0).max(MOST_TOKENS);
const USAGE = z.object({ prompt_tokens: tokens, completion_tokens: tokens });
const toolCall = z.object({
  index: z.int().min(0).optional(),
  id: z.string().max(MAX_NAME).nullish(),
  function: z.object({ name: z.string().max(MAX_NAME).nullish(), arguments: z.string().nullish() }).nullish(),
});
const DELTA = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  /** What a model thinks is not passed on. */
  reasoning_content: z.unknown().optional(),
  reasoning: z.unknown().optional(),
  tool_calls: z.array(toolCall).nullish(),
});
const CHUNK = z.object({
  choices: z
    .array(
      z.object({
        index: z.int().optional(),
        delta: DELTA.nullish(),
        message: DELTA.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.unknown().optional(),
});

const FINISHES: Readonly<Record<string, FinishReason>> = {
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
};

/** Any other reason is an end like each other. */
const finishOf = (reason: string): FinishReason => (Object.hasOwn(FINISHES, reason) ? FINISHES[reason]! : 'stop');

/** Of a streamed answer's bytes, of which each may come by itself; ends with [DONE]. null: the server works, and says nothing. Throws UpstreamFailed. */
export async function* readStream(
  bytes: AsyncIterable<Uint8Array>,
  bounds: AnswerBounds = ANSWER_BOUNDS,
): AsyncGenerator<ChatPiece | null> {
  const read = createReader(bounds);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const events: (string | null)[] = [];
  let overflow = false;
  const parser = createParser({
    maxBufferSize: bounds.maxEvent,
    onEvent: ({ data }) => void events.push(data),
    // Servers say by comments that they still work.
    onComment: () => void events.push(null),
    onError: ({ type }) => {
      overflow ||= type === 'max-buffer-size-exceeded';
    },
  });
  const pause = createYielder();
  let [size, count] = [0, 0];
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > bounds.maxBytes) throw new UpstreamFailed('too_large');
    parser.feed(decoded(decoder, chunk));
    if (overflow) throw new UpstreamFailed('too_large');
    for (const data of events.splice(0)) {
      if (++count > MOST_EVENTS) throw new UpstreamFailed('too_large');
      await pause();
      if (data?.trim() === '[DONE]') return yield* read.end();
      if (data === null) yield null;
      else {
        let silent = true;
        for (const piece of read.pieces(parsed(data))) {
          silent = false;
          yield piece;
        }
        if (silent) yield null;
      }
    }
  }
  yield* read.end();
}

/** Of an answer that is one JSON document though a stream was asked for, as some servers give it with tools. */
export function* readWhole(text: string, bounds: AnswerBounds = ANSWER_BOUNDS): Generator<ChatPiece> {
  const read = createReader(bounds);
  yield* read.pieces(parsed(text));
  yield* read.end();
}

function createReader({ maxToolCalls }: AnswerBounds) {
  let finish: FinishReason | null = null;
  let usage: Usage | null = null;
  let calls = 0;

  function* ofDelta({ content, refusal, tool_calls, ...thought }: z.output<typeof DELTA>): Generator<ChatPiece> {
    const said = content || refusal;
    if (said) yield { content: said };
    else if (thought.reasoning_content || thought.reasoning) yield { content: '' };
    for (const [at, { index = at, id, function: called }] of (tool_calls ?? []).entries()) {
      if (index >= maxToolCalls) throw new UpstreamFailed('too_large');
      // They begin in order, each after the one before it.
      if (index > calls) throw new UpstreamFailed('malformed');
      if (index === calls) {
        calls += 1;
        if (!called?.name) throw new UpstreamFailed('malformed');
      }
      const told = { ...(id && { id }), ...(called?.name && { name: called.name }) };
      yield { toolCall: { index, ...told, arguments: called?.arguments ?? '' } };
    }
  }

  return {
    *pieces(event: unknown): Generator<ChatPiece> {
      const failure = failureOfError(event);
      if (failure !== null) throw failure;
      if (isTooMuch(event, maxToolCalls)) throw new UpstreamFailed('too_large');
      const chunk = CHUNK.safeParse(event);
      if (!chunk.success) throw new UpstreamFailed('malformed');
      const told = USAGE.safeParse(chunk.data.usage);
      if (told.success)
        usage = {
          promptTokens: told.data.prompt_tokens,
          completionTokens: told.data.completion_tokens,
          estimated: false,
        };
      // One choice was asked for; what comes after its end belongs to none.
      const choice = chunk.data.choices?.find(({ index = 0 }) => index === 0);
      if (choice === undefined || finish !== null) return;
      yield* ofDelta(choice.delta ?? choice.message ?? {});
      if (!choice.finish_reason) return;
      const reason = finishOf(choice.finish_reason);
      finish = reason === 'stop' && calls > 0 ? 'tool_calls' : reason;
      yield { finish };
    },
    *end(): Generator<ChatPiece> {
      if (finish === null) throw new UpstreamFailed('broken_off');
      if (usage !== null) yield { usage };
    },
  };
}

/** Before each member is looked at. */
function isTooMuch(event: unknown, maxToolCalls: number): boolean {
  const choices = (event as { choices?: unknown } | null)?.choices;
  if (!Array.isArray(choices)) return false;
  const calls = ({ delta, message }: Partial<Record<'delta' | 'message', { tool_calls?: unknown } | null>>) =>
    [delta?.tool_calls, message?.tool_calls].some((list) => Array.isArray(list) && list.length > maxToolCalls);
  return choices.length > MOST_CHOICES || choices.some((choice) => choice !== null && calls(choice));
}

function decoded(decoder: TextDecoder, chunk: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw new UpstreamFailed('malformed', { reason: 'no UTF-8' });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UpstreamFailed('malformed', { reason: 'no JSON' });
  }
}
