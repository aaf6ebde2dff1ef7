/** The request's context for services, of what authentication and signature found out. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type IdempotencyClaim, NO_ACCOUNT, type RequestContext } from '../services/requests/request-context.ts';
import { abortSignalOf } from './abort-signal.ts';
import { factsOf } from './request-facts.ts';

/** Public operations have no caller: whoever asks owns nothing. */
const NOBODY: Pick<RequestContext, 'accountId' | 'platform' | 'credential'> = {
  accountId: NO_ACCOUNT,
  platform: false,
  credential: {
    kind: 'api_key',
    id: '',
    countsAs: null,
    role: 'viewer',
    scopes: [],
    tier: 'free',
    limits: null,
    expiresAt: null,
    allowedIps: null,
    mayGrant: false,
    requireSignature: true,
    signingKey: 'none',
  },
};

/** Whatever is recorded of a refusal is not given up. */
const NEVER = new AbortController().signal;

export function contextOf(
  request: FastifyRequest,
  claim: IdempotencyClaim | null,
  reply: FastifyReply | null,
): RequestContext {
  const { accountId, platform, credential } = request.caller ?? NOBODY;
  const { changesRules, spends, auditsReads } = request.declaration ?? {};
  return {
    requestId: request.id,
    accountId,
    platform,
    credential,
    idempotency: claim,
    facts: factsOf(request),
    outcome: { recorded: null },
    ...(auditsReads && { auditsReads }),
    ...(spends !== undefined && spends.length > 0 && { spends: true }),
    ...(changesRules && {
      changesRules: { present: changesRules.present as (record: object) => object, approved: null },
    }),
    get signal() {
      return reply === null ? NEVER : abortSignalOf(reply);
    },
  };
}
