/** Lists and texts beyond their bounds are cut before they are checked: what is refused for its length need not be gone through. */
import type { JsonSchema } from './wire-schema.ts';

/** Refused as the whole is: the list still has a member too many, the text a character. */
export function truncated(value: unknown, schema: JsonSchema): unknown {
  const forms = ((schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined) ?? [schema];
  if (typeof value === 'string') {
    const most = bound(forms, 'string', 'maxLength');
    return value.length > most ? cut(value, most) : value;
  }
  if (Array.isArray(value)) {
    const most = bound(forms, 'array', 'maxItems');
    const items = forms.find(({ type }) => type === 'array')?.items as JsonSchema | undefined;
    const kept = value.length > most ? value.slice(0, most + 1) : value;
    if (items === undefined) return kept;
    const members = kept.map((one) => truncated(one, items));
    return members.some((one, at) => one !== kept[at]) ? members : kept;
  }
  const form = forms.find(({ type, properties }) => type === 'object' && properties !== undefined);
  if (typeof value !== 'object' || value === null || form === undefined || forms.length > 1) return value;
  const properties = form.properties as Readonly<Record<string, JsonSchema>>;
  // A copy only where something is cut: there may be tens of thousands.
  let kept = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(value)) {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const one = kept[name];
    const cut = member === undefined ? one : truncated(one, member);
    if (cut !== one) kept = { ...kept, [name]: cut };
  }
  return kept;
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
