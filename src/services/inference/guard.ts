/** No secret goes to a model or comes from one: a prompt that holds one is refused or redacted, in answers each is redacted. */
import { setImmediate as yielded } from 'node:timers/promises';
import { Counter } from 'prom-client';
import { DomainError } from '../../core/errors.ts';
import type { Backend, Call } from '../../core/inference/backend.ts';
import type { ChatPiece, ChatRequest } from '../../core/inference/chat.ts';
import type { PartSecret, secretsJobs } from '../../core/inference/guard/find-in-parts.ts';
import { createHoldback, type Holdback } from '../../core/inference/guard/holdback.ts';
import { redact } from '../../core/inference/guard/place.ts';
import type { SecretKind } from '../../core/inference/guard/secret.ts';
import { mapTexts, type RequestText } from '../../core/inference/guard/texts-of.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { AddSeries } from '../../metrics/series.ts';
import { createYielder } from '../../scheduling/yielder.ts';

export type SecretsPolicy = 'refuse' | 'redact';
type For = Pick<Call, 'accountId' | 'signal'>;

export interface Guard {
  /** The request as it may leave. Throws `invalid_value`, which names the text's field and the kind of secret. */
  prompt(request: ChatRequest, whose: For): Promise<ChatRequest>;
  inputs(inputs: readonly string[], whose: For): Promise<readonly string[]>;
  stream(pieces: AsyncIterable<ChatPiece>): AsyncIterable<ChatPiece>;
  readonly series: AddSeries;
}

/** Characters of a piece that are read at once. */
const AT_ONCE = 512;
const MOST_CALLS = 1_000;

export function createGuard(deps: { policy: SecretsPolicy; computing: Computing<typeof secretsJobs> }): Guard {
  const { policy, computing } = deps;
  const counter = new Counter({
    name: 'ashlar_inference_secrets_total',
    help: 'Secrets in prompts, which were refused or redacted, and in answers, which were redacted',
    labelNames: ['kind', 'where'],
    registers: [],
  });
  const count = (kind: SecretKind, where: 'prompt' | 'answer') => counter.inc({ kind, where });

  /** The secrets of each text. Throws where one is refused, naming the field that has most of it. */
  async function secretsOf(texts: readonly RequestText[], { accountId, signal }: For): Promise<PartSecret[][]> {
    const placesOf = (is: (role: string | undefined) => boolean) =>
      [...texts.keys()].filter((at) => is((texts[at] as RequestText).role));
    const together = [placesOf((role) => role !== undefined), placesOf((role) => role === 'user')];
    const given = { texts: texts.map(({ text }) => text), together };
    const found = await computing.run('secrets.find', given, { accountId, signal });
    const byText = texts.map((): PartSecret[] => []);
    for (const secret of found) byText[secret.part]?.push(secret);
    for (const { kind } of found) count(kind, 'prompt');
    const refused = found
      .filter(({ part }) => policy === 'refuse' || texts[part]?.exact === true)
      .toSorted((one, other) => other.end - other.start - (one.end - one.start))[0];
    if (refused !== undefined) {
      const { field } = texts[refused.part] as RequestText;
      throw new DomainError(
        'invalid_value',
        `${field} holds what reads as a secret (${refused.kind}), which is not sent to a model: leave it out`,
        { field },
      );
    }
    return byText;
  }

  async function inputs(given: readonly string[], whose: For): Promise<readonly string[]> {
    const texts = given.map((text, i) => ({ field: given.length === 1 ? 'input' : `input[${i}]`, text, role: 'user' }));
    const secrets = await secretsOf(texts, whose);
    return given.map((text, i) => redact(text, secrets[i] ?? []));
  }

  /** What was let through: whoever asks before something is written of it, does not ask again before it leaves. */
  const passed = new WeakSet<ChatRequest>();

  async function prompt(request: ChatRequest, whose: For): Promise<ChatRequest> {
    if (passed.has(request)) return request;
    const texts: RequestText[] = [];
    mapTexts(request, (text) => {
      texts.push(text);
      return text.text;
    });
    const secrets = await secretsOf(texts, whose);
    let at = 0;
    const clean = mapTexts(request, ({ text, json = false }) => redact(text, secrets[at++] ?? [], { json }));
    passed.add(clean);
    return clean;
  }

  async function* stream(pieces: AsyncIterable<ChatPiece>): AsyncGenerator<ChatPiece, void> {
    const found = (kind: SecretKind) => count(kind, 'answer');
    const content = createHoldback({ found });
    let withheld = 0;
    const calls = new Map<number, Holdback>();
    const rest = function* (): Generator<ChatPiece, void> {
      const last = content.end();
      if (last !== '') yield { content: last };
      for (const [index, holdback] of calls) {
        const end = holdback.end();
        if (end !== '') yield { toolCall: { index, arguments: end } };
      }
    };
    try {
      const pause = createYielder();
      for await (const piece of pieces) {
        await pause();
        if ('content' in piece) {
          const out = await pushed(content, piece.content);
          // Whoever waits sees that the model answers, also while what it says is held back.
          if (out !== '' || piece.content === '' || withheld++ % 64 === 0) yield { content: out };
        } else if ('toolCall' in piece) {
          const { index, id, name } = piece.toolCall;
          const holdback = calls.get(index) ?? createHoldback({ json: true, found });
          if (calls.size === MOST_CALLS) throw new DomainError('unavailable', 'the model calls too many tools at once');
          calls.set(index, holdback);
          const out = await pushed(holdback, piece.toolCall.arguments);
          if (out === '' && id === undefined && name === undefined) continue;
          yield {
            toolCall: {
              index,
              ...(id !== undefined && { id: whole(id, found) }),
              ...(name !== undefined && { name: whole(name, found) }),
              arguments: out,
            },
          };
        } else {
          yield* rest();
          yield piece;
        }
      }
    } catch (error) {
      // What it said before it broke off is no secret.
      yield* rest();
      throw error;
    }
    yield* rest();
  }

  return { prompt, inputs, stream, series: (registry) => void registry.registerMetric(counter) };
}

function whole(text: string, found: (kind: SecretKind) => void): string {
  const holdback = createHoldback({ found });
  return holdback.push(text) + holdback.end();
}

/** A long piece goes in parts, between which others have their turn. */
async function pushed(holdback: Holdback, piece: string): Promise<string> {
  if (piece.length <= AT_ONCE) return holdback.push(piece);
  let out = '';
  for (let at = 0; at < piece.length; at += AT_ONCE) {
    out += holdback.push(piece.slice(at, at + AT_ONCE));
    await yielded();
  }
  return out;
}

/** The backend, with nothing but what the guard lets through to it and from it. */
export function guarded(backend: Backend, guard: Guard): Backend {
  const { embed } = backend;
  return {
    ...backend,
    async *chat(request, call) {
      yield* guard.stream(backend.chat(await guard.prompt(request, call), call));
    },
    ...(embed !== undefined && {
      embed: async (model: string, inputs: readonly string[], call: Call) =>
        embed(model, await guard.inputs(inputs, call), call),
    }),
  };
}
