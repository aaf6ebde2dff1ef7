/**
 * The signal of requests that are given up. It is made when somebody asks for it: an abort controller for each would cost a fair part of
 * a quick read.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyReply } from 'fastify';
import { DomainError } from '../core/errors.ts';

const controllers = new WeakMap<FastifyReply, AbortController>();

const outer = new AsyncLocalStorage<AbortSignal>();

/** Requests that `work` sends to this service itself are given up with `signal`, too. */
export const givenUpWith = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => outer.run(signal, work);

/** Aborts by giveUp, or when the client is gone before it was answered. */
export function abortSignalOf(reply: FastifyReply): AbortSignal {
  const { raw } = reply;
  const known = controllers.get(reply);
  if (known !== undefined) return known.signal;
  const made = new AbortController();
  controllers.set(reply, made);
  const gone = (): void => {
    if (!raw.writableFinished) abortRequest(reply);
  };
  if (raw.destroyed) gone();
  else raw.once('close', gone);
  const within = outer.getStore();
  if (within?.aborted) abortRequest(reply);
  else within?.addEventListener('abort', () => abortRequest(reply), { once: true });
  return made.signal;
}

/** Whoever works for the request ends at the next place where that can be told. */
export function abortRequest(reply: FastifyReply): void {
  abortSignalOf(reply);
  controllers.get(reply)?.abort(new DomainError('unavailable', 'the request was given up: it does no more work'));
}
