/** What operations answer, made in a worker thread: from the body's text to the answer's, as hooks/register-operations.ts does it. */
import type { JsonTextOptions } from '../core/json-text.ts';
import type { AnswerJobs, AnswerResult } from '../engines/computing/computing.ts';
import { NO_ACCOUNT, type RequestContext } from '../services/requests/request-context.ts';
import { jsonOf } from './input/bodies.ts';
import { bodyToValidate } from './input/body-to-validate.ts';
import { parsePart } from './input/validation.ts';
import type { AnyOperation } from './operation.ts';
import { HttpRefusal } from './refusals/errors.ts';

/** Of a request that is given up the worker is ended. */
const NO_CONTEXT = { accountId: NO_ACCOUNT, signal: new AbortController().signal } as RequestContext;

/** Throws as the operation does, and where the body is not what its schema wants. */
export function createWorkerAnswers(operations: readonly AnyOperation[]): AnswerJobs['operation.answer'] {
  const known = new Map(operations.map((operation) => [operation.id, operation]));
  return async ({ operation: id, body: bytes, found }) => {
    const operation = known.get(id);
    if (operation?.body === undefined) throw new Error(`${id} is not answered in workers`);
    const json = parsed(bytes, { nul: operation.takesNul === true });
    if ('malformed' in json) return json;
    const body = parsePart(operation.body, 'body', bodyToValidate(operation, json.value, bytes.length), {
      query: operation.query,
      body: operation.body,
    });
    const asked = found === undefined ? ((await operation.asks?.(body, NO_CONTEXT)) ?? null) : null;
    if (asked !== null) return { asked };
    const input = {
      ...{ params: {}, query: {}, body, authorization: null, cookie: null, ifMatch: null, sent: () => '', found },
    };
    const answer = operation.present(await operation.run(input, NO_CONTEXT));
    return { answer: textBytes(operation.success.contentType === undefined ? JSON.stringify(answer) : `${answer}`) };
  };
}

function parsed(
  bytes: Uint8Array,
  options: JsonTextOptions,
): { value: unknown } | Extract<AnswerResult, { malformed: unknown }> {
  try {
    return { value: jsonOf(Buffer.from(bytes.buffer), options) };
  } catch (error) {
    if (!(error instanceof HttpRefusal)) throw error;
    return { malformed: { slug: error.refusal.slug, reason: error.message } };
  } finally {
    bytes.fill(0);
  }
}

/** In memory of its own, which can be handed over. */
const textBytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text));
