/** The published description, OpenAPI 3.1, from the declarations that the routes are made of. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { documentationSchema, type JsonSchema } from '../../../hooks/input/wire-schema.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import { codeSamples } from './code-samples.ts';
import { errorFormOf, errorSchemas } from './error-forms.ts';
import { errorResponses } from './error-responses.ts';
import { answerHeaders, headerComponents } from './headers.ts';
import { securityOf, securitySchemes, signatureParameters, verifiesSignature } from './security.ts';
import { shareResponses } from './shared-responses.ts';
import { TAGS } from './tags.ts';

export interface PackageFacts {
  readonly version: string;
  readonly license: string;
}

interface OpenApiDocument {
  openapi: string;
  info: Record<string, unknown>;
  servers: { url: string; description: string }[];
  tags: { name: string; description: string | undefined }[];
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, JsonSchema>; [kind: string]: unknown };
}

const DESCRIPTION = `Bitcoin infrastructure over REST and WebSocket.

**Guides:** [Signing requests](/docs/signing) · [Errors](/docs/errors) · [all of them](/docs/guides).

The samples send the examples as they stand, on a shell: \`ashlar\` is the command line, which signs; \`$KEY\` is an API key, \`$TOKEN\` a person's
access token, \`$ASHLAR_URL\` where the service is, if not at http://127.0.0.1:3000.

Amounts are decimal BTC strings, answered with 8 decimals; fee rates are decimal sat/vB strings; times are ISO 8601 UTC.
A refusal says in \`error.details.code\` what it is: branch on that (the schema Error lists all, with what to do), and show people
\`error.message\`. \`details.errors\` lists all that is wrong with a body. Every answer carries \`X-Request-Id\` and the state of the caller's limit. A request that modifies is signed, and takes an
\`Idempotency-Key\` (without one the signature's nonce is the key): sent again with the same key and body, it has its effect once and is
answered the same. Updates arrive over the WebSocket \`/v1/ws\`, on the channels \`transactions\`, \`blocks\` and \`contracts\` ({contract_id, status,
outcome}): numbered, resumed by \`after\`, taken back by \`retracts\`; \`/asyncapi.json\` describes them.`;

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes a retry safe: the same key and request have one effect and one answer, kept for 24 h',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** Its JSON. An operation is described in a turn of its own: all of them take a fifth of a second. */
export async function openApiText(operations: readonly AnyOperation[], facts: PackageFacts): Promise<string> {
  const { paths, components, ...head } = await openApiDocument(operations, facts);
  const texts: string[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    texts.push(`${JSON.stringify(path)}:${JSON.stringify(methods)}`);
    await nextTurn();
  }
  const parts = `"paths":{${texts.join(',')}},"components":${JSON.stringify(components)}`;
  return `${JSON.stringify(head).slice(0, -1)},${parts}}`;
}

async function openApiDocument(
  operations: readonly AnyOperation[],
  { version, license }: PackageFacts,
): Promise<OpenApiDocument> {
  const schemas: Schemas = errorSchemas();
  const paths: OpenApiDocument['paths'] = {};
  const shared = shareResponses();
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    paths[operation.path] = path;
    const described = describe(operation, schemas);
    shared.add(described.responses);
    path[operation.method.toLowerCase()] = described;
    await nextTurn();
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Ashlar', version, description: DESCRIPTION, license: licenseOf(license) },
    servers: [{ url: '/', description: 'This service' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      schemas,
      responses: shared.all(),
      securitySchemes: securitySchemes(operations),
      parameters: { ...signatureParameters, 'Idempotency-Key': IDEMPOTENCY_KEY },
      headers: headerComponents,
    },
  };
}

type Schemas = Record<string, JsonSchema>;

/** What the caller must have, in a sentence. */
function needsOf({ access }: AnyOperation): string {
  if (access === 'public') return '';
  if (access.own === true) return 'For people, of themselves.';
  const needs = `Needs scope \`${access.scope}\` and role \`${access.role}\`${access.platform ? ' of the account that runs the service' : ''}.`;
  return access.own === undefined ? needs : `${needs} A person needs neither for their own record.`;
}

