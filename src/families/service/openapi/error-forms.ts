/** The body that each family's refusals have (hooks/refusals/errors.ts makes them). */
import { z } from 'zod';
import type { DomainErrorCode } from '../../../core/errors.ts';
import type { AnyOperation, Family } from '../../../hooks/operation.ts';
import { INFERENCE_CODES, inferenceBody } from '../../../hooks/refusals/inference-errors.ts';
import { oauthErrorOf, oauthErrorSchema } from '../../../hooks/refusals/oauth-errors.ts';
import type { ErrorCode, HttpSlug } from '../../../hooks/refusals/refusal.ts';
import { REMEDIES } from '../../../hooks/refusals/remedies.ts';

export interface Refused {
  status: number;
  code: ErrorCode;
  slug: DomainErrorCode | HttpSlug;
}

export interface ErrorForm {
  /** Of its schema in the document. */
  readonly name: string;
  /** Of the names of its shared responses. */
  readonly prefix: string;
  readonly schema: z.ZodType;
  /** What a refusal is called in the body. */
  nameOf(refused: Refused): string;
  example(refused: Refused): unknown;
}

const docsOf = (slug: Refused['slug']): string => `https://api.example.com/docs/errors#${slug}`;
const MESSAGE = 'what is wrong, and what would be right';

const STANDARD = {
  name: 'Error',
  prefix: '',
  schema: z.object({
    error: z.object({
      code: z.enum(['invalid_request', 'unauthorized', 'forbidden', 'not_found', 'rate_limited', 'internal_error']),
      message: z.string(),
      details: z
        .object({
          field: z
            .string()
            .meta({ description: 'Path of the offending field, such as recipients[0].amount; empty where none' }),
          reason: z.string().optional().meta({ description: 'What the message does not say, or what `field` must be' }),
          errors: z
            .array(z.object({ field: z.string(), reason: z.string() }))
            .optional()
            .meta({
              description: 'All that is wrong with the body, the query or the path, up to 20; the first is said above',
            }),
          steps: z
            .array(z.object({ step: z.string(), verdict: z.enum(['passed', 'failed', 'skipped']), detail: z.string() }))
            .optional()
            .meta({ description: 'Of a connection that was tried: how far it came' }),
          code: z.enum(Object.keys(REMEDIES)).meta({
            id: 'ErrorCode',
            description:
              'Branch on this, not on `error.code`, which has six values: [all codes, with what to do](/docs/errors)',
          }),
          docs: z.string().meta({
            description:
              'Where the code is explained: a URL at the public origin that was asked, or its path where that was called by another name',
          }),
        })
        .meta({ id: 'ErrorDetails' }),
    }),
  }),
  nameOf: ({ slug }: Refused) => slug,
  example: ({ code, slug }: Refused) => ({
    error: { code, message: MESSAGE, details: { field: '', code: slug, docs: docsOf(slug) } },
  }),
} satisfies ErrorForm;

const RESOURCE: ErrorForm = {
  ...STANDARD,
  name: 'ResourceError',
  prefix: 'Resource',
  schema: z.object({
    message: z.string(),
    error: STANDARD.schema.shape.error.omit({ message: true }),
  }),
  example(refused) {
    const { message, ...error } = STANDARD.example(refused).error;
    return { message, error };
  },
};

const INFERENCE: ErrorForm = {
  name: 'InferenceError',
  prefix: 'Inference',
  schema: z.object({
    error: z.object({
      code: z.enum(Object.values(INFERENCE_CODES)),
      message: z.string(),
      param: z
        .string()
        .meta({ description: 'The parameter at fault, such as messages[0].content; empty where none is' }),
      type: STANDARD.schema.shape.error.shape.details.shape.code,
    }),
  }),
  nameOf: STANDARD.nameOf,
  example: (refused) => inferenceBody({ ...refused, message: MESSAGE, field: '', headers: {} }),
};

const OAUTH: ErrorForm = {
  name: 'OAuthError',
  prefix: 'OAuth',
  schema: oauthErrorSchema,
  nameOf: oauthErrorOf,
  example: (refused) => ({ error: oauthErrorOf(refused), error_description: MESSAGE, error_uri: docsOf(refused.slug) }),
};

const OF_FAMILY: Partial<Record<Family, ErrorForm>> = { d: RESOURCE, f: INFERENCE, oauth: OAUTH };

export const errorFormOf = ({ family }: AnyOperation): ErrorForm => OF_FAMILY[family] ?? STANDARD;

export const ERROR_FORMS: readonly ErrorForm[] = [STANDARD, RESOURCE, INFERENCE, OAUTH];
