/** The published description, OpenAPI 3.1, from the declarations that the routes are made of. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { Declared } from '../../../hooks/family.ts';
import type { JsonSchema } from '../../../hooks/input/wire-schema.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import { codeSamples } from './code-samples.ts';
import { ERROR_FORMS } from './error-forms.ts';
import { errorComponents, errorResponses } from './error-responses.ts';
import { eventSchemas, eventWebhooks } from './event-webhooks.ts';
import { headerComponents } from './headers.ts';
import { NamedSchemas, typeNameOf } from './named-schemas.ts';
import { isOfPeople, securityOf, securitySchemes } from './security.ts';
import { type SharedComponents, shareComponents } from './shared-components.ts';
import { successResponses } from './success-responses.ts';

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
  webhooks: Record<string, JsonSchema>;
  components: { schemas: Record<string, JsonSchema>; [kind: string]: unknown };
}

const DESCRIPTION = `Bitcoin infrastructure over REST and WebSocket.

**Guides:** [Signing requests](/docs/signing) · [Errors](/docs/errors) · [all of them](/docs/guides).

The samples send the examples as they stand, on a shell: \`ashlar\` is the command line, which signs; \`$KEY\` is an API key, \`$TOKEN\` a user's
access token, \`$ASHLAR_URL\` where the service is, if not at http://127.0.0.1:3000.

Amounts are decimal BTC strings, answered with 8 decimals; fee rates are decimal sat/vB strings; times are ISO 8601 UTC.
An error's \`error.details.code\` says what it is: branch on that ([all codes](/docs/errors), with what to do), and show
\`error.message\` to people. \`details.errors\` lists further mistakes of the same body, query or path. Every answer carries \`X-Request-Id\` and the state of the caller's limit. A request that modifies is signed, and takes an
\`Idempotency-Key\` (without one the signature's nonce is the key): sent again with the same key and body, it has its effect once and is
answered the same. Updates arrive over the WebSocket \`/v1/ws\`, on the channels \`transactions\`, \`blocks\`, \`contracts\` and
\`notifications\` (the caller's own): numbered, resumed by \`after\`, withdrawn by \`retracts\`; those of governance over \`/v1/governance/ws\`. \`/asyncapi.json\` describes them.`;

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes a retry safe: the same key and request have one effect and one answer, kept for 24 h',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the version that is meant: 412 where there is another by now',
  schema: { type: 'string' },
  example: '"7"',
};

/** Its JSON. An operation is described in a turn of its own, and so is a schema: all of them take a quarter of a second. */
export async function openApiText(
  declared: Pick<Declared, 'operations' | 'tags'>,
  facts: PackageFacts,
): Promise<string> {
  const { paths, webhooks, components, ...head } = await openApiDocument(declared, facts);
  const { schemas, ...others } = components;
  const parts = `"paths":${await textOf(paths)},"webhooks":${await textOf(webhooks)},"components":{"schemas":${await textOf(schemas)},${JSON.stringify(others).slice(1)}`;
  return `${JSON.stringify(head).slice(0, -1)},${parts}}`;
}

/** The JSON of an object, a member in a turn. */
async function textOf(members: object): Promise<string> {
  const texts: string[] = [];
  for (const [name, member] of Object.entries(members)) {
    texts.push(`${JSON.stringify(name)}:${JSON.stringify(member)}`);
    await nextTurn();
  }
  return `{${texts.join(',')}}`;
}

