import { z } from 'zod';
import { failureOfError } from './read-refusal.ts';
import { UpstreamFailed } from './upstream-failed.ts';

const MOST_TOKENS = 100_000_000;

const ANSWER = z.object({
  data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()).min(1) })),
  usage: z.object({ prompt_tokens: z.int().min(0).max(MOST_TOKENS) }),
});

export interface Embeddings {
  /** In the order of the inputs. */
  readonly vectors: readonly (readonly number[])[];
  readonly promptTokens: number;
}

/** Throws UpstreamFailed. */
export function readEmbeddings(text: string, inputs: number): Embeddings {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new UpstreamFailed('malformed', { reason: 'no JSON' });
  }
  const failure = failureOfError(answer);
  if (failure !== null) throw failure;
  const { data, success } = ANSWER.safeParse(answer);
  if (!success) throw new UpstreamFailed('malformed');
  const byIndex = new Map(data.data.map(({ index, embedding }) => [index, embedding]));
  const vectors = Array.from({ length: inputs }, (_, at) => byIndex.get(at) ?? []);
  const { length } = vectors[0] ?? [];
  // One for each input, of one space.
  if (data.data.length !== inputs || vectors.some((vector) => vector.length === 0 || vector.length !== length))
    throw new UpstreamFailed('malformed');
  return { vectors, promptTokens: data.usage.prompt_tokens };
}
