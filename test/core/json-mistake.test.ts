import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonMistake, jsonMistake } from '../../src/core/json-mistake.ts';
import { leastRatio } from '../builders/worst/thread-cpu.ts';

/** One by one they take six times as long as a request may hold the thread. */
const MAX_FOR_BLANKS = 2.5;

function mistakeIn(text: string): JsonMistake | null {
  const looking = jsonMistake(text);
  for (;;) {
    const { done, value } = looking.next();
    if (done === true) return value;
  }
}

describe('what is no JSON', () => {
  it.each([
    ['', 1, 1, 'only whitespace'],
    [' \n ', 1, 1, 'only whitespace'],
    ['{ \n ', 1, 2, 'it ends here'],
    ['{"a": [{"b": "x"', 1, 17, 'a comma or }'],
    ['{"a":', 1, 6, 'a value is missing'],
    ['{"a"', 1, 5, 'a colon'],
    ['{"a', 1, 4, 'within a string'],
    ['{"a":1,}', 1, 8, 'comma with nothing after it'],
    ['[1,\n]', 2, 1, 'comma with nothing after it'],
    ['{"a":1,\n "b" 2}', 2, 6, 'a number where a colon'],
    ["{'a': 1}", 1, 2, 'double ones'],
    ['{"a": \'b\'}', 1, 7, 'double ones'],
    ['{"a": tru}', 1, 7, 'tru is not valid in JSON: write true'],
    ['{"a": True}', 1, 7, 'write true'],
    ['{"a": NaN}', 1, 7, 'NaN is not valid in JSON'],
    ['{"a": undefined}', 1, 7, 'undefined is not valid'],
    ['{"a": hunter2}', 1, 7, 'a word is not valid in JSON: a string needs double quotation marks'],
    ['{"a": 01}', 1, 7, 'this is not a JSON number'],
    ['{"a": .5}', 1, 7, 'this is not a JSON number'],
    ['{"a": +1}', 1, 7, 'this is not a JSON number'],
    ['{a: 1}', 1, 2, 'a word where a field name in double'],
    ['{"a": 1 // one\n}', 1, 9, '/ where a comma or }'],
    ['{ // one\n"a": 1}', 1, 3, 'no comments'],
    ['{"a": /* one */ 1}', 1, 7, 'no comments'],
    ['{"a":1}{"b":2}', 1, 8, 'after the end'],
    ['\ufeff{"a":1}}', 1, 8, 'after the end'],
    ['{"a":1 "b":2}', 1, 8, 'text where a comma or }'],
    ['[1 2]', 1, 4, 'a number where a comma or ]'],
    ['[1}', 1, 3, '} where a comma or ]'],
    ['{"a"}', 1, 5, '} where a colon'],
    ['{"a":}', 1, 6, 'a value is missing before }'],
    ['{,}', 1, 2, ', where a field name'],
    ['"a\nb"', 1, 3, 'control character'],
    ['"a\\q"', 1, 3, 'escape'],
    ['"\\u12"', 1, 2, 'escape'],
    ['}', 1, 1, 'a value is missing before }'],
    [`[${'1'.repeat(100)}.5e7,]`, 1, 107, 'comma with nothing'],
    ['{"a": "b", "c"', 1, 15, 'a colon'],
  ])('%j: line %i, column %i', (text, line, column, what) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(mistakeIn(text)).toEqual({ place: `line ${line}, column ${column}`, what: expect.stringContaining(what) });
  });

  it('is what JSON.parse refuses, and nothing else', () => {
    const tokens = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      '-',
      '0.5',
      'true',
      'nul',
      ' ',
      '\n',
      '"\\',
      'e',
      "'",
      '\\u',
    ];
    const texts = fc.oneof(
      fc.array(fc.constantFrom(...tokens), { maxLength: 12 }).map((parts) => parts.join('')),
      fc.json().chain((text) => fc.nat(text.length).map((at) => text.slice(0, at))),
      fc.json(),
    );
    const parses = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(texts, (text) => (mistakeIn(text) === null) === parses(text)),
      { numRuns: 2_000 },
    );
  });

  it('is found in a megabyte of anything, with stops', () => {
    for (const [part, end] of [
      ['[', ''],
      ['1,', ''],
      ['"a":1,', ''],
      ['\\n', ''],
    ] as const) {
      const text = `${part === '"a":1,' ? '{' : part === '\\n' ? '"' : '['}${part.repeat(200_000)}${end}`;
      let stops = 0;
      for (const looking = jsonMistake(text); !looking.next().done; stops++);
      expect(stops, part).toBeGreaterThanOrEqual(part === '\\n' ? 0 : 9);
    }
  });

  it.each([
    '\n',
    ' ',
    ' \r',
  ])('is found behind 10 MiB of %j as fast as they are passed over, with stops', async (part) => {
    const text = `${part.repeat((10 << 20) / part.length)}x`;
    const ratio = await leastRatio(() => {
      let stops = 0;
      const looking = jsonMistake(text);
      let step = looking.next();
      for (; step.done !== true; step = looking.next()) stops++;
      expect(step.value).toMatchObject({ place: 'character 10485761', what: expect.stringContaining('a word') });
      expect(stops).toBeGreaterThanOrEqual(4);
    }, MAX_FOR_BLANKS);
    expect(ratio).toBeLessThanOrEqual(MAX_FOR_BLANKS);
  });

  it('is placed by its line as far as lines are counted', () => {
    expect(mistakeIn(`${'\n'.repeat((1 << 20) - 1)}x`)).toMatchObject({ place: `line ${1 << 20}, column 1` });
    expect(mistakeIn(`${'\n'.repeat((1 << 20) + 1)}x`)).toMatchObject({ place: `character ${(1 << 20) + 2}` });
  });
});
