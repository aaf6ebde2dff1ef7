/** What a request is told where its schema has no sentence of its own: in our words, not the library's. */
import type { z } from 'zod';
import { fieldNames, isSchema } from './field-names.ts';
import { suggestName } from './suggest-name.ts';

type Issue = z.core.$ZodRawIssue;

/** An error map of zod's. A union is told by its alternatives (validation.ts): it has no text here. */
export function issueText(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeText(issue);
    case 'invalid_value':
      return valueText(issue);
    case 'too_small':
      return bound(issue, issue.minimum, issue.exact ? 'exactly' : issue.inclusive ? 'at least' : 'above');
    case 'too_big':
      return bound(issue, issue.maximum, issue.exact ? 'exactly' : issue.inclusive ? 'at most' : 'below');
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return formatText(issue);
    case 'invalid_key':
      return 'has a name that is not taken there';
    case 'invalid_union':
      return '';
    default:
      return 'is not valid';
  }
}

/** What stands without quotation marks in JSON. */
const BARE: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function typeText({ expected, input, inst }: Extract<Issue, { code: 'invalid_type' }>): string {
  // Of what is no number at all, zod's int says number.
  const whole = expected === 'number' && (inst as { isInt?: boolean } | undefined)?.isInt === true;
  const bare = BARE[whole ? 'int' : expected];
  if (bare !== undefined) return `must be ${bare}${typeof input === 'string' ? ', without quotation marks' : ''}`;
  if (expected === 'never') return 'is not taken here';
  const name = expected === 'record' ? 'object' : expected;
  // Amounts, mostly: a JSON number would be read as a double.
  const hint = expected === 'string' && typeof input === 'number' ? ': put the number in quotation marks' : '';
  return `must be ${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}${hint}${expected === 'array' ? membersText(inst) : ''}`;
}

/** Of more names nobody learns what a member is. */
const MAX_NAMES = 6;

/** Of an array of objects: what a member looks like. */
function membersText(array: unknown): string {
  const { element } = (array ?? {}) as { element?: unknown };
  const names = isSchema(element) ? [...new Set(fieldNames(element))] : [];
  if (names.length === 0) return '';
  return ` of objects {${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ', …' : ''}}`;
}

export const choicesOf = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(' or ');

function valueText({ values, input }: Extract<Issue, { code: 'invalid_value' }>): string {
  const choices = choicesOf(values);
  const names = values.filter((value) => typeof value === 'string');
  const near = typeof input === 'string' ? suggestName(input, names) : null;
  return `must be ${choices}${near === null ? '' : `: did you mean ${JSON.stringify(near)}?`}`;
}

function bound({ origin }: { origin: string }, limit: number | bigint, which: string): string {
  const what = { string: 'character', array: 'member', set: 'member', map: 'member' }[origin];
  if (what === undefined) return `must be ${which} ${limit}`;
  if (which === 'at least' && Number(limit) === 1) return 'must not be empty';
  return `must have ${which} ${limit} ${what}${Number(limit) === 1 ? '' : 's'}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'a time such as 2030-01-01T00:00:00Z',
  date: 'a date such as 2030-01-01',
  url: 'a URL such as https://example.org/hook',
  email: 'an e-mail address',
  base64: 'base64',
  base64url: 'base64url',
};

function formatText(issue: Extract<Issue, { code: 'invalid_format' }>): string {
  const { pattern } = issue as { pattern?: unknown };
  const form = FORMATS[issue.format];
  if (form !== undefined) return `must be ${form}`;
  return pattern === undefined ? 'is not of its form' : `must be of the form ${pattern}`;
}
