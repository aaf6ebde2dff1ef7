/**
 * What is asked of a model on the wire: all of OpenAI's published fields are known. What cannot be done is refused by name, and not passed
 * over; what only hints at how to do it (cache keys, metadata of stored answers, who the end user is) is taken and has no effect.
 */
import { z } from 'zod';
import { namedRequest } from '../../fields.ts';
import { messageField } from './message-field.ts';

const MOST_MESSAGES = 4_096;
const MOST_TOOLS = 128;
const MOST_SCHEMA = 64 * 1024;
const TOO_LARGE = 'must have at most 65536 characters';

const never = (reason: string) => z.null(reason).optional();
const hint = (most: number) => z.string().max(most).nullish();
const penalty = z.number().min(-2).max(2).nullish();
const tokens = z.int().min(1).max(10_000_000).nullish();
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must have 1 to 64 letters, digits, dashes and underscores');
const jsonSchema = z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema' });

const functionTool = z.strictObject({
  type: z.literal('function', 'must be function: tools of another type are not called'),
  function: z.strictObject({
    name: toolName,
    description: z.string().max(16_384).optional(),
    parameters: jsonSchema.optional(),
    strict: z.boolean().nullish(),
  }),
});

const toolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: toolName }) }),
  ],
  'must be none, auto, required, or {"type": "function", "function": {"name": …}}',
);

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: toolName,
      description: z.string().max(16_384).optional(),
      schema: jsonSchema.refine((schema) => JSON.stringify(schema).length <= MOST_SCHEMA, TOO_LARGE),
      strict: z.boolean().nullish(),
    }),
  }),
]);

const stop = z.string().min(1).max(256);

export const chatRequest = namedRequest('ChatCompletionRequest', {
  model: z
    .string()
    .min(1)
    .max(256)
    .meta({ description: 'An id of GET /v1/ai/models', examples: ['ashlar-guide'] }),
  messages: z.array(messageField).min(1).max(MOST_MESSAGES),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: tokens,
  max_completion_tokens: tokens.meta({ description: 'The later name of max_tokens' }),
  stop: z.union([stop, z.array(stop).max(4)], 'must be a string or up to 4 of them').nullish(),
  seed: z.int().nullish(),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  response_format: responseFormat.optional(),
  tools: z.array(functionTool).max(MOST_TOOLS).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().optional(),
      include_obfuscation: z.literal(false, 'must be false: chunks are not padded').optional(),
    })
    .nullish()
    .meta({ description: 'With `stream` only' }),
  n: z.literal(1, 'must be 1: one answer is made of a request').nullish(),
  logprobs: z.literal(false, 'must be false: probabilities of tokens are not answered').nullish(),
  top_logprobs: z.literal(0, 'must be 0: probabilities of tokens are not answered').nullish(),
  logit_bias: z
    .record(z.string(), z.number())
    .refine((biases) => Object.keys(biases).length === 0, 'must be empty: biases of tokens are not taken')
    .nullish(),
  modalities: z.array(z.literal('text', 'must be text: nothing else is answered')).min(1).max(1).nullish(),
  audio: never('must be null: audio is not answered'),
  functions: never('must be null: give the functions as tools'),
  function_call: never('must be null: give tool_choice'),
  prediction: never('must be null: predictions are not taken'),
  moderation: never('must be null: answers are not moderated'),
  web_search_options: never('must be null: models do not search the web'),
  store: z.literal(false, 'must be false: answers are not stored').nullish(),
  service_tier: z.enum(['auto', 'default'], 'must be auto or default: there is one tier').nullish(),
  verbosity: z.literal('medium', 'must be medium: no other is asked for').nullish(),
  user: hint(512),
  safety_identifier: hint(512),
  prompt_cache_key: hint(512),
  prompt_cache_options: z
    .strictObject({ mode: z.enum(['implicit', 'explicit']).optional(), ttl: z.literal('30m').optional() })
    .nullish(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  metadata: z
    .record(z.string().max(64), z.string().max(512))
    .refine((pairs) => Object.keys(pairs).length <= 16, 'must have at most 16 members')
    .nullish(),
});

export type ChatRequestBody = z.output<typeof chatRequest>;
