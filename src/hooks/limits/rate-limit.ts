/**
 * Who asks too often is told so: 429. A request counts once: in its credential's buckets before any work is done for it, or, where it
 * has no valid credential and failed, against its address. An address over its limit gets 429 for what fails; a credential that
 * stands is never refused for its neighbours. Every answer says how much is left of the bucket that is nearest to its end.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { DomainError } from '../../core/errors.ts';
import type { CounterStore } from '../../counters/counter-store.ts';
import {
  createRequestLimits,
  type LimitedOperation,
  type RequestAllowance,
} from '../../services/limits/request-limits.ts';
import type { Caller } from '../../services/requests/request-context.ts';
import { addGate } from '../entrance.ts';
import { refusalOf } from '../refusals/errors.ts';
import { addressBucket, addressFailures } from './address-limit.ts';

declare module 'fastify' {
  interface FastifyInstance {
    limiter: Limiter;
  }
  interface FastifyRequest {
    /** Where the request was counted; null where it was not, or not yet. */
    allowance: RequestAllowance | null;
  }
}

interface Limiter {
  /**
   * Counts what is about to be refused and was not counted yet, and sets the headers. Answers the error to be answered: the same, or
   * `rate_limited` in its place.
   */
  refused(error: unknown, request: FastifyRequest, reply: FastifyReply): unknown | Promise<unknown>;
  /** Counts a failed authentication that is not a request's answer, such as a WebSocket message. Throws `rate_limited`. */
  failedAuthentication(request: FastifyRequest): Promise<void>;
  /** The three headers for an address that is not asking through a route. */
  headersOf(address: string | undefined): Record<string, string>;
}

/** Beside 401, what counts as a failed authentication where nobody is known: not from here, not there, no such method of it. */
const REFUSED_TO_NOBODY: ReadonlySet<number> = new Set([403, 404, 405]);
/** What is not there belongs to no family. */
const NOT_THERE: LimitedOperation = { family: 'service', limitClass: 'standard' };

export const rateLimit = fp(
  async (app, { counters, clock }: { counters: CounterStore; clock: () => number }) => {
    const limits = createRequestLimits({ counters, clock });
    const countFailure = await addressFailures(app, counters);

    const show = (reply: FastifyReply, { limit, remaining, resetAt }: RequestAllowance): void => {
      reply.header('x-ratelimit-limit', String(limit));
      reply.header('x-ratelimit-remaining', String(remaining));
      reply.header('x-ratelimit-reset', String(resetAt));
    };

    const countRequest = (request: FastifyRequest): RequestAllowance | Promise<RequestAllowance> | null =>
      // Requests that no route was found for, because they are malformed, have neither.
      (request.caller ?? null) === null
        ? null
        : limits.count((request.caller as Caller).credential, request.declaration ?? NOT_THERE);

    const tooMany = (allowance: RequestAllowance): DomainError => {
      const seconds = Math.max(1, Math.ceil(allowance.resetAt - clock() / 1000));
      return new DomainError(
        'rate_limited',
        `the limit is ${allowance.limit} ${allowance.what} per ${allowance.window}: the next ${allowance.window} begins in ${seconds} s`,
        { retryAfterSeconds: seconds },
      );
    };

    app.decorateRequest('allowance', null);
    const admit = (allowance: RequestAllowance, request: FastifyRequest, reply: FastifyReply): void => {
      request.allowance = allowance;
      show(reply, allowance);
      if (!allowance.allowed) throw tooMany(allowance);
    };
    addGate(app, (request, reply) => {
      const counted = countRequest(request);
      if (counted === null) show(reply, limits.address(addressBucket(request.ip)));
      else if (counted instanceof Promise) return counted.then((allowance) => admit(allowance, request, reply));
      else admit(counted, request, reply);
      return undefined;
    });

    async function countRefused(error: unknown, failed: boolean, request: FastifyRequest, reply: FastifyReply) {
      request.allowance ??= await countRequest(request);
      let nearest = request.allowance;
      if (failed) {
        const address = limits.ofAddress(await countFailure(request));
        if (nearest === null || address.remaining < nearest.remaining || !address.allowed) nearest = address;
      }
      nearest ??= limits.address(addressBucket(request.ip));
      show(reply, nearest);
      if (nearest.allowed) return error;
      reply.removeHeader('www-authenticate').removeHeader('accept-signature');
      return tooMany(nearest);
    }

    app.decorate('limiter', {
      refused(error, request, reply) {
        const { status, slug } = refusalOf(error).refusal;
        const unknown = (request.caller ?? null) === null;
        const failed = status === 401 || (unknown && (REFUSED_TO_NOBODY.has(status) || request.is404));
        const counts = !unknown && request.allowance === null;
        if (slug !== 'rate_limited' && (failed || counts)) return countRefused(error, failed, request, reply);
        if (!reply.hasHeader('x-ratelimit-limit')) {
          show(reply, request.allowance ?? limits.address(addressBucket(request.ip)));
        }
        return error;
      },
      async failedAuthentication(request) {
        const address = limits.ofAddress(await countFailure(request));
        if (!address.allowed) throw tooMany(address);
      },
      headersOf(address) {
        const { limit, remaining, resetAt } = limits.address(addressBucket(address));
        return {
          'x-ratelimit-limit': String(limit),
          'x-ratelimit-remaining': String(remaining),
          'x-ratelimit-reset': String(resetAt),
        };
      },
    });
  },
  { name: 'rate-limit', dependencies: ['request-id', 'authentication'] },
);
