/** No secret leaves with a request, wherever it stands in it and however it is split, nor comes with an answer. */
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import type { Backend, Call } from '../../../src/core/inference/backend.ts';
import type { ChatPiece, ChatRequest } from '../../../src/core/inference/chat.ts';
import { findInParts } from '../../../src/core/inference/guard/find-in-parts.ts';
import { createGuard, guarded, type SecretsPolicy } from '../../../src/services/inference/guard.ts';

const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const wif = 'KwTNVQ9B4wXUfnTF6e1EQkTHJwbzeFGYyK7NdopxuJjQYvQkAxtA';
const key = `ak_Zk81mQxT_q7RkT2mVx9LdPz4HsNwYb6JcGf3Ea8UoKi5MtXhSvQe`;
const card = '4111111111111111';
const call: Call = {
  accountId: 'acc_1' as AccountId,
  signal: new AbortController().signal,
  answeredBy: () => {},
};

/** What an upstream was sent, and what it answers. */
function world(policy: SecretsPolicy, answer: readonly ChatPiece[] = [{ content: 'fine' }, { finish: 'stop' }]) {
  const sent: string[] = [];
  const backend: Backend = {
    models: () => [],
    degraded: () => [],
    async *chat(request) {
      sent.push(JSON.stringify(request));
      yield* answer;
    },
    async embed(_model, inputs) {
      sent.push(JSON.stringify(inputs));
      return { vectors: [], promptTokens: 1 };
    },
  };
  const guard = createGuard({
    policy,
    computing: { run: async (_name, given) => findInParts(given as Parameters<typeof findInParts>[0]) as never },
  });
  const registry = new Registry();
  guard.series(registry);
  const safe = guarded(backend, guard);
  const ask = async (request: Partial<ChatRequest>) => {
    const pieces: ChatPiece[] = [];
    const whole: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'hello' }], tools: [], ...request };
    for await (const piece of safe.chat(whole, call)) pieces.push(piece);
    return pieces;
  };
  return { ask, safe, sent, metrics: () => registry.metrics() };
}

const user = (...contents: string[]): Partial<ChatRequest> => ({
  messages: contents.map((content) => ({ role: 'user', content })),
});
const words = phrase.split(' ');
const b64 = (text: string) => Buffer.from(text).toString('base64');
const tool = (more: object) => ({ name: 'pay', description: 'Pays', parameters: { type: 'object' }, ...more });

const SPLITS: readonly (readonly [field: string, request: Partial<ChatRequest>])[] = [
  ['messages[0].content', user(`my words: ${phrase}`)],
  ['messages[1].content', user('hello', `is ${wif} mine?`)],
  ['messages[1].content', user(words.slice(0, 5).join(' '), words.slice(5).join(' '))],
  ['messages[5].content', user(...words)],
  ['messages[0].content', user(phrase.slice(0, 50), phrase.slice(50))],
  ['messages[0].content', user(wif.slice(0, 30), wif.slice(30, 41), wif.slice(41))],
  ['messages[0].content', user(...wif)],
  ['messages[1].content', user('private key:', 'ab'.repeat(32))],
  ['messages[0].content', user(b64(phrase).slice(0, 60), b64(phrase).slice(60))],
  ['messages[0].content', user('4111 1111', '1111 1111')],
  [
    'messages[2].content',
    {
      messages: [
        { role: 'user', content: words.slice(0, 6).join(' ') },
        { role: 'assistant', content: 'Thank you, go on please.' },
        { role: 'user', content: words.slice(6).join(' ') },
      ],
    },
  ],
  ['messages[0].content', { messages: [{ role: 'system', content: `use ${key}` }] }],
  ['messages[0].content', { messages: [{ role: 'tool', content: JSON.stringify({ wif }), toolCallId: 'c1' }] }],
  ['messages[0].name', { messages: [{ role: 'user', content: '', name: key }] }],
  ['messages[0].tool_call_id', { messages: [{ role: 'tool', content: '', toolCallId: wif }] }],
  ...(['id', 'function.name', 'function.arguments'] as const).map((field) => {
    const named = { id: 'c1', name: 'pay', arguments: '{}' };
    const toolCall = { ...named, [field.replace('function.', '')]: JSON.stringify({ wif }) };
    return [
      `messages[0].tool_calls[0].${field}`,
      { messages: [{ role: 'assistant', content: '', toolCalls: [toolCall] }] },
    ] as const;
  }),
  ['tools[0].function.name', { tools: [tool({ name: key })] }],
  ['tools[0].function.description', { tools: [tool({ description: `Pays from ${phrase}` })] }],
  ['tools[0].function.parameters', { tools: [tool({ parameters: { enum: [{ const: phrase.split(' ') }] } })] }],
  ['tools[0].function.parameters', { tools: [tool({ parameters: { properties: { [wif]: { default: 1 } } } })] }],
  ['tools[0].function.parameters', { tools: [tool({ parameters: { const: Number(card) } })] }],
  ['stop[1]', { stop: ['\n', wif] }],
  [
    'response_format.json_schema.schema',
    { responseFormat: { type: 'json_schema', name: 'a', strict: true, schema: { description: b64(wif) } } },
  ],
  [
    'response_format.json_schema.name',
    { responseFormat: { type: 'json_schema', name: key, strict: true, schema: {} } },
  ],
  ['tool_choice.function.name', { toolChoice: { name: key } }],
];