/** npm's word for none is no SPDX licence expression; every other is one. */
const licenseOf = (license: string): Record<string, string> => ({
  name: license,
  identifier: license === 'UNLICENSED' ? 'LicenseRef-UNLICENSED' : license,
});

interface Described {
  responses: Record<string, unknown>;
  [field: string]: unknown;
}

function describe(operation: AnyOperation, schemas: Schemas): Described {
  const { success, example } = operation;
  const description = [operation.description, needsOf(operation)].filter(Boolean).join('\n\n');
  const parameters = parametersOf(operation, schemas);
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(description === '' ? {} : { description }),
    tags: [operation.tag],
    security: securityOf(operation),
    'x-codeSamples': codeSamples(operation),
    'x-ashlar-effect': operation.effect,
    'x-ashlar-limit-class': operation.limitClass,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined ? {} : { requestBody: requestBodyOf(operation, schemas) }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: answerHeaders(...(operation.idempotent ? (['Idempotency-Replayed'] as const) : [])),
        ...(success.status === 204 ? {} : { content: successContent(operation, schemas, example?.response) }),
      },
      ...(success.otherwise === undefined
        ? {}
        : {
            [success.otherwise.status]: {
              description: success.otherwise.description,
              headers: answerHeaders(),
              content: successContent(operation, schemas, success.otherwise.example),
            },
          }),
      ...(success.document ? { 304: { description: 'As If-None-Match names it', headers: answerHeaders() } } : {}),
      ...errorResponses(operation),
      ...(success.status === 302 ? { default: anyRefusal(operation) } : {}),
    },
  };
}

/** Tools that look for an answer of 2xx take this in its place. */
const anyRefusal = (operation: AnyOperation): Record<string, unknown> => ({
  description: 'Any other answer is a refusal',
  headers: answerHeaders(),
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${errorFormOf(operation).name}` } } },
});

function successContent({ success }: AnyOperation, schemas: Schemas, example: unknown): Record<string, unknown> {
  return {
    [success.contentType ?? 'application/json']: {
      schema: hoisted(documentationSchema(success.schema, 'output'), schemas),
      ...(example === undefined ? {} : { example }),
    },
  };
}

function requestBodyOf(operation: AnyOperation, schemas: Schemas): Record<string, unknown> {
  const body: z.ZodType = operation.body;
  return {
    required: !body.safeParse(undefined).success,
    content: {
      [operation.bodyContentType ?? 'application/json']: {
        schema: hoisted(documentationSchema(body, 'input'), schemas),
        ...(operation.example?.body === undefined ? {} : { example: operation.example.body }),
      },
    },
  };
}

function parametersOf(operation: AnyOperation, schemas: Schemas): Record<string, unknown>[] {
  const parameters = [
    ...fieldsOf(operation.params, 'path', operation.example?.params, schemas),
    ...fieldsOf(operation.query, 'query', operation.example?.query, schemas),
  ];
  const headers = [
    ...(operation.idempotent ? ['Idempotency-Key'] : []),
    ...(verifiesSignature(operation) ? Object.keys(signatureParameters) : []),
  ];
  return [...parameters, ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

function fieldsOf(
  part: z.ZodType | undefined,
  place: 'path' | 'query',
  examples: Record<string, unknown> | undefined,
  schemas: Schemas,
): Record<string, unknown>[] {
  if (part === undefined) return [];
  const object = hoisted(documentationSchema(part, 'input'), schemas);
  const required = new Set((object.required as string[] | undefined) ?? []);
  return Object.entries((object.properties ?? {}) as Record<string, JsonSchema>).map(([name, field]) => {
    const { description, ...schema } = field;
    return {
      name,
      in: place,
      required: place === 'path' || required.has(name),
      ...(typeof description === 'string' ? { description } : {}),
      schema,
      ...(examples?.[name] === undefined ? {} : { example: examples[name] }),
    };
  });
}

/** Moves a schema's own definitions to the document's, where its references then point. */
function hoisted(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const { $defs, ...rest } = schema;
  if ($defs === undefined) return rest;
  const moved = (value: unknown): JsonSchema =>
    JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'));
  for (const [name, definition] of Object.entries($defs as JsonSchema)) schemas[name] = moved(definition);
  return moved(rest);
}
