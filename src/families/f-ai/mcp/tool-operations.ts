/** Which operations are tools, and how a model is told of one: from the declarations, so that a new operation is one by itself. */
import { z } from 'zod';
import { type JsonSchema, namedSchema } from '../../../hooks/input/wire-schema.ts';
import { type AnyOperation, FAMILY_CREDENTIALS } from '../../../hooks/operation.ts';

/** Arguments of an operation as a model gives them. */
export const PARTS = ['params', 'query', 'body'] as const;

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: { readonly readOnlyHint: true; readonly openWorldHint: false };
}

/** `wallet-utxo.list` is wallet_utxo_list. */
export const toolName = (id: string): string => id.replaceAll(/[.-]/g, '_');

/**
 * Reads, computations, and of writes those that can be run dry; what an API key opens, with JSON both ways. None that takes or shows secrets,
 * answers data of people, or goes on for long; nothing of this family, which would ask itself.
 */
export function isTool(operation: AnyOperation): boolean {
  const { effect, dryRun, secretAnswer, auditsReads, outlasts, limitClass, success } = operation;
  return (
    isOfKeys(operation) &&
    (effect !== 'write' || dryRun === true) &&
    ![secretAnswer, auditsReads, outlasts, success.document, success.streamed, success.resultHeaders].some(Boolean) &&
    limitClass !== 'bulk' &&
    success.contentType === undefined &&
    success.otherContentTypes === undefined
  );
}

/** Writes that a model may propose: it makes no secret, and is given none. */
export const isProposable = (operation: AnyOperation): boolean => operation.effect === 'write' && isOfKeys(operation);

const isOfKeys = ({ access, family, credentials, secretBody, bodyContentType }: AnyOperation): boolean =>
  access !== 'public' &&
  family !== 'f' &&
  (credentials ?? FAMILY_CREDENTIALS[family]).includes('api_key') &&
  secretBody === undefined &&
  bodyContentType === undefined;

export function toolOf(operation: AnyOperation): Tool {
  const { id, summary, description = '', effect } = operation;
  const dry = effect === 'write' ? 'Dry run: computed and checked, nothing is stored or sent.' : '';
  return {
    name: toolName(id),
    description: [`${summary}.`, dry, description].filter((part) => part !== '').join(' '),
    inputSchema: argumentsOf(operation, effect === 'write'),
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

/** The schema of its arguments. `dry`: without `dry_run`, which is not the model's to say. */
export function argumentsOf(operation: AnyOperation, dry: boolean): Tool['inputSchema'] {
  const parts = PARTS.flatMap((part): [string, z.ZodType][] => {
    const schema: z.ZodType | undefined = operation[part];
    if (schema === undefined) return [];
    return [[part, schema.safeParse(part === 'body' ? undefined : {}).success ? schema.optional() : schema]];
  });
  const written = namedSchema(z.strictObject(Object.fromEntries(parts)), 'input');
  const { properties } = written as { properties: { query?: { properties: Record<string, unknown> } } };
  if (dry && properties.query !== undefined) delete properties.query.properties.dry_run;
  return { ...written, type: 'object' };
}
