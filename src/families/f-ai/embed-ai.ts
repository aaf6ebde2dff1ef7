import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { operation } from '../../hooks/operation.ts';
import type { Embedded, Inference } from '../../services/inference/index.ts';

const MOST_INPUTS = 256;
/** Vectors that are written in a turn of the event loop. */
const AT_ONCE = 8;

const input = z.string().min(1);
type Format = 'float' | 'base64';

export const embedAi = (inference: Pick<Inference, 'embed'>) =>
  operation({
    id: 'ai.embed',
    family: 'f',
    method: 'POST',
    path: '/v1/ai/embeddings',
    summary: 'Vectors of texts',
    description: 'As clients of OpenAI know it, of models that make embeddings.',
    tag: 'AI',
    effect: 'compute',
    access: { scope: 'ai:write', role: 'viewer' },
    secretBody: true,
    body: z.strictObject({
      model: z.string().min(1).max(256),
      input: z.union(
        [input, z.array(input).min(1).max(MOST_INPUTS)],
        `must be a text, or up to ${MOST_INPUTS} of them`,
      ),
      encoding_format: z.enum(['float', 'base64']).nullish(),
      dimensions: z.null('must be null: vectors are as long as the model makes them').optional(),
      user: z.string().max(512).nullish(),
    }),
    success: {
      status: 200,
      schema: z.object({
        object: z.literal('list'),
        data: z.array(
          z.object({
            object: z.literal('embedding'),
            index: z.int(),
            embedding: z
              .union([z.array(z.number()), z.string()])
              .meta({ description: 'Numbers; as base64 their 32-bit floats, little-endian' }),
          }),
        ),
        model: z.string(),
        usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
      }),
      streamed: true,
      description: 'A vector for each text, in their order',
    },
    errors: ['not_found', 'rate_limited', 'unavailable'],
    example: {
      body: { model: 'text-embedding-3-small', input: ['How do I bump a fee?'] },
      response: {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.0023064255, -0.009327292] }],
        model: 'text-embedding-3-small',
        usage: { prompt_tokens: 8, total_tokens: 8 },
      },
    },
    run: async ({ body }, context) => ({
      ...(await inference.embed(body.model, [body.input].flat(), context)),
      format: body.encoding_format ?? ('float' as const),
    }),
    present: (made) => Readable.from(written(made), { objectMode: false }),
  });

/** As JSON: the numbers of many vectors take long to write. */
async function* written({ model, vectors, promptTokens, format }: Embedded & { format: Format }) {
  yield '{"object":"list","data":[';
  for (const [index, vector] of vectors.entries()) {
    if (index > 0 && index % AT_ONCE === 0) await nextTurn();
    const embedding = format === 'base64' ? inBase64(vector) : vector;
    yield `${index === 0 ? '' : ','}${JSON.stringify({ object: 'embedding', index, embedding })}`;
  }
  yield `],"model":${JSON.stringify(model)},"usage":{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens}}}`;
}

function inBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(4 * vector.length);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, 4 * at);
  return bytes.toString('base64');
}
