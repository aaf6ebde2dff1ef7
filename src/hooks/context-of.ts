/** The request's context for services, of what authentication and signature found out. */
import type { FastifyRequest } from 'fastify';
import type { IdempotencyClaim, RequestContext } from '../services/requests/request-context.ts';
import { factsOf } from './request-facts.ts';

/** Public operations have no caller: whoever asks owns nothing. */
const NOBODY: Pick<RequestContext, 'accountId' | 'platform' | 'credential'> = {
  accountId: '',
  platform: false,
  credential: {
    kind: 'api_key',
    id: '',
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

export function contextOf(request: FastifyRequest, claim: IdempotencyClaim | null): RequestContext {
  const { accountId, platform, credential } = request.caller ?? NOBODY;
  return {
    requestId: request.id,
    accountId,
    platform,
    credential,
    idempotency: claim,
    facts: factsOf(request),
    outcome: { recorded: null },
  };
}
