/** A request's context, for tests that call services without HTTP. */
import type { RequestContext } from '../../src/services/requests/request-context.ts';

export const requestContext = (
  given: Partial<Omit<RequestContext, 'credential'>> & { credential?: Partial<RequestContext['credential']> } = {},
): RequestContext => ({
  requestId: 'req_test',
  accountId: 'acc_one',
  platform: false,
  idempotency: null,
  facts: {
    operation: 'test',
    method: 'POST',
    target: '/test',
    remoteAddress: '127.0.0.1',
    contentDigest: null,
    signature: null,
  },
  outcome: { recorded: null },
  signal: new AbortController().signal,
  ...given,
  credential: {
    kind: 'api_key',
    id: 'key_test',
    role: 'admin',
    scopes: ['*'],
    tier: 'standard',
    limits: null,
    expiresAt: null,
    allowedIps: null,
    mayGrant: false,
    countsAs: null,
    requireSignature: true,
    signingKey: 'any',
    ...given.credential,
  },
});
