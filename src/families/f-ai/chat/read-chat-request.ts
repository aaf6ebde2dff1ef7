/** The request as models take it, of what the body says. */

import { DomainError } from '../../../core/errors.ts';
import type { ChatRequest } from '../../../core/inference/chat.ts';
import type { ChatRequestBody } from './chat-request.ts';
import { messageOf } from './message-field.ts';

const refused = (field: string, reason: string): DomainError =>
  new DomainError('invalid_value', `${field} ${reason}`, { field, reason });

/** Throws `invalid_value` for what fields say that does not go together. */
export function readChatRequest(body: ChatRequestBody): ChatRequest {
  const { max_tokens, max_completion_tokens, stop } = body;
  if (max_tokens && max_completion_tokens && max_tokens !== max_completion_tokens)
    throw refused('max_tokens', 'says another number than max_completion_tokens: give one of them');
  if (body.stream_options && !body.stream) throw refused('stream_options', 'is taken with "stream": true only');
  const request: { -readonly [Name in keyof ChatRequest]: ChatRequest[Name] | undefined } = {
    model: body.model,
    messages: body.messages.map(messageOf),
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    maxTokens: max_tokens ?? max_completion_tokens ?? undefined,
    stop: stop === null || stop === undefined ? undefined : [stop].flat(),
    seed: body.seed ?? undefined,
    // 0 is what it is where nothing is said.
    frequencyPenalty: body.frequency_penalty || undefined,
    presencePenalty: body.presence_penalty || undefined,
    reasoningEffort: body.reasoning_effort ?? undefined,
    responseFormat: formatOf(body),
    tools: toolsOf(body),
    toolChoice: toolChoiceOf(body),
    parallelToolCalls: body.parallel_tool_calls === false ? false : undefined,
  };
  return Object.fromEntries(
    Object.entries(request).filter(([, value]) => value !== undefined),
  ) as unknown as ChatRequest;
}

function formatOf({ response_format: format }: ChatRequestBody): ChatRequest['responseFormat'] {
  if (format?.type !== 'json_schema') return format;
  const { name, schema, strict } = format.json_schema;
  return { type: 'json_schema', name, schema, strict: strict === true };
}

const toolsOf = ({ tools = [] }: ChatRequestBody): ChatRequest['tools'] =>
  tools.map(({ function: { name, description, parameters, strict } }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }));

function toolChoiceOf({ tool_choice: choice, tools = [] }: ChatRequestBody): ChatRequest['toolChoice'] {
  if (choice === undefined || choice === 'none' || choice === 'auto') return choice;
  if (tools.length === 0) throw refused('tool_choice', 'needs tools to choose from');
  if (choice === 'required') return choice;
  const { name } = choice.function;
  if (!tools.some((tool) => tool.function.name === name))
    throw refused('tool_choice.function.name', `is not the name of one of tools: ${JSON.stringify(name)}`);
  return { name };
}
