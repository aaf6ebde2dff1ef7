/** The guide as a model: which message counts, how it ends, and what it refuses. */
import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../../../src/core/ids.ts';
import type { ChatMessage, ChatPiece, ChatRequest } from '../../../../src/core/inference/chat.ts';
import { estimateTokens } from '../../../../src/core/inference/estimate-tokens.ts';
import type { Section } from '../../../../src/core/inference/guide/documented.ts';
import { makePages } from '../../../../src/families/service/documentation/make-pages.ts';
import { createGuide } from '../../../../src/services/inference/guide/guide.ts';
import { createGuideBackend } from '../../../../src/services/inference/guide/guide-backend.ts';

const chain = { network: 'regtest', height: null, problem: 'the chain source does not answer' };
const guide = createGuide({
  version: '0.0.0',
  readiness: { check: async () => ({ chain }) as never },
  async sections() {
    const { sections } = await makePages({ group: 'sections' });
    return JSON.parse(new TextDecoder().decode(sections)) as Section[];
  },
});
const backend = createGuideBackend(guide, 1_796_000_000_000);

const user = (content: string): ChatMessage => ({ role: 'user', content });
const QUESTION = "my webhook signature doesn't verify";
const RIGHT = '[Webhooks › Verify](/docs/webhooks#verify)';

async function piecesOf(request: Partial<ChatRequest>, signal = new AbortController().signal): Promise<ChatPiece[]> {
  const call = { accountId: 'acc_a' as string as AccountId, signal, answeredBy: () => {} };
  const asked = { model: 'ashlar-guide', messages: [user(QUESTION)], tools: [], ...request };
  const pieces: ChatPiece[] = [];
  for await (const piece of backend.chat(asked, call)) pieces.push(piece);
  return pieces;
}
async function said(request: Partial<ChatRequest> = {}): Promise<{ text: string; finish: unknown }> {
  const pieces = await piecesOf(request);
  const text = pieces.map((piece) => ('content' in piece ? piece.content : '')).join('');
  return { text, finish: pieces.at(-2) };
}

it('says what it is, whose it is, and how the service stands', async () => {
  expect(backend.models()).toMatchObject([
    { id: 'ashlar-guide', ownedBy: 'ashlar', maySeeRecords: false, price: null },
  ]);
  const { text, finish } = await said();
  expect(text.startsWith(RIGHT)).toBe(true);
  expect(text).toContain('Now: Ashlar 0.0.0, network regtest, the chain source does not answer.');
  expect(text).toContain('`ashlar-guide` is a search, not a language model');
  expect(finish).toEqual({ finish: 'stop' });
});

describe('of many messages', () => {
  it('the last of the user counts, whoever spoke after it', async () => {
    const before = [user('how do I run my own oracle?'), { role: 'assistant' as const, content: 'oracle '.repeat(99) }];
    const after: ChatMessage[] = [{ role: 'tool', content: 'oracle', toolCallId: 'call_1' }];
    expect((await said({ messages: [...before, user(QUESTION), ...after] })).text.startsWith(RIGHT)).toBe(true);
  });

  it('those before it help to choose, and answer nothing by themselves', async () => {
    const alone = await said({ messages: [user('what arrives?')] });
    const after = await said({ messages: [user('tell me about webhooks'), user('what arrives?')] });
    expect([alone.text, after.text].map((text) => text.includes('(/docs/webhooks#what-arrives)'))).toContain(true);
    expect(after.text.startsWith('[Webhooks › What arrives]')).toBe(true);
    const other = await said({ messages: [user(QUESTION), user('and in Lightning invoices on Ethereum?')] });
    expect(other.text.startsWith('This is not in the documentation.')).toBe(true);
  });

  it('of a long one the end is the question', async () => {
    const long = `${'lightning ethereum '.repeat(50_000)}\n${' '.repeat(2_000)}${QUESTION}`;
    expect((await said({ messages: [user(long)] })).text.startsWith(RIGHT)).toBe(true);
  });
});

it('ends before a stop sequence, at the most tokens, and says which', async () => {
  const { text } = await said();
  const stopped = await said({ stop: ['nowhere in it', 'raw body', 'before it'] });
  expect(stopped).toEqual({ text: text.slice(0, text.indexOf('raw body')), finish: { finish: 'stop' } });
  for (const maxTokens of [1, 7, 20]) {
    const cut = await said({ maxTokens });
    expect(text.startsWith(cut.text)).toBe(true);
    expect(cut.finish).toEqual({ finish: 'length' });
    expect(estimateTokens(cut.text)).toBe(maxTokens);
  }
  expect((await said({ maxTokens: 100_000 })).finish).toEqual({ finish: 'stop' });
  expect((await piecesOf({ maxTokens: 7 })).at(-1)).toMatchObject({ usage: { completionTokens: 7, estimated: true } });
});

it('answers JSON where it is wanted, and passes over what cannot change an answer', async () => {
  const { text } = await said({ responseFormat: { type: 'json_object' } });
  expect(JSON.parse(text)).toMatchObject({ found: true, calls: [], sources: [{ url: '/docs/webhooks#verify' }] });
  const plain = await said();
  const tools = [{ name: 'get_weather', parameters: {} }];
  expect(await said({ temperature: 2, seed: 1, topP: 0.1, tools, toolChoice: 'auto' })).toEqual(plain);
});

it.each<[string, Partial<ChatRequest>, string]>([
  ['a schema', { responseFormat: { type: 'json_schema', name: 'a', schema: {}, strict: true } }, 'response_format'],
  ['a call of some tool', { toolChoice: 'required' }, 'tool_choice'],
  ['a call of one tool', { toolChoice: { name: 'a' } }, 'tool_choice'],
  ['no question', { messages: [{ role: 'system', content: QUESTION }] }, 'messages'],
  ['an empty question', { messages: [user(' \n')] }, 'messages'],
])('refuses %s', async (_, request, field) => {
  await expect(piecesOf(request)).rejects.toMatchObject({ details: { field } });
});

it('ends when nobody listens any more', async () => {
  await expect(piecesOf({}, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
});
