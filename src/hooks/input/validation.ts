/** Checks a part of a request against its zod schema and names the offending field as a path. */
import type { z } from 'zod';
import { DomainError, type FieldError, MAX_ERRORS } from '../../core/errors.ts';
import { fieldNames, isOptionalAt, namesAt, requiredNames } from './field-names.ts';
import { choicesOf, issueText } from './issue-texts.ts';
import { inBtc, suggestName } from './suggest-name.ts';

type Part = 'params' | 'query' | 'body';
type Issue = z.core.$ZodIssue;

/** The schemas of a request's parts. */
export type Parts = Readonly<Partial<Record<Part, z.ZodType | undefined>>>;

/** The parsed part. Throws `invalid_value` for what is wrong with it; `parts` tells where a misplaced field belongs. */
export function parsePart<T extends z.ZodType>(schema: T, part: Part, value: unknown, parts: Parts = {}): z.output<T> {
  const parsed = schema.safeParse(value, { reportInput: true, error: issueText });
  if (parsed.success) return parsed.data;
  const errors = problemsOf(parsed.error.issues, schema, part, parts).map(
    ({ path, reason }): FieldError => ({ field: fieldPath(part, path), reason }),
  );
  if (value === undefined && part === 'body') errors.splice(0, errors.length, missingBody(schema));
  const [first] = errors as [FieldError];
  throw new DomainError('invalid_value', `${first.field} ${first.reason}`, { ...first, errors });
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

interface Problem {
  readonly path: PropertyKey[];
  readonly reason: string;
}

/** No more than are told: to look for what was meant takes time. */
function problemsOf(issues: readonly Issue[], schema: z.ZodType, part: Part, parts: Parts): Problem[] {
  const problems: Problem[] = [];
  for (const issue of issues) {
    const most = MAX_ERRORS - problems.length;
    if (most === 0) break;
    if (issue.code === 'unrecognized_keys') problems.push(...unknownFields(issue, { schema, part, parts, most }));
    else problems.push(orLeftOut(describe(issue, part), issue, schema));
  }
  return problems;
}

function describe(issue: Issue, part: Part): Problem {
  const { path } = issue;
  // Where a query names a parameter twice, its value is an array.
  if (part === 'query' && path.length === 1 && Array.isArray(issue.input))
    return { path, reason: 'is given more than once' };
  if (issue.code === 'unrecognized_keys') return { path: [...path, issue.keys[0] as string], reason: UNKNOWN };
  if (issue.code === 'invalid_union') return unionProblem(issue, part);
  if (issue.input === undefined && issue.code === 'invalid_value')
    return { path, reason: `is required: ${choicesOf(issue.values)}` };
  if (issue.input === undefined && issue.code === 'invalid_type') return { path, reason: 'is required' };
  return { path, reason: issue.message };
}

function missingBody(schema: z.ZodType): FieldError {
  const names = requiredNames(schema).join(', ');
  return { field: 'body', reason: `is missing: send a JSON object${names === '' ? '' : ` with ${names}`}` };
}

/** null is no way to leave a field out. */
const orLeftOut = ({ path, reason }: Problem, { input }: Issue, schema: z.ZodType): Problem =>
  input === null && path.length > 0 && isOptionalAt(schema, path)
    ? { path, reason: `${reason}, or be left out` }
    : { path, reason };

const UNKNOWN = 'is not a known field';

function unknownFields(
  { path, keys }: z.core.$ZodIssueUnrecognizedKeys,
  { schema, part, parts, most }: { schema: z.ZodType; part: Part; parts: Parts; most: number },
): Problem[] {
  const known = namesAt(schema, path);
  return keys.slice(0, most).map((key) => {
    const hint =
      (path.length === 0 ? elsewhere(key, part, parts) : null) ??
      inBtc(key, suggestName(key, known)) ??
      within(key, known, schema, path);
    return { path: [...path, key], reason: hint === null ? UNKNOWN : `${UNKNOWN}: did you mean ${hint}?` };
  });
}

/** The field of another part of the request that is meant. */
function elsewhere(key: string, part: Part, parts: Parts): string | null {
  for (const other of ['query', 'body'] as const) {
    const name = other === part ? null : suggestName(key, fieldNames(parts[other]));
    if (name !== null) return other === 'query' ? `${name} in the query, ?${name}=…` : `${name} in the body`;
  }
  return null;
}

/** The field of a list's members that stands beside the list. */
function within(key: string, known: readonly string[], schema: z.ZodType, path: readonly PropertyKey[]): string | null {
  const list = known.find((name) => namesAt(schema, [...path, name, 0]).includes(key));
  return list === undefined ? null : `${list}[].${key}`;
}

/** The alternative that went furthest before it failed is the one that was meant. */
function unionProblem(issue: z.core.$ZodIssueInvalidUnion, part: Part): Problem {
  const { path } = issue;
  if ('input' in issue && issue.input === undefined) return { path, reason: 'is required' };
  const problems = issue.errors.flatMap((alternative) => alternative.slice(0, 1)).map((one) => describe(one, part));
  const depth = Math.max(0, ...problems.map((problem) => problem.path.length));
  const deepest = problems.filter((problem) => problem.path.length === depth);
  if (deepest.length === 0) return { path, reason: issue.message || NO_FORM };
  if (depth > 0) return { path: [...path, ...(deepest[0]?.path ?? [])], reason: deepest[0]?.reason ?? NO_FORM };
  // A union that says itself what it takes.
  return { path, reason: issue.message || alternatives([...new Set(deepest.map((problem) => problem.reason))]) };
}

const NO_FORM = 'is of none of the forms that are taken';
const MUST_BE = 'must be ';

/** "must be a, must be b" in one sentence: must be a or b. */
const alternatives = (reasons: readonly string[]): string =>
  reasons.length > 1 && reasons.every((reason) => reason.startsWith(MUST_BE))
    ? `${MUST_BE}${reasons.map((reason) => reason.slice(MUST_BE.length)).join(', or ')}`
    : reasons.join(', or ');
