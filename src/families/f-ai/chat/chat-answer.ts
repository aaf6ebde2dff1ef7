import { z } from 'zod';
import type { Usage } from '../../../core/inference/chat.ts';
import type { WholeAnswer } from '../../../core/inference/collect-answer.ts';
import type { Generation } from '../../../services/inference/index.ts';
import { namedObject } from '../../fields.ts';

const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter']);

const usage = namedObject('CompletionUsage', {
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  estimated: z
    .literal(true)
    .optional()
    .meta({ description: 'The model says no numbers of its own: these are estimated, a token for four bytes' }),
});

const toolCalls = z.array(
  z.object({
    id: z.string(),
    type: z.literal('function'),
    function: z.object({
      name: z.string(),
      arguments: z.string().meta({ description: 'JSON, as the model wrote it' }),
    }),
  }),
);

export const chatCompletion = namedObject('ChatCompletion', {
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int().meta({ description: 'Unix seconds' }),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string().nullable().meta({ description: 'null where tools are called, and nothing is said' }),
        refusal: z.null(),
        tool_calls: toolCalls.optional(),
      }),
      logprobs: z.null(),
      finish_reason: finishReason,
    }),
  ),
  usage,
});

export const usageOf = ({ promptTokens, completionTokens, estimated }: Usage): z.input<typeof usage> => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  ...(estimated && { estimated: true }),
});

export const unixSeconds = (ms: number): number => Math.floor(ms / 1000);

export type Answered = Pick<Generation, 'id' | 'createdAt' | 'model' | 'tokens'> & { readonly whole: WholeAnswer };

export function presentCompletion({ id, createdAt, model, whole }: Answered): z.input<typeof chatCompletion> {
  const calls = whole.toolCalls.map(({ id, ...called }) => ({ id, type: 'function' as const, function: called }));
  const message = {
    role: 'assistant' as const,
    content: whole.content === '' && calls.length > 0 ? null : whole.content,
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    ...{ id, object: 'chat.completion', created: unixSeconds(createdAt), model },
    choices: [{ index: 0, message, logprobs: null, finish_reason: whole.finish }],
    usage: usageOf(whole.usage),
  };
}

export const completionExample: z.input<typeof chatCompletion> = {
  id: 'chatcmpl-3mVb1k7Q2xYt9LpRw0Zc5A',
  object: 'chat.completion',
  created: 1790000000,
  model: 'ashlar-guide',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'POST /api/v1/transactions/{txid}/bump raises the fee of a payment that is not in a block yet.',
        refusal: null,
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 12, completion_tokens: 24, total_tokens: 36, estimated: true },
};
