/** What an operation answers where it does not refuse. */
import type { AnyOperation } from '../../../hooks/operation.ts';
import { answerHeaders } from './headers.ts';
import { type NamedSchemas, SCHEMAS, typeNameOf } from './named-schemas.ts';
import type { SharedComponents } from './shared-components.ts';

/** As OpenAPI responses by status; those that other operations answer alike are shared under the name of their schema. */
export function successResponses(
  operation: AnyOperation,
  schemas: NamedSchemas,
  shared: SharedComponents,
): Record<string, unknown> {
  const { status, description, otherwise, waiting, document, etag } = operation.success;
  const headers = answerHeaders(
    ...(operation.idempotent ? (['Idempotency-Replayed'] as const) : []),
    ...(etag === undefined ? [] : (['ETag'] as const)),
  );
  const responses: Record<string, Response> = {
    [status]: { description, headers, ...contentOf(operation, schemas, undefined) },
  };
  if (otherwise !== undefined)
    responses[otherwise.status] = {
      description: otherwise.description,
      headers: answerHeaders(),
      ...contentOf(operation, schemas, otherwise.example),
    };
  if (waiting !== undefined)
    responses[waiting.status] = {
      ...{ description: waiting.description, headers },
      ...contentOf(operation, schemas, waiting.example, waiting.schema),
    };
  if (document) responses[304] = { description: 'As If-None-Match names it', headers: answerHeaders() };
  for (const [key, response] of Object.entries(responses)) shared.add(responses, key, nameOf(response));
  return responses;
}

interface Response {
  readonly description: string;
  readonly headers: Record<string, unknown>;
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
}

/** `otherwise`: the example of another status. The first one's stands with the schema. */
function contentOf(
  { id, success, example }: AnyOperation,
  schemas: NamedSchemas,
  otherwise: unknown,
  schema = success.schema,
): Pick<Response, 'content'> {
  const { status, contentType, otherContentTypes = [] } = success;
  if (status === 204 && schema === success.schema) return {};
  if (contentType !== undefined) {
    const first = { schema: schemas.write(schema, 'output'), ...exampleOf(example?.response) };
    return {
      content: { [contentType]: first, ...Object.fromEntries(otherContentTypes.map((one) => [one, { schema: {} }])) },
    };
  }
  const ownExample = schema === success.schema ? example?.response : otherwise;
  const reference = schemas.reference(schema, 'output', `${typeNameOf(id)}Response`, ownExample);
  return { content: { 'application/json': { schema: reference, ...exampleOf(otherwise) } } };
}

const exampleOf = (example: unknown): object => (example === undefined ? {} : { example });

function nameOf({ content }: Response): string {
  if (content === undefined) return 'NoContent';
  const [media] = Object.values(content);
  return media?.schema.$ref?.slice(SCHEMAS.length) ?? 'Text';
}
