import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonProblem, jsonProblemInSlices } from '../../src/core/json-text.ts';
import { leastRatio } from '../builders/worst/thread-cpu.ts';

/** Stopping after each of them takes several times as long as a request may hold the thread. */
const MAX_FOR_BLANKS = 2.5;

describe('a JSON text', () => {
  it('is taken whatever its values are, as JSON.stringify writes them', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', maxDepth: 20 },
        fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null)),
        fc.array(tie('tree')),
        fc.dictionary(text, tie('tree')),
      ),
    }));
    fc.assert(fc.property(tree, (value) => jsonProblem(JSON.stringify(value)) === null));
  });

  it.each([
    ['{"a":1,"a":2}', /field a twice/],
    ['[{"b":{"a":1},"a":"b","\\u0061":2}]', /field a twice/],
    ['{"a":{"a":{"a":1}},"a":1}', /field a twice/],
    ['"\\u0000"', /NUL/],
    ['{"\\u0000":1}', /NUL/],
    ['"\\ud800x"', /surrogate/],
    ['["\\udfff"]', /surrogate/],
    ['"\\ud83dx\\ude00"', /surrogate/],
    ['"\\ud83d\\u0041"', /surrogate/],
    [`[${'0,'.repeat(50_000)}0]`, /more than 50000 values/],
    [`{${Array.from({ length: 4_001 }, (_, i) => `"k${i}":0`).join()}}`, /more than 4000 different field names/],
    [`"${'\\/'.repeat(100_001)}"`, /more than 100000 escapes/],
    [`{"${'a'.repeat(1_001)}":0}`, /name of more than 1000 characters/],
    [`${'['.repeat(33)}${']'.repeat(33)}`, /deeper than 32/],
    [`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, /deeper than 32/],
  ])('%# is refused', (text, problem) => expect(jsonProblem(text)).toMatch(problem));

  it.each([
    '{"a":"a","b":"a"}',
    '[{"a":1},{"a":1}]',
    '["a","a"]',
    '"\\\\ud800"',
    '["\\\\","\\"",{"a":"\\\\\\""}]',
    `{"${'a'.repeat(1_000)}":"${'\\/'.repeat(100_000)}"}`,
    '"\\\\u0000"',
    '"\\ud83d\\ude00"',
    '{"a":["b",{"b":1}],"b":1}',
  ])('%# is taken', (text) => expect(jsonProblem(text)).toBeNull());

  it.each(['\n', ' '])('is looked at behind 10 MiB of %j as fast as they are passed over, with stops', async (part) => {
    const text = `${part.repeat(10 << 20)}{}`;
    const ratio = await leastRatio(() => {
      let stops = 0;
      for (const looking = jsonProblemInSlices(text); !looking.next().done; stops++);
      expect(stops).toBeGreaterThanOrEqual(4);
    }, MAX_FOR_BLANKS);
    expect(ratio).toBeLessThanOrEqual(MAX_FOR_BLANKS);
  });
});
