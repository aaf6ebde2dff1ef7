/**
 * Templates of notifications: Markdown with typed placeholders such as `{{amount}}`. Each value stands for itself: in HTML escaped, in a
 * link's target percent-encoded, so that no data makes markup.
 */
import { btcProblem } from '../amount.ts';
import { htmlOf, urlSlot } from './markdown.ts';

export const PLACEHOLDER_TYPES = ['text', 'number', 'amount', 'time', 'url'] as const;
export type PlaceholderType = (typeof PLACEHOLDER_TYPES)[number];
export const PLACEHOLDER_NAME = /^[a-z][a-z0-9_]{0,31}$/;

export interface Template {
  readonly subject: string;
  /** Markdown. */
  readonly body: string;
  readonly placeholders: Readonly<Record<string, PlaceholderType>>;
}
export interface Filled {
  readonly subject: string;
  readonly body: string;
  readonly html: string;
}
export interface TemplateProblem {
  readonly field: string;
  readonly reason: string;
}

const MAX_SUBJECT = 200;
const MAX_FILLED = 20_000;
const MAX_TEXT = 1_000;
const MAX_URL = 2_048;
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
/** Stand for values while Markdown is rendered: of a private use area, so that nothing else in the text is one. */
const SLOTS = /[\uE000-\uE002]/;

const namesIn = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

/** null where it holds. */
export function templateProblem({ subject, body, placeholders }: Template): TemplateProblem | null {
  for (const [field, text] of Object.entries({ subject, body })) {
    const unknown = namesIn(text).find((name) => !Object.hasOwn(placeholders, name));
    if (unknown !== undefined) {
      const trimmed = unknown.trim();
      const isSpaced = trimmed !== unknown && Object.hasOwn(placeholders, trimmed);
      const problem = isSpaced ? `: write {{${trimmed}}}` : ', which `placeholders` does not declare';
      return { field, reason: `has {{${unknown}}}${problem}` };
    }
    if (SLOTS.test(text)) return { field, reason: 'must not have characters from U+E000 to U+E002' };
    if (/https?:\/\/[^\s/?#)]*\{\{/i.test(text))
      return { field, reason: 'has a placeholder in the host of a URL: use one of type url for the whole URL' };
  }
  const used = new Set([...namesIn(subject), ...namesIn(body)]);
  const unused = Object.keys(placeholders).find((name) => !used.has(name));
  return unused === undefined
    ? null
    : { field: `placeholders.${unused}`, reason: 'is used neither in subject nor in body' };
}

const shownTime = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The text that a value is shown as; null where it is none of the type. */
const SHOWN: Readonly<Record<PlaceholderType, (value: unknown) => string | null>> = {
  text: (value) =>
    typeof value === 'string' && value.length <= MAX_TEXT && !/[^\P{Cc}\n\t]/u.test(value) && !SLOTS.test(value)
      ? value
      : null,
  number: (value) => (typeof value === 'number' ? String(value) : null),
  amount: (value) => (typeof value === 'string' && btcProblem(value) === null ? value : null),
  time: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))
      ? shownTime(Date.parse(value))
      : null,
  url: (value) =>
    typeof value === 'string' && value.length <= MAX_URL && /^https?:\/\//i.test(value) && URL.canParse(value)
      ? new URL(value).href
      : null,
};
const WANTED: Readonly<Record<PlaceholderType, string>> = {
  text: `a text of at most ${MAX_TEXT} characters`,
  number: 'a number',
  amount: 'a decimal BTC amount such as "0.00150000"',
  time: 'a time such as "2026-11-20T10:00:00Z"',
  url: `an http or https URL of at most ${MAX_URL} characters`,
};

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => ENTITIES[one]!);

/** What the template comes out as with the data, or all that is wrong with that. */
export function fillTemplate(
  template: Template,
  data: Readonly<Record<string, unknown>>,
): Filled | { readonly problems: readonly TemplateProblem[] } {
  const names = Object.keys(template.placeholders);
  const problems = Object.keys(data)
    .filter((name) => !names.includes(name))
    .map((name) => ({ field: `data.${name}`, reason: 'is no placeholder of the template' }));
  const values = new Map<string, string>();
  for (const name of names) {
    const type = template.placeholders[name]!;
    const isGiven = Object.hasOwn(data, name);
    const value = isGiven ? SHOWN[type](data[name]) : null;
    if (value !== null) values.set(name, value);
    else problems.push({ field: `data.${name}`, reason: `${isGiven ? 'must be' : 'is required:'} ${WANTED[type]}` });
  }
  if (problems.length > 0) return { problems };
  const put = (text: string): string => text.replace(PLACEHOLDER, (_, name: string) => values.get(name)!);
  const subject = put(template.subject)
    .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_SUBJECT);
  const body = put(template.body);
  if (body.length > MAX_FILLED)
    return { problems: [{ field: 'data', reason: `makes a text of more than ${MAX_FILLED} characters` }] };
  const slotted = template.body.replace(PLACEHOLDER, (_, name: string) =>
    template.placeholders[name] === 'url' ? urlSlot(names.indexOf(name)) : `\uE000${names.indexOf(name)}\uE002`,
  );
  const valueAt = (at: string): string => values.get(names[Number(at)]!)!;
  const html = htmlOf(slotted)
    .replace(/(?<=href=")%EE%80%81(\d+)%EE%80%82(?=")/g, (_, at: string) => escaped(valueAt(at)))
    .replace(/%EE%80%8[01](\d+)%EE%80%82/g, (_, at: string) => encodeURIComponent(valueAt(at)))
    .replace(/[\uE000\uE001](\d+)\uE002/g, (_, at: string) => escaped(valueAt(at)));
  return { subject, body, html };
}
