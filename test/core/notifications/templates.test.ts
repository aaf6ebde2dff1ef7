/** Templates: each value stands for itself, wherever in the Markdown it is. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlOf, MAX_BODY } from '../../../src/core/notifications/markdown.ts';
import { fillTemplate, type PlaceholderType, templateProblem } from '../../../src/core/notifications/templates.ts';

const fill = (
  body: string,
  placeholders: Record<string, PlaceholderType>,
  data: Record<string, unknown>,
  subject = 's',
) => fillTemplate({ subject, body, placeholders }, data) as { subject: string; body: string; html: string };

describe('a template', () => {
  it('puts values into text, links and code, escaped as each takes it', () => {
    const { html, body, subject } = fill(
      '**{{a}}** `{{a}}` [{{a}}](https://x/{{a}}?q={{n}} "{{a}}") [pay]({{u}}) {{u}} {{t}} {{b}}',
      { a: 'text', n: 'number', u: 'url', t: 'time', b: 'amount' },
      { a: '<i>"*&\n', n: 7, u: 'https://pay/?a&b', t: '2026-11-20T10:00:00.5Z', b: '0.00150000' },
      'Of {{a}}',
    );
    expect(html).toBe(
      '<p><strong>&lt;i&gt;&quot;*&amp;\n</strong> <code>&lt;i&gt;&quot;*&amp;\n</code> ' +
        '<a href="https://x/%3Ci%3E%22*%26%0A?q=7" title="&lt;i&gt;&quot;*&amp;\n" rel="noopener noreferrer nofollow">&lt;i&gt;&quot;*&amp;\n</a> ' +
        '<a href="https://pay/?a&amp;b" rel="noopener noreferrer nofollow">pay</a> https://pay/?a&amp;b 2026-11-20 10:00 UTC 0.00150000</p>\n',
    );
    expect(body).toContain('**<i>"*&\n**');
    expect(subject).toBe('Of <i>"*&');
  });

  it('makes no markup of any data', () => {
    const tags = (html: string) => html.match(/<[^>]*?(?=[\s>])/g);
    const template = '# {{a}}\n\n- {{a}} *{{a}}*\n\n[{{a}}](https://x/{{a}} "{{a}}")\n\n```{{a}}\n{{a}}\n```\n';
    const plain = tags(fill(template, { a: 'text' }, { a: 'x' }).html);
    const hostile = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('<script>', '](javascript:x)', '"><img src=x>', '{{a}}'),
    );
    fc.assert(
      fc.property(hostile, (a) => {
        const made = fillTemplate({ subject: 's', body: template, placeholders: { a: 'text' } }, { a });
        if (!('problems' in made)) expect(tags(made.html)).toEqual(plain);
      }),
    );
  });

  it('names what is wrong with it, or with the data', () => {
    const problem = (body: string, placeholders: Record<string, PlaceholderType> = { a: 'text' }) =>
      templateProblem({ subject: 's', body, placeholders })?.field;
    expect(problem('{{a}}')).toBeUndefined();
    expect([problem('{{b}} {{a}}'), problem('{{ a }}'), problem('x')]).toEqual(['body', 'body', 'placeholders.a']);
    const spaced = templateProblem({ subject: '{{ a }}', body: '{{a}}', placeholders: { a: 'text' } });
    expect(spaced?.reason).toBe('has {{ a }}: write {{a}}');
    expect([problem('[x](https://{{a}}/)'), problem('{{a}}\uE000'), problem('{{constructor}} {{a}}')]).toEqual([
      'body',
      'body',
      'body',
    ]);
    for (const [type, wrong] of [
      ['text', 7],
      ['text', 'a\u0007'],
      ['number', '7'],
      ['amount', '1e3'],
      ['time', 'tomorrow'],
      ['url', 'javascript:alert(1)'],
    ] as const)
      expect(fill('{{a}}', { a: type }, { a: wrong }), `${type} ${wrong}`).toEqual({
        problems: [{ field: 'data.a', reason: expect.stringMatching(/^must be an? /) }],
      });
    expect(fill('{{a}} {{n}}', { a: 'url', n: 'number' }, { n: 'x', b: 1 })).toEqual({
      problems: [
        { field: 'data.b', reason: 'is no placeholder of the template' },
        { field: 'data.a', reason: 'is required: an http or https URL of at most 2048 characters' },
        { field: 'data.n', reason: 'must be a number' },
      ],
    });
    expect(fill('{{a}}'.repeat(30), { a: 'text' }, { a: 'x'.repeat(1_000) })).toMatchObject({
      problems: [{ field: 'data' }],
    });
  });
});

describe('Markdown', () => {
  it('comes out at most a few times as long as it is, whatever it is', () => {
    for (const text of ['|a', '[', '![', '> ', '*a', '&', '<', '[a]: b\n', '[a](b)'])
      expect(htmlOf(text.repeat(MAX_BODY / text.length)).length, text).toBeLessThan(30 * MAX_BODY);
    expect(htmlOf('[a](data:text/html,x) [b](//x) [c](JaVaScRiPt:x) <https://a/> <x:y>')).toBe(
      '<p>[a](data:text/html,x) [b](//x) [c](JaVaScRiPt:x) <a href="https://a/" rel="noopener noreferrer nofollow">https://a/</a> &lt;x:y&gt;</p>\n',
    );
  });
});
