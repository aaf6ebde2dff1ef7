/** Answers chats and embeddings by the upstreams of the configuration: which are asked, in which order, and again when. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DomainError } from '../../core/errors.ts';
import type { Backend, Call, Model, Price } from '../../core/inference/backend.ts';
import type { OutageLog } from '../../outages/outage.ts';
import { CIRCUIT, type CircuitOptions } from './circuit.ts';
import type { InferenceConfig, RouteConfig, UpstreamModel } from './inference-config.ts';
import type { InferenceCounts } from './inference-series.ts';
import { createUpstream, type Upstream } from './upstream.ts';
import { UpstreamFailed } from './upstream-failed.ts';

export interface UpstreamsDeps {
  readonly log: OutageLog;
  readonly clock: () => number;
  readonly counts: InferenceCounts;
  /** From 0 to 1: which of several that share what is asked. */
  readonly random?: () => number;
  readonly circuit?: Partial<CircuitOptions>;
}

export interface Upstreams extends Required<Backend> {
  /** What is under way ends as it began; upstreams that stay the same keep their connections and circuits. */
  reload(config: InferenceConfig): void;
  circuits(): Iterable<readonly [string, boolean]>;
  close(): Promise<void>;
}

interface Target {
  readonly upstream: Upstream;
  readonly model: UpstreamModel;
  readonly weight: number;
}

interface State {
  readonly config: InferenceConfig;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly models: readonly Model[];
  /** By the id that callers name. */
  readonly steps: ReadonlyMap<string, readonly (readonly Target[])[]>;
}

/** So many inputs at once: an answer is parsed in the serving thread. */
const INPUTS_AT_ONCE = 16;
/** The system's clock may be behind the one that one sleeps by. */
const CLOCKS_DIFFER_MS = 5;
/** Where no upstream says when. */
const RETRY_AFTER_S = 5;

export function createUpstreams(initial: InferenceConfig, deps: UpstreamsDeps): Upstreams {
  const { clock, random = Math.random } = deps;
  const perUpstream = { ...deps, circuit: { ...CIRCUIT, ...deps.circuit } };
  const retiring = new Set<Upstream>();
  let state = opened(initial, new Map());

  function opened(config: InferenceConfig, former: ReadonlyMap<string, Upstream>): State {
    const upstreams = new Map(
      config.upstreams.map((one) => {
        const same = former.get(one.name);
        return [one.name, same && isDeepStrictEqual(same.config, one) ? same : createUpstream(one, perUpstream)];
      }),
    );
    const targets = new Map<string, Target>();
    for (const upstream of upstreams.values())
      for (const model of upstream.config.models) targets.set(model.id, { upstream, model, weight: 1 });
    const steps = new Map<string, readonly (readonly Target[])[]>();
    for (const target of targets.values())
      for (const id of [target.model.id, ...target.model.aliases]) steps.set(id, [[target]]);
    for (const route of config.routes) steps.set(route.id, stepsOf(route, targets));
    const readAt = clock();
    return { config, upstreams, steps, models: [...steps].map(([id, of]) => modelOf(id, of.flat(), readAt)) };
  }

  /** Throws a DomainError, or the signal's reason. */
  async function* answer<Piece>(
    id: string,
    call: Call,
    ask: (target: Target) => AsyncIterable<Piece>,
  ): AsyncGenerator<Piece> {
    const failures: UpstreamFailed[] = [];
    for (let round = 0; ; round++) {
      // The configuration may have changed since the round before.
      const { steps, config } = state;
      const named = steps.get(id);
      if (named === undefined) throw new DomainError('not_found', `there is no model ${id}`, { field: 'model' });
      const targets = named.flatMap((step) => inTurn(step, random));
      const over = new Set<Target>();
      for (const target of targets) {
        const { upstream, model } = target;
        if (!upstream.circuit.enter()) continue;
        let begun = false;
        try {
          for await (const piece of ask(target)) {
            if (!begun) call.answeredBy({ upstream: upstream.config.name, model: model.id, price: model.price });
            begun = true;
            yield piece;
          }
          return;
        } catch (error) {
          if (!(error instanceof UpstreamFailed)) throw error;
          failures.push(error);
          if (begun || error.failure === 'refused') throw refusal(id, [error], 1);
          if (!error.isPassing) over.add(target);
        }
      }
      const rest = targets.filter((target) => !over.has(target)).map(({ upstream }) => upstream.circuit);
      const cooling = rest.filter((circuit) => !circuit.isOpen()).map((circuit) => circuit.restsUntil());
      const wait = Math.max(0, Math.min(...cooling) - clock());
      if (round >= config.retries.rounds || wait > config.retries.longestWaitMs) {
        const soonest = Math.min(...rest.map((circuit) => circuit.restsUntil()));
        const seconds = rest.length === 0 ? RETRY_AFTER_S : Math.ceil((soonest - clock()) / 1000);
        throw refusal(id, failures, Math.max(1, seconds));
      }
      // Those who wait for one upstream do not come back all at once.
      await sleep(wait * (1 + random() / 4) + CLOCKS_DIFFER_MS, null, { signal: call.signal }).catch(() =>
        call.signal.throwIfAborted(),
      );
    }
  }

  function refuseUnless(id: string, fits: (model: Model) => boolean, says: string): void {
    const model = state.models.find((one) => one.id === id);
    if (model && !fits(model)) throw new DomainError('invalid_value', `the model ${id} ${says}`, { field: 'model' });
  }

  function modelOf(id: string, targets: readonly Target[], createdAt: number): Model {
    const lengths = targets.map(({ model }) => model.contextLength);
    return {
      ...{ id, createdAt, ownedBy: targets[0]!.upstream.config.name },
      contextLength: lengths.includes(null) ? null : Math.min(...(lengths as number[])),
      price: dearest(targets.map(({ model }) => model.price)),
      maySeeRecords: targets.every(({ upstream }) => upstream.config.maySeeRecords),
      embeddings: targets.every(({ model }) => model.embeddings),
    };
  }

  return {
    models: () => state.models,
    async *chat(request, call) {
      call.signal.throwIfAborted();
      refuseUnless(request.model, (model) => !model.embeddings, 'makes embeddings, and answers no messages');
      yield* answer(request.model, call, ({ upstream, model }) => upstream.chat(model, request, call));
    },
    async embed(id, inputs, call) {
      refuseUnless(id, (model) => model.embeddings, 'makes no embeddings');
      const vectors: (readonly number[])[] = [];
      let promptTokens = 0;
      let answered = false;
      const once: Call = {
        ...{ accountId: call.accountId, signal: call.signal },
        answeredBy(by) {
          if (!answered) call.answeredBy(by);
          answered = true;
        },
      };
      for (let at = 0; at < inputs.length; at += INPUTS_AT_ONCE) {
        const some = inputs.slice(at, at + INPUTS_AT_ONCE);
        for await (const part of answer(id, once, ({ upstream, model }) => upstream.embed(model, some, call))) {
          vectors.push(...part.vectors);
          promptTokens += part.promptTokens;
          call.embedded?.(part.promptTokens);
        }
      }
      return { vectors, promptTokens };
    },
    degraded: () => [...state.upstreams].filter(([, { circuit }]) => circuit.isShut()).map(([name]) => name),
    reload(config) {
      const former = state;
      state = opened(config, former.upstreams);
      const kept = new Set(state.upstreams.values());
      for (const upstream of former.upstreams.values()) {
        if (kept.has(upstream)) continue;
        retiring.add(upstream);
        void upstream.retire().finally(() => retiring.delete(upstream));
      }
    },
    circuits: () => [...state.upstreams].map(([name, { circuit }]) => [name, circuit.isShut()] as const),
    async close() {
      await Promise.all([...state.upstreams.values(), ...retiring].map((upstream) => upstream.close()));
    },
  };
}

