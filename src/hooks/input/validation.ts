/** Checks a part of a request against its zod schema and names the offending field as a path. */
import type { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { fieldNames } from './field-names.ts';

type Part = 'params' | 'query' | 'body';
type Issue = z.core.$ZodIssue;

/** The schemas of a request's parts. */
export type Parts = Readonly<Partial<Record<Part, z.ZodType | undefined>>>;

/** The parsed part. Throws `invalid_value` for the first thing that is wrong; `parts` tells where a misplaced field belongs. */
export function parsePart<T extends z.ZodType>(schema: T, part: Part, value: unknown, parts: Parts = {}): z.output<T> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0] as Issue;
  const { path, reason: problem } = describe(issue, part);
  const field = fieldPath(part, path);
  const reason =
    path.length === 1 && issue.code === 'unrecognized_keys'
      ? `${problem}${whereTo(`${path[0] as string}`, part, parts)}`
      : problem;
  throw new DomainError('invalid_value', `${field} ${reason}`, { field, reason });
}

/** `recipients[0].amount` in a body, `query.limit`, a path parameter by its name, `body` for the body as a whole. */
export function fieldPath(part: Part, path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((before, key) => {
    if (typeof key === 'number') return `${before}[${key}]`;
    return before === '' ? String(key) : `${before}.${String(key)}`;
  }, '');
  if (part === 'query') return text === '' ? 'query' : `query.${text}`;
  return text === '' ? part : text;
}

/** Names the field that is meant, where it is one of another part, or of the same but for case, dashes and underscores. */
function whereTo(given: string, part: Part, parts: Parts): string {
  for (const other of ['query', 'body'] as const) {
    const schema = parts[other];
    const name = fieldNames(schema).find((known) => plain(known) === plain(given));
    if (name === undefined) continue;
    if (other === part) return `: ${name} is`;
    return other === 'query' ? `: ${name} goes into the query, ?${name}=…` : `: ${name} goes into the body`;
  }
  return '';
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

function describe(issue: Issue, part: Part): { path: PropertyKey[]; reason: string } {
  const { path } = issue;
  // Where a query names a parameter twice, its value is an array.
  if (part === 'query' && path.length === 1 && Array.isArray(issue.input))
    return { path, reason: 'is given more than once' };
  switch (issue.code) {
    case 'unrecognized_keys':
      return { path: [...path, issue.keys[0] as string], reason: 'is not a known field' };
    case 'invalid_type':
      return { path, reason: typeProblem(issue) };
    case 'invalid_value': {
      const choices = issue.values.map((value) => JSON.stringify(value)).join(' or ');
      return { path, reason: issue.input === undefined ? `is required: ${choices}` : `must be ${choices}` };
    }
    case 'invalid_union':
      return unionProblem(issue, part);
    default:
      return { path, reason: decapitalize(issue.message) };
  }
}

function typeProblem(issue: z.core.$ZodIssueInvalidType): string {
  if (issue.input === undefined) return issue.path.length === 0 ? 'is missing: send a JSON object' : 'is required';
  if (!issue.message.startsWith('Invalid input')) return decapitalize(issue.message);
  const expected = issue.expected === 'record' ? 'object' : issue.expected;
  const article = /^[aeio]/.test(expected) ? 'an' : 'a';
  // Amounts, mostly: a JSON number would be read as a double.
  const hint = expected === 'string' && typeof issue.input === 'number' ? ': put the number in quotation marks' : '';
  return `must be ${article} ${expected === 'int' ? 'whole number' : expected}${hint}`;
}

/** The alternative that went furthest before it failed is the one that was meant. */
function unionProblem(issue: z.core.$ZodIssueInvalidUnion, part: Part): { path: PropertyKey[]; reason: string } {
  const { path } = issue;
  if ('input' in issue && issue.input === undefined) return { path, reason: 'is required' };
  const problems = issue.errors.flatMap((alternative) => alternative.slice(0, 1)).map((one) => describe(one, part));
  const depth = Math.max(0, ...problems.map((problem) => problem.path.length));
  const deepest = problems.filter((problem) => problem.path.length === depth);
  if (deepest.length === 0) return { path, reason: decapitalize(issue.message) };
  if (depth > 0) return { path: [...path, ...(deepest[0]?.path ?? [])], reason: deepest[0]?.reason ?? 'is not valid' };
  // A union that says itself what it takes.
  const own = issue.message.startsWith('Invalid input') ? null : decapitalize(issue.message);
  return { path, reason: own ?? alternatives([...new Set(deepest.map((problem) => problem.reason))]) };
}

const MUST_BE = 'must be ';

/** "must be a, must be b" in one sentence: must be a or b. */
const alternatives = (reasons: readonly string[]): string =>
  reasons.length > 1 && reasons.every((reason) => reason.startsWith(MUST_BE))
    ? `${MUST_BE}${reasons.map((reason) => reason.slice(MUST_BE.length)).join(', or ')}`
    : reasons.join(', or ');
const decapitalize = (message: string): string =>
  /^[A-Z][a-z]/.test(message) ? message.charAt(0).toLowerCase() + message.slice(1) : message;
