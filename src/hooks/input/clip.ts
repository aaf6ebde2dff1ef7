/** Lists and texts beyond their bounds are cut before they are checked: what is refused for its length need not be gone through. */
import type { JsonSchema } from './wire-schema.ts';

/** Refused as the whole is: the list still has a member too many, the text a character. */
export function clipped(value: unknown, schema: JsonSchema): unknown {
  const forms = ((schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined) ?? [schema];
  if (typeof value === 'string') {
    const most = bound(forms, 'string', 'maxLength');
    return value.length > most ? cut(value, most) : value;
  }
  if (Array.isArray(value)) {
    const most = bound(forms, 'array', 'maxItems');
    const items = forms.find(({ type }) => type === 'array')?.items as JsonSchema | undefined;
    const kept = value.length > most ? value.slice(0, most + 1) : value;
    return items === undefined ? kept : kept.map((one) => clipped(one, items));
  }
  const form = forms.find(({ type, properties }) => type === 'object' && properties !== undefined);
  if (typeof value !== 'object' || value === null || form === undefined || forms.length > 1) return value;
  const properties = form.properties as Readonly<Record<string, JsonSchema>>;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, member === undefined ? one : clipped(one, member)];
    }),
  );
}

/** One character too many, with or without the blanks around it: many fields are trimmed before their length is looked at. */
function cut(text: string, most: number): string {
  const trimmed = text.trim();
  return trimmed.length > most ? `${trimmed.slice(0, most)}${trimmed.at(-1)}` : text;
}

/** Infinite where one of the alternatives has none. */
const bound = (forms: readonly JsonSchema[], type: string, keyword: string): number =>
  Math.max(
    ...forms.map((form) =>
      form.type === undefined || form.type === type ? ((form[keyword] as number) ?? Number.POSITIVE_INFINITY) : 0,
    ),
  );
