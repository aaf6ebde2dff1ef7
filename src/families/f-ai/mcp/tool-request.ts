/** The request that arguments of a model make: they fill its path, query and body, and change nothing else of it. */
import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import { parsePart } from '../../../hooks/input/validation.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import { PARTS } from './tool-operations.ts';

export interface ToolRequest {
  readonly method: AnyOperation['method'];
  /** Path and query. */
  readonly url: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const NOTHING = z.strictObject({});
/** What a path's segment is changed by, though every character of it is escaped. */
const DOTS = /^\.{1,2}$/;

/** Throws `invalid_value`. `dry`: it is a dry run, whatever the arguments say. */
export function toolRequest(operation: AnyOperation, given: Record<string, unknown>, dry: boolean): ToolRequest {
  const unknown = Object.keys(given).find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) throw invalid(unknown, `is not known: arguments are ${PARTS.join(', ')}`);
  const params = textsOf(given.params, 'params');
  const query = textsOf(given.query, 'query');
  if (dry && 'dry_run' in query) throw invalid('query.dry_run', 'is not taken: this tool is a dry run always');
  const asked = dry ? { ...query, dry_run: 'true' } : query;
  parsePart(operation.params ?? NOTHING, 'params', params);
  parsePart(operation.query ?? NOTHING, 'query', asked, { query: operation.query, body: operation.body });
  if (operation.body === undefined && given.body !== undefined) throw invalid('body', 'is not taken');
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, params[name]));
  const search = new URLSearchParams(asked).toString();
  const url = search === '' ? path : `${path}?${search}`;
  return { method: operation.method, url, params, query: asked, body: given.body };
}

function segment(name: string, text = ''): string {
  if (text === '' || DOTS.test(text) || !text.isWellFormed()) throw invalid(name, 'is no part of a path');
  return encodeURIComponent(text);
}

/** As a path and a query have them. */
function textsOf(part: unknown, name: 'params' | 'query'): Record<string, string> {
  if (part === undefined || part === null) return {};
  if (typeof part !== 'object' || Array.isArray(part)) throw invalid(name, 'must be an object');
  const texts = Object.entries(part).map(([field, value]): [string, string] => {
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw invalid(`${name}.${field}`, 'must be a text, a number or a boolean');
    return [field, String(value)];
  });
  return Object.fromEntries(texts);
}

const invalid = (field: string, reason: string): DomainError =>
  new DomainError('invalid_value', `${field} ${reason}`, { field });
