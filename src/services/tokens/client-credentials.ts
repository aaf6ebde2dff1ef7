/** The token endpoint's work: OAuth 2.0 client credentials (RFC 6749 §4.4) and revocation (RFC 7009). */
import { scopeAllows } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';
import { listAllows } from '../credentials/address-list.ts';
import { CredentialRefused } from '../credentials/credential-refused.ts';
import { CLIENT_ID, isSecretOf } from '../credentials/new-oauth-client.ts';
import type { Attempts } from '../limits/limits.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { Caller, RequestContext } from '../requests/request-context.ts';
import type { AccessTokens, SubjectLoader } from './access-tokens.ts';
import type { TokenClaims } from './token-claims.ts';

export interface ClientIdentity {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** RFC 6749 §3.3, as far as scopes of ours go. */
const SCOPE_LIST = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const MAX_SCOPES = 100;
/** A token lives for 15 minutes: a client that asks much more often than once has lost its way. */
const MAX_REQUESTS = { limit: 100, windowSeconds: 60 };

export function createClientCredentials(deps: {
  store: Store;
  subjects: SubjectLoader;
  accessTokens: Pick<AccessTokens, 'issue' | 'claimsOf' | 'revoke'>;
  attempts: Pick<Attempts, 'count'>;
  clock: () => number;
}) {
  const { store, subjects, accessTokens, attempts, clock } = deps;

  async function authenticated({ clientId, clientSecret }: ClientIdentity, remoteAddress: string): Promise<Caller> {
    // Not everything that can be sent is text to a database.
    const client = CLIENT_ID.test(clientId) ? await store.read.oauthClients.findByClientId(clientId) : null;
    const known = isSecretOf(client, clientSecret, clock());
    const subject = known ? await subjects.find({ subjectId: clientId, sessionId: null }) : null;
    // One sentence for all: who guesses learns nothing of which ids there are.
    if (subject === null) throw new DomainError('unauthorized', 'the client is not known, or its secret is not right');
    if (subject.allowedIps !== null && !listAllows(subject.allowedIps, remoteAddress)) {
      throw new CredentialRefused('forbidden', 'the client does not allow requests from this address', subject.caller);
    }
    await countRequest(clientId);
    return subject.caller;
  }

  async function countRequest(clientId: string): Promise<void> {
    const { allowed, limit, resetAt } = await attempts.count(`tokens of ${clientId}`, MAX_REQUESTS);
    if (allowed) return;
    throw new DomainError('rate_limited', `a client asks for at most ${limit} tokens and revocations in a minute`, {
      retryAfterSeconds: Math.max(1, Math.ceil(resetAt - clock() / 1000)),
    });
  }

  async function standingClaims(token: string): Promise<TokenClaims | null> {
    try {
      return await accessTokens.claimsOf(token);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'unauthorized') return null;
      throw error;
    }
  }

  return {
    /**
     * `scope` as sent; null for all that the client has. Throws `unauthorized`, `forbidden` (address, frozen account), `rate_limited`,
     * `invalid_scope`.
     */
    async issue(identity: ClientIdentity, scope: string | null, context: RequestContext) {
      const as = await authenticated(identity, context.facts.remoteAddress);
      if (as.accountFrozen) {
        throw new CredentialRefused('forbidden', 'the account is frozen: its clients get no new tokens', as);
      }
      const { accountId, credential } = as;
      const scopes = scope === null ? credential.scopes : requestedScopes(scope, credential.scopes);
      const { token, expiresInSeconds, tokenId } = await accessTokens.issue({
        kind: 'oauth_client',
        id: credential.id,
        accountId,
        scopes,
        sessionId: null,
        boundKeyId: null,
      });
      // The token is answered only once it is on the record that it was issued.
      await store.write(async (tx) => {
        await tx.oauthClients.touch(accountId, credential.id, clock());
        await recordRequest(tx, context, { result: null, target: tokenId, as });
      });
      return { accessToken: token, expiresInSeconds, scopes };
    },

    /**
     * Refuses the token from now on, in every process. What is no token that stands is none to revoke. Throws `unauthorized`, and
     * `forbidden` for the token of somebody else.
     */
    async revoke(identity: ClientIdentity, token: string, context: RequestContext) {
      const as = await authenticated(identity, context.facts.remoteAddress);
      const claims = await standingClaims(token);
      if (claims !== null && claims.clientId !== as.credential.id) {
        throw new DomainError('forbidden', 'the token was issued to another client', { field: 'token' });
      }
      await store.write(async (tx) => {
        if (claims !== null) await accessTokens.revoke(tx, claims);
        await recordRequest(tx, context, { result: null, target: claims?.tokenId ?? null, as });
      });
    },
  };
}

export type ClientCredentials = ReturnType<typeof createClientCredentials>;

function requestedScopes(text: string, granted: readonly string[]): string[] {
  const refuse = (why: string) => new DomainError('invalid_scope', why, { field: 'scope' });
  if (!SCOPE_LIST.test(text))
    throw refuse('scope must be scopes with one blank between, such as wallets:read fees:read');
  const scopes = [...new Set(text.split(' '))];
  if (scopes.length > MAX_SCOPES) throw refuse(`at most ${MAX_SCOPES} scopes can be asked for`);
  const beyond = scopes.find((scope) => !scopeAllows(granted, scope));
  if (beyond !== undefined) throw refuse(`the client does not have the scope ${beyond}`);
  return scopes;
}
