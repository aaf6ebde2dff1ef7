import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, canonicalSteps } from '../../../src/core/audit-log/canonical-json.ts';

/** RFC 8785, word for word. */
function byTheBook(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(byTheBook).join(',')}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${byTheBook((value as Record<string, unknown>)[name])}`).join(',')}}`;
}

it('sorts members by UTF-16 code units: digits and __proto__, too', () => {
  const text = '{"9":1,"10":2,"__proto__":3,"a":[],"A":{},"":-0,"\\ud83d\\ude00":4,"\\ufb33":5}';
  expect(canonicalJson(JSON.parse(text))).toBe('{"":0,"10":2,"9":1,"A":{},"__proto__":3,"a":[],"😀":4,"\ufb33":5}');
});

it('writes any value so, at once and in steps', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value = JSON.parse(text);
      const steps = canonicalSteps(value);
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      expect([canonicalJson(value), step.value]).toEqual([byTheBook(value), byTheBook(value)]);
    }),
  );
});
