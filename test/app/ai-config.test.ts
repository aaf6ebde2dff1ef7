/** AI_CONFIG: what a file says, and what is said of a wrong one. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAiConfig } from '../../src/config/ai.ts';

const GOOD = `
upstreams:
  - name: local
    base_url: http://127.0.0.1:8000/v1
    models:
      - { name: llama-a, upstream_name: meta/Llama, context_length: 8192, aliases: [llama] }
      - { name: embed-a, upstream_name: bge, embeddings: true }
    max_concurrent: 4
    may_see_records: true
  - name: vendor
    base_url: https://api.example.com/v1
    api_key_file: keys/vendor
    models:
      - name: gpt
        max_tokens_field: max_completion_tokens
        price: { input_per_million: "0.15", output_per_million: "12" }
      - { name: embed-b, upstream_name: bge, embeddings: true }
    timeouts: { first_byte_s: 2.5 }
routes:
  - model: chat
    targets: [{ model: llama-a, weight: 3 }, { model: gpt, weight: 1 }, { model: gpt }]
  - { model: embed, targets: [{ model: embed-a }, { model: embed-b }] }
`;

const problemsOf = (content: string) =>
  (parseAiConfig('/etc/ai.yaml', content).problems ?? []).map((one) => one.replace('AI_CONFIG /etc/ai.yaml, ', ''));
const changed = (from: string | RegExp, to: string) => {
  expect(GOOD).toMatch(from);
  return problemsOf(GOOD.replace(from, to));
};

describe('AI_CONFIG', () => {
  it('is read with its defaults, money in millionths, paths of its folder, weights as steps; JSON is the same', () => {
    const { config } = parseAiConfig('/etc/ai.yaml', GOOD);
    expect(config).toMatchObject({
      upstreams: [
        {
          ...{ name: 'local', apiKeyFile: null, maxConcurrent: 4, maySeeRecords: true },
          models: [
            { id: 'llama-a', upstreamModel: 'meta/Llama', contextLength: 8192, aliases: ['llama'], price: null },
            { id: 'embed-a', embeddings: true },
          ],
          timeouts: { connectMs: 5_000, firstByteMs: 60_000, silenceMs: 30_000, placeMs: 10_000 },
        },
        {
          ...{ apiKeyFile: '/etc/keys/vendor', maxConcurrent: 16, maySeeRecords: false },
          models: [
            {
              ...{ upstreamModel: 'gpt', contextLength: null, maxTokensField: 'max_completion_tokens' },
              price: { inputPerMillion: 150_000n, outputPerMillion: 12_000_000n },
            },
            {},
          ],
          timeouts: { firstByteMs: 2_500 },
        },
      ],
      routes: [
        {
          id: 'chat',
          steps: [
            [
              { model: 'llama-a', weight: 3 },
              { model: 'gpt', weight: 1 },
            ],
            [{ model: 'gpt', weight: 1 }],
          ],
        },
        { id: 'embed' },
      ],
      retries: { rounds: 1, longestWaitMs: 10_000 },
    });
    const json = '{"upstreams": [{"name": "a", "base_url": "http://a/v1", "models": [{"name": "m"}]}]}';
    expect(parseAiConfig('ai.json', json).config?.upstreams[0]?.models[0]?.id).toBe('m');
  });

  it.each<[string, string | RegExp, string, string]>([
    [
      'a model twice',
      'aliases: [llama]',
      'aliases: [gpt]',
      "line 14: upstreams[1].models[0].name must be the id of one model: gpt is another's, too",
    ],
    [
      "a route of a model's id",
      'model: chat',
      'model: gpt',
      "line 20: routes[0].model must be the id of one model: gpt is another's, too",
    ],
    [
      "the guide's name",
      'aliases: [llama]',
      'aliases: [ashlar-guide]',
      'line 6: upstreams[0].models[0].aliases[0] must not be ashlar-guide, which the service answers itself',
    ],
    [
      'two upstreams of a name',
      'name: vendor',
      'name: local',
      "line 10: upstreams[1].name must be the name of one upstream: local is another's, too",
    ],
    [
      'a target that is none',
      'model: embed-a }',
      'model: embed-c }',
      'line 22: routes[1].targets[0].model must be the name of a model of an upstream',
    ],
    [
      'vectors that do not compare',
      'embed-b, upstream_name: bge',
      'embed-b, upstream_name: other',
      'line 22: routes[1].targets must be one model on several upstreams where it makes embeddings: those of others do not compare',
    ],
    [
      'a price that is a number',
      '"0.15"',
      '0.15',
      'line 16: upstreams[1].models[0].price.input_per_million must be US dollars in quotes, with at most 6 decimals, such as "0.15"',
    ],
    [
      'a key in the file',
      'api_key_file: keys/vendor',
      'api_key: sk-hunter2',
      'line 12: upstreams[1].api_key is no field: put the key into a file that only its owner may read, and name that as api_key_file',
    ],
    [
      'credentials in a URL',
      'https://api',
      'https://me:hunter2@api',
      'line 11: upstreams[1].base_url must be a URL such as http://127.0.0.1:8000/v1, without user, password, query and fragment',
    ],
    [
      'a field that is misspelt',
      'max_concurrent',
      'max_concurrency',
      'line 8: upstreams[0].max_concurrency is no field: there are name, base_url, api_key_file, models, timeouts, max_concurrent, may_see_records',
    ],
    [
      'a number that is too large',
      'max_concurrent: 4',
      'max_concurrent: 4000',
      'line 8: upstreams[0].max_concurrent must be a whole number from 1 to 1000',
    ],
    [
      'a key twice',
      'max_concurrent: 4',
      'may_see_records: false',
      'line 9: must be YAML or JSON: Map keys must be unique',
    ],
    ['no YAML', 'name: local', 'name: [', ''],
  ])('refuses %s, with its line and what would be right', (_, from, to, says) => {
    const problems = changed(from, to);
    expect(problems[0]).toMatch(/^line \d+: /);
    if (says !== '') expect(problems).toEqual([says]);
    expect(problems.join()).not.toContain('hunter2');
  });

  it('refuses what is no such file, and many things at once', () => {
    expect(problemsOf('')).toEqual(['line 1: the file must hold upstreams, routes, retries']);
    expect(problemsOf('upstreams: []')).toEqual(['line 1: upstreams must be a list of 1 to 64']);
    const bomb = [
      'a: &a [x]',
      ...'bcdefghij'.split('').map((at, of) => `${at}: &${at} [${`*${'abcdefghi'[of]},`.repeat(9)}]`),
    ];
    expect(problemsOf(bomb.join('\n'))).toHaveLength(1);
    expect(problemsOf(GOOD.replaceAll('name:', 'nome:'))).toHaveLength(12);
    expect(problemsOf('x'.repeat(2 ** 21))[0]).toContain('must be at most 1 MiB');
  });

  it('is as docs/ai.md shows it', () => {
    const page = readFileSync(new URL('../../docs/ai.md', import.meta.url), 'utf8');
    const [, example = ''] = /```yaml\n(upstreams:[^`]+)```/.exec(page) ?? [];
    expect(parseAiConfig('ai.yaml', example).problems).toBeUndefined();
  });
});
