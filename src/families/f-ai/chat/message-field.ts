import { z } from 'zod';
import type { ChatMessage } from '../../../core/inference/chat.ts';

const MOST_PARTS = 1_024;
const MOST_CALLS = 128;

const textPart = z.strictObject({
  type: z.literal('text', 'must be text: models are given no images, audio or files'),
  text: z.string(),
  prompt_cache_breakpoint: z
    .strictObject({ mode: z.literal('explicit'), ttl: z.string().max(16).optional() })
    .optional(),
});
const content = z.union([z.string(), z.array(textPart).min(1).max(MOST_PARTS)]);
const name = z.string().max(256).optional();
const id = z.string().min(1).max(256);

const toolCall = z.strictObject({
  id,
  type: z.literal('function', 'must be function: tools of another type are not called'),
  function: z.strictObject({ name: z.string().min(1).max(256), arguments: z.string() }),
});

/** One form for all roles: each is checked for what it needs, and its error names the field. */
export const messageField = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content, name }),
  z.strictObject({ role: z.literal('developer'), content, name }),
  z.strictObject({ role: z.literal('user'), content, name }),
  z.strictObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    name,
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCall).max(MOST_CALLS).optional(),
    audio: z.null('must be null: audio is not taken').optional(),
    function_call: z.null('must be null: give tool_calls').optional(),
  }),
  z.strictObject({ role: z.literal('tool'), content, tool_call_id: id }),
]);

type Content = z.output<typeof content>;

const textOf = (content: Content | null | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n');

export function messageOf(given: z.output<typeof messageField>): ChatMessage {
  if (given.role === 'tool') return { role: 'tool', content: textOf(given.content), toolCallId: given.tool_call_id };
  const named = given.name === undefined ? {} : { name: given.name };
  if (given.role !== 'assistant') return { role: given.role, content: textOf(given.content), ...named };
  const toolCalls = given.tool_calls?.map((call) => ({ id: call.id, ...call.function }));
  const said = textOf(given.content ?? given.refusal);
  return { role: 'assistant', content: said, ...named, ...(toolCalls === undefined ? {} : { toolCalls }) };
}