async function openApiDocument(
  { operations, tags }: Pick<Declared, 'operations' | 'tags'>,
  { version, license }: PackageFacts,
): Promise<OpenApiDocument> {
  const schemas = new NamedSchemas();
  const shared = { parameters: shareComponents('parameters'), responses: shareComponents('responses') };
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    paths[operation.path] = path;
    path[operation.method.toLowerCase()] = describe(operation, schemas, shared);
    await nextTurn();
  }
  const events = eventSchemas(operations, schemas);
  await nextTurn();
  for (const { name, schema } of ERROR_FORMS) schemas.reference(schema, 'output', name, undefined);
  const named: Record<string, JsonSchema> = {};
  for (const [name, schema] of schemas.all()) {
    named[name] = schema;
    await nextTurn();
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Ashlar', version, description: DESCRIPTION, license: licenseOf(license) },
    servers: [{ url: '/', description: 'This service' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] })),
    paths,
    webhooks: eventWebhooks(),
    components: {
      schemas: { ...named, ...events },
      responses: { ...errorComponents(operations), ...shared.responses.all() },
      securitySchemes: securitySchemes(operations),
      parameters: {
        ...shared.parameters.all(),
        'Idempotency-Key': IDEMPOTENCY_KEY,
        'If-Match': IF_MATCH,
      },
      headers: headerComponents,
    },
  };
}

type Shared = Readonly<Record<'parameters' | 'responses', SharedComponents>>;

/** What the caller must have, in a sentence. */
function needsOf(operation: AnyOperation): string {
  const { access } = operation;
  if (access === 'public') return '';
  if (access.own === true && isOfPeople(operation)) return 'For people, of themselves.';
  const needs = `Needs scope \`${access.scope}\` and role \`${access.role}\`${access.platform ? ' of the account that runs the service' : ''}.`;
  return access.own === undefined
    ? needs
    : `${needs} A person needs neither for their own record${access.own === true ? 's' : ''}.`;
}

/** npm's word for none is no SPDX licence expression; every other is one. */
const licenseOf = (license: string): Record<string, string> => ({
  name: license === 'UNLICENSED' ? 'Proprietary' : license,
  identifier: license === 'UNLICENSED' ? 'LicenseRef-UNLICENSED' : license,
});

function describe(operation: AnyOperation, schemas: NamedSchemas, shared: Shared): Record<string, unknown> {
  const description = [operation.description, needsOf(operation)].filter(Boolean).join(' ');
  const parameters = parametersOf(operation, schemas, shared.parameters);
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(description === '' ? {} : { description }),
    tags: [operation.tag],
    security: securityOf(operation),
    'x-codeSamples': codeSamples(operation),
    'x-ashlar-effect': operation.effect,
    ...(operation.limitClass === 'standard' ? {} : { 'x-ashlar-limit-class': operation.limitClass }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(operation.body === undefined ? {} : { requestBody: requestBodyOf(operation, schemas) }),
    responses: Object.assign(successResponses(operation, schemas, shared.responses), errorResponses(operation)),
  };
}

function requestBodyOf({ id, body, bodyContentType, example }: AnyOperation, schemas: NamedSchemas): object {
  const schema: z.ZodType = body;
  return {
    required: !schema.safeParse(undefined).success,
    content: {
      [bodyContentType ?? 'application/json']: {
        schema: schemas.reference(schema, 'input', `${typeNameOf(id)}Request`, example?.body),
      },
    },
  };
}

function parametersOf(operation: AnyOperation, schemas: NamedSchemas, shared: SharedComponents): unknown[] {
  const parameters = [
    ...fieldsOf(operation.params, 'path', operation.example?.params, schemas),
    ...fieldsOf(operation.query, 'query', operation.example?.query, schemas),
  ];
  for (const [at, { name }] of parameters.entries()) shared.add(parameters, at, `${name}Parameter`);
  const headers = [
    ...(operation.idempotent ? ['Idempotency-Key'] : []),
    ...(operation.conditional ? ['If-Match'] : []),
  ];
  parameters.push(...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })));
  return parameters;
}

function fieldsOf(
  part: z.ZodType | undefined,
  place: 'path' | 'query',
  examples: Record<string, unknown> | undefined,
  schemas: NamedSchemas,
): Record<string, unknown>[] {
  if (part === undefined) return [];
  const object = schemas.write(part, 'input');
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
