/** The guide as a model, which needs no upstream. */
import { DomainError } from '../../../core/errors.ts';
import type { Backend } from '../../../core/inference/backend.ts';
import type { ChatPiece, ChatRequest } from '../../../core/inference/chat.ts';
import { estimatePromptTokens, estimateTokens } from '../../../core/inference/estimate-tokens.ts';
import type { Guide } from './guide.ts';

const GUIDE = 'ashlar-guide';
/** A question and its passages are far shorter: what a budget has to have left. */
const CONTEXT_LENGTH = 8_192;

/** Of the last message its end, where people ask; of those before it less, and fewer of them. */
const QUESTION_LENGTH = 2_000;
const EARLIER_LENGTH = 500;
const EARLIER_MESSAGES = 2;

export function createGuideBackend(guide: Pick<Guide, 'answer'>, createdAt: number): Backend {
  const model = { id: GUIDE, ownedBy: 'ashlar', createdAt, contextLength: CONTEXT_LENGTH, price: null };

  async function* chat(request: ChatRequest, call: Parameters<Backend['chat']>[1]): AsyncGenerator<ChatPiece> {
    refuseWhatItCannot(request);
    const { question, earlier } = askedIn(request.messages);
    call.answeredBy({ upstream: 'ashlar', model: GUIDE, price: null });
    const { answer, found, sources, calls } = await guide.answer(question, earlier);
    const asJson = request.responseFormat?.type === 'json_object';
    const whole = asJson ? JSON.stringify({ answer, found, sources, calls }) : answer;
    const until = beforeStop(whole, request.stop ?? []);
    const said = firstTokens(until, request.maxTokens ?? Infinity);
    for (const content of said.match(/[^\n]*\n|[^\n]+/g) ?? []) {
      call.signal.throwIfAborted();
      yield { content };
    }
    yield { finish: said === until ? 'stop' : 'length' };
    const [promptTokens, completionTokens] = [estimatePromptTokens(request), estimateTokens(said)];
    yield { usage: { promptTokens, completionTokens, estimated: true } };
  }

  return {
    models: () => [{ ...model, maySeeRecords: false, embeddings: false }],
    chat,
    degraded: () => [],
  };
}

/** What only changes how a model writes (temperature, seed, tools that it may leave) has nothing to change here. */
function refuseWhatItCannot({ responseFormat, toolChoice = 'auto' }: ChatRequest): void {
  if (responseFormat?.type === 'json_schema')
    throw cannot('response_format', 'answers in the form of no schema: ask for text or json_object');
  if (toolChoice !== 'auto' && toolChoice !== 'none')
    throw cannot('tool_choice', 'calls no tools: set it to none or auto');
}

const cannot = (field: string, sentence: string): DomainError =>
  new DomainError('unsupported', `${GUIDE} ${sentence}`, { field });

function askedIn(messages: ChatRequest['messages']): { question: string; earlier: string } {
  const asked = messages.filter(({ role }) => role === 'user').slice(-1 - EARLIER_MESSAGES);
  const question = asked.pop()?.content.slice(-QUESTION_LENGTH) ?? '';
  if (question.trim() === '')
    throw new DomainError('invalid_value', 'the last message of the role user must ask something', {
      field: 'messages',
    });
  return { question, earlier: asked.map(({ content }) => content.slice(-EARLIER_LENGTH)).join('\n') };
}

function beforeStop(text: string, stop: readonly string[]): string {
  const places = stop.map((end) => text.indexOf(end)).filter((place) => place >= 0);
  return text.slice(0, Math.min(text.length, ...places));
}

/** As many as are estimated to be `most` tokens, whole characters. */
function firstTokens(text: string, most: number): string {
  let [length, longer] = [0, text.length + 1];
  while (longer - length > 1) {
    const middle = Math.floor((length + longer) / 2);
    if (estimateTokens(text.slice(0, middle)) <= most) length = middle;
    else longer = middle;
  }
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
