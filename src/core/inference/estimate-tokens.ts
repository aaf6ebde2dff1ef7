/** How many tokens a text is where nobody counted: tokenizers make one of about four bytes of English, and of three of most other scripts. */
import type { ChatRequest } from './chat.ts';

const BYTES_OF_TOKEN = 4;
/** Digits, random characters and rare scripts are a token for each one or two. */
const FEWEST_BYTES_OF_TOKEN = 2;
/** Role and separators, which templates put around each. */
const TOKENS_OF_MESSAGE = 4;

const tokensOf = (bytes: number): number => Math.ceil(bytes / BYTES_OF_TOKEN);
export const estimateTokens = (text: string): number => tokensOf(Buffer.byteLength(text));

const known = new WeakMap<ChatRequest, number>();

/** Of all texts that leave with it: names, ids and schemas, too. */
function bytesOf(request: ChatRequest): number {
  const before = known.get(request);
  if (before !== undefined) return before;
  const { messages, tools, stop, responseFormat, toolChoice } = request;
  let bytes = 0;
  const add = (...texts: (string | undefined)[]): void => {
    for (const text of texts) if (text !== undefined) bytes += Buffer.byteLength(text);
  };
  if (tools.length > 0) add(JSON.stringify(tools));
  if (responseFormat?.type === 'json_schema') add(JSON.stringify(responseFormat));
  if (typeof toolChoice === 'object') add(toolChoice.name);
  add(...(stop ?? []));
  for (const { content, name, toolCallId, toolCalls = [] } of messages) {
    add(content, name, toolCallId);
    for (const call of toolCalls) add(call.id, call.name, call.arguments);
  }
  known.set(request, bytes);
  return bytes;
}

export const estimatePromptTokens = (request: ChatRequest): number =>
  tokensOf(bytesOf(request)) + TOKENS_OF_MESSAGE * request.messages.length;

/** For what is kept of a budget until the call has ended: hardly any text is more. */
export const mostTokens = (bytes: number): number => Math.ceil(bytes / FEWEST_BYTES_OF_TOKEN);
export const mostPromptTokens = (request: ChatRequest): number =>
  mostTokens(bytesOf(request)) + TOKENS_OF_MESSAGE * request.messages.length;
