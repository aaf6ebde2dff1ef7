/** Holds answers against /openapi.json: the status must be described, the body fit its schema, the refusal be one of those listed. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import type { Json, TestAnswer } from './app.ts';
import { refusalIn } from './refusal-in.ts';

/** A response as an operation describes it: in its place, or by reference. */
export const responseOf = (document: Json, response: Json): Json =>
  response?.$ref === undefined
    ? response
    : { ...document.components.responses[response.$ref.split('/').at(-1)], ...response };

/**
 * The schemas of answers are open, and clients pass over fields that they do not know; here a field that is not described is a mistake.
 * `base`: one that others extend, which are closed where they are used.
 */
function closed(schema: Json, base = false): Json {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => closed(one));
  const inner = Object.entries<Json>(schema).map(([keyword, value]): [string, Json] => [
    keyword,
    keyword === 'allOf' ? value.map((one: Json) => closed(one, true)) : closed(value),
  ]);
  const open = !base && ['$ref', 'allOf', 'properties'].some((keyword) => keyword in schema);
  return { ...Object.fromEntries(inner), ...(open ? { unevaluatedProperties: false } : {}) };
}

const bases = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closed(schema, true)]));

/** What is wrong with an answer of an operation; null where it is as described. */
export type AnswerCheck = (operation: AnyOperation, answer: TestAnswer) => string | null;

export function createAnswerCheck(document: Json): AnswerCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  ajv.addFormat('date-time', (text: string) => new Date(text).toISOString() === text);
  ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addSchema({ $id: 'document', components: { schemas: bases(document.components.schemas) } });
  const compiled = new Map<string, ValidateFunction>();

  /** Refusals of all operations have one schema. */
  function validatorOf(schema: Json): ValidateFunction {
    const key = JSON.stringify(schema);
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const made = ajv.compile(JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/', '"document#/')));
    compiled.set(key, made);
    return made;
  }

  return (operation, answer) => {
    const { status, headers, body, text } = answer;
    const responses = document.paths[operation.path][operation.method.toLowerCase()].responses;
    const described = responseOf(document, responses[status] ?? responses.default);
    const where = `${operation.id} ${status}`;
    if (described === undefined) return `${where} is not described: ${text.slice(0, 300)}`;
    if (!/^[\w.:-]{8,128}$/.test(headers['x-request-id'] ?? '')) return `${where} has no X-Request-Id`;
    const missing = Object.keys(described.headers ?? {}).find(
      (name) => document.components.headers[name]?.required === true && headers[name.toLowerCase()] === undefined,
    );
    if (missing !== undefined) return `${where} has no ${missing}`;
    if (described.content === undefined) return text === '' ? null : `${where} has a body`;
    const mediaType = headers['content-type']?.split(';')[0] ?? '';
    const schema = described.content[mediaType]?.schema;
    if (schema === undefined) return `${where} is of type ${headers['content-type']}`;
    const validate = validatorOf(schema);
    const value: Json = mediaType === 'application/json' ? body : text;
    if (!validate(value)) return `${where}: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 500)}`;
    // RFC 6749's bodies have the name itself.
    const named = typeof body?.error === 'string' ? body.error : refusalIn(answer)?.slug;
    const slug = status >= 400 ? named : undefined;
    if (slug !== undefined && !described.description.includes(`\`${slug}\``))
      return `${where} is not described with ${slug}: ${text}`;
    return null;
  };
}
