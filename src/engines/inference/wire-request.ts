/** Requests as OpenAI's API writes them, with the fields that its imitators know. */
import type { ChatMessage, ChatRequest } from '../../core/inference/chat.ts';

export interface WireModel {
  /** What the upstream calls it. */
  readonly upstreamModel: string;
  /** Which field bounds the answer: some vendors refuse the older one. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
}

/** Undefined fields are left out. Always streamed: a caller that goes away is noticed by the upstream at its next token. */
export const chatBody = (request: ChatRequest, { upstreamModel, maxTokensField }: WireModel): string =>
  JSON.stringify({
    ...{ model: upstreamModel, messages: request.messages.map(wireMessage) },
    ...{ stream: true, stream_options: { include_usage: true } },
    ...{ temperature: request.temperature, top_p: request.topP, stop: request.stop, seed: request.seed },
    ...{ frequency_penalty: request.frequencyPenalty, presence_penalty: request.presencePenalty },
    reasoning_effort: request.reasoningEffort,
    [maxTokensField]: request.maxTokens,
    response_format: wireFormat(request.responseFormat),
    ...(request.tools.length > 0 && {
      tools: request.tools.map((tool) => ({ type: 'function', function: tool })),
      tool_choice:
        typeof request.toolChoice === 'object'
          ? { type: 'function', function: request.toolChoice }
          : request.toolChoice,
      parallel_tool_calls: request.parallelToolCalls,
    }),
  });

// Most servers know no role `developer`, OpenAI's later name of this one.
const wireMessage = ({ role, content, name, toolCallId, toolCalls }: ChatMessage) => ({
  ...{ role: role === 'developer' ? 'system' : role, content, name, tool_call_id: toolCallId },
  tool_calls: toolCalls?.map(({ id, ...call }) => ({ id, type: 'function', function: call })),
});

function wireFormat(format: ChatRequest['responseFormat']) {
  if (format?.type !== 'json_schema') return format;
  const { type, ...schema } = format;
  return { type, json_schema: schema };
}