describe('a prompt', () => {
  it('with a secret is refused by the field that has most of it, without the secret', async () => {
    const { ask, sent, metrics } = world('refuse');
    for (const [field, request] of SPLITS) {
      const refused = await ask(request).then(
        () => ({ field: 'none' }),
        (error) => ({
          code: error.code,
          field: error.details.field,
          message: error.message,
          all: JSON.stringify(error),
        }),
      );
      expect(refused).toMatchObject({ field, code: 'invalid_value' });
      for (const secret of [phrase, wif, key, card]) expect(JSON.stringify(refused)).not.toContain(secret);
    }
    expect(sent).toEqual([]);
    expect(await metrics()).toMatch(/ashlar_inference_secrets_total\{kind="BIP39 phrase",where="prompt"\} \d/);
  });

  it('with a secret leaves redacted by policy, but for names, which would mean nothing', async () => {
    for (const [field, request] of SPLITS) {
      const { ask, sent } = world('redact');
      const refused = await ask(request).then(
        () => false,
        (error) => error.code === 'invalid_value',
      );
      expect([field, refused]).toEqual([field, /name$|id$/.test(field)]);
      const left = sent.join('');
      for (const secret of [wif, key, card, b64(wif), words.slice(0, 4).join(' '), words.slice(8).join(' ')]) {
        expect(left).not.toContain(secret);
      }
      if (!refused) expect(left).toContain('[redacted: ');
    }
  });

  it('without a secret leaves as it is, also to be embedded', async () => {
    const { ask, safe, sent } = world('refuse');
    const request = { ...user('Why is this stuck?', 'ab'.repeat(32)), tools: [tool({})], stop: ['\n'] };
    await ask(request);
    expect(JSON.parse(sent[0] as string)).toEqual({ model: 'm', ...request });
    await safe.embed?.('m', ['one', 'two'], call);
    expect(sent[1]).toBe('["one","two"]');
    await expect(safe.embed?.('m', ['one', phrase], call)).rejects.toMatchObject({ details: { field: 'input[1]' } });
    expect(sent).toHaveLength(2);
  });
});

describe('an answer', () => {
  const content = (pieces: readonly ChatPiece[]) => pieces.map((one) => ('content' in one ? one.content : '')).join('');

  it('loses its secrets across the borders of its pieces, and says the rest before it finishes', async () => {
    for (const secret of [phrase, wif, key, b64(phrase), '4111 1111 1111 1111']) {
      for (let size = 1; size < 12; size += 3) {
        const text = `Take ${secret} and run`;
        const pieces = text.match(new RegExp(`.{1,${size}}`, 'g'))?.map((one): ChatPiece => ({ content: one })) ?? [];
        const answer = await world('refuse', [...pieces, { finish: 'stop' }]).ask({});
        expect(content(answer)).toMatch(/^Take \[redacted: [^\]]+\] and run$/);
        expect(answer.at(-1)).toEqual({ finish: 'stop' });
      }
    }
  });

  it("loses those of its tools' arguments, which stay JSON", async () => {
    const texts = [{ memo: `the ${phrase}` }, { card: Number(card), words }];
    const pieces = texts.flatMap((value, index): ChatPiece[] => [
      { toolCall: { index, id: `c${index}`, name: 'pay', arguments: '' } },
      ...[...JSON.stringify(value)].map((one): ChatPiece => ({ toolCall: { index, arguments: one } })),
    ]);
    const { ask, metrics } = world('refuse', [...pieces, { finish: 'tool_calls' }]);
    const answer = await ask({});
    const told = [0, 1].map((index) =>
      JSON.parse(
        answer.map((one) => ('toolCall' in one && one.toolCall.index === index ? one.toolCall.arguments : '')).join(''),
      ),
    );
    expect(told[0]).toEqual({ memo: 'the [redacted: BIP39 phrase]' });
    expect(told[1].card).toBe('[redacted: card number]');
    expect(JSON.stringify(told)).not.toContain('sausage');
    expect(answer.at(-1)).toEqual({ finish: 'tool_calls' });
    expect(await metrics()).toMatch(/where="answer"\} \d/);
  });
});