const stepsOf = (route: RouteConfig, targets: ReadonlyMap<string, Target>): Target[][] =>
  route.steps.map((step) => step.map(({ model, weight }) => ({ ...targets.get(model)!, weight })));

/** In a random order, in which each comes first as often as its weight says (Efraimidis and Spirakis). */
const inTurn = (step: readonly Target[], random: () => number): Target[] =>
  step
    .map((target) => ({ target, at: -Math.log(1 - random()) / target.weight }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ target }) => target);

/** Of those that may answer, the most that is paid. */
function dearest(prices: readonly (Price | null)[]): Price | null {
  const known = prices.filter((price) => price !== null);
  if (known.length === 0) return null;
  const most = (of: (price: Price) => bigint): bigint => known.map(of).reduce((a, b) => (a > b ? a : b));
  return { inputPerMillion: most((one) => one.inputPerMillion), outputPerMillion: most((one) => one.outputPerMillion) };
}

/** Which of several failures is told: what asking later helps with, before what it does not. */
function refusal(id: string, failures: readonly UpstreamFailed[], retryAfterSeconds: number): DomainError {
  const failure = failures.findLast((one) => one.failure !== 'too_long') ?? failures.at(-1);
  const field = failure?.field;
  if (failure?.failure === 'too_long')
    return new DomainError('invalid_value', `the messages are longer than what the model ${id} takes: shorten them`, {
      field: 'messages',
    });
  if (failure?.failure === 'refused')
    return new DomainError(
      'invalid_value',
      `the model ${id} does not take ${field === undefined ? 'such a request' : `this ${field}`}: see to the documentation of the model`,
      field === undefined ? {} : { field },
    );
  const reason =
    failure === undefined ? 'its upstream is not asked now' : `its upstream ${failure.message.slice('it '.length)}`;
  return new DomainError('unavailable', `the model ${id} does not answer: ${reason}`, { retryAfterSeconds });
}
