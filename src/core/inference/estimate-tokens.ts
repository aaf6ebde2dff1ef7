/** How many tokens a text is where nobody counted: tokenizers make one of about four bytes of English, and of three of most other scripts. */
import type { ChatRequest } from './chat.ts';

const BYTES_OF_TOKEN = 4;
/** Role and separators, which templates put around each. */
const TOKENS_OF_MESSAGE = 4;

export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_OF_TOKEN);

export function estimatePromptTokens({ messages, tools }: ChatRequest): number {
  let tokens = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
  for (const { content, toolCalls = [] } of messages) {
    tokens += TOKENS_OF_MESSAGE + estimateTokens(content);
    for (const call of toolCalls) tokens += estimateTokens(call.name) + estimateTokens(call.arguments);
  }
  return tokens;
}
