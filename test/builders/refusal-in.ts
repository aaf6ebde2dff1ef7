/** What a refusal says, in whichever family's form. */
import { INFERENCE_CODES } from '../../src/hooks/refusals/inference-errors.ts';
import type { Json } from './app.ts';

const CODES = new Map(Object.entries(INFERENCE_CODES).map(([code, ofInference]) => [ofInference as string, code]));

export function refusalIn({ body }: { body: Json }): { code: string; slug: string; field: string } | undefined {
  const { error } = body ?? {};
  if (error?.param === undefined)
    return error && { code: error.code, slug: error.details?.code, field: error.details?.field };
  return { code: CODES.get(error.code) as string, slug: error.type, field: error.param };
}
