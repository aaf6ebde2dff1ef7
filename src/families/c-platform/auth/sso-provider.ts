/**
 * The OpenID provider, asked through @fastify/oauth2 (discovery, authorization code, PKCE S256, state bound to the browser by a
 * cookie) on an instance of its own, made when first needed: a provider that is away then stops no start of this service.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OAuth2Namespace } from '@fastify/oauth2';
import Fastify, { type FastifyInstance } from 'fastify';
import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import { createOutage, type OutageLog } from '../../../outages/outage.ts';

declare module 'fastify' {
  interface FastifyInstance {
    provider: OAuth2Namespace;
  }
}

export interface SsoClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** What is registered at the provider as redirect URI. */
  readonly callbackUrl: string;
}

export interface SsoProvider {
  /** Where to send the browser, and the cookies that bind the state to it. Throws `unavailable`. */
  begin(state: string, nonce: string): Promise<{ url: string; cookies: string[] }>;
  /** The id_token for what came back. Throws `unauthorized` for a foreign browser or a refused code, `unavailable`. */
  redeem(query: Record<string, string>, cookie: string | null): Promise<{ idToken: string; cookies: string[] }>;
  /** The keys that sign its id_tokens. Throws `unavailable`. */
  keys(): Promise<JWTVerifyGetKey>;
  close(): Promise<void>;
}

const ANSWERS_WITHIN_MS = 10_000;
const COOKIE_LIFE_SECONDS = 600;
/** Where the cookies go: start and callback, nothing else. */
const COOKIE_PATH = '/api/v1/auth/sso';

const METADATA = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
});

interface Opened {
  readonly inner: FastifyInstance;
  readonly keys: JWTVerifyGetKey;
}

export function createSsoProvider(client: SsoClient, deps: { log: OutageLog; clock: () => number }): SsoProvider {
  const outage = createOutage({
    ...deps,
    part: 'single sign-on',
    began: `the sign-on provider ${new URL(client.issuer).host} does not answer as it should`,
    ended: `the sign-on provider ${new URL(client.issuer).host} answers again`,
  });
  let opening: Promise<Opened> | null = null;

  function opened(): Promise<Opened> {
    opening ??= open(client).catch((error: unknown) => {
      opening = null;
      outage.began(error);
      if (error instanceof DomainError) throw error;
      throw providerUnavailable();
    });
    return opening;
  }

  return {
    async begin(state, nonce) {
      const { inner } = await opened();
      const answer = await inner.inject({ method: 'GET', url: '/begin', query: { state } });
      if (answer.statusCode !== 200) throw providerUnavailable();
      outage.ended();
      const url = new URL(answer.body);
      url.searchParams.set('nonce', nonce);
      return { url: url.href, cookies: cookiesOf(answer.headers['set-cookie']) };
    },
    async redeem(query, cookie) {
      const { inner } = await opened();
      const headers = cookie === null ? {} : { cookie };
      const answer = await inner.inject({ method: 'GET', url: '/redeem', query, headers });
      const outcome = answer.json<Outcome>();
      if ('idToken' in outcome) return { ...outcome, cookies: cookiesOf(answer.headers['set-cookie']) };
      if (outcome.problem === 'away') {
        outage.began(providerUnavailable());
        throw providerUnavailable();
      }
      throw outcome.problem === 'browser' ? foreignBrowser() : refusedCode();
    },
    keys: async () => (await opened()).keys,
    async close() {
      await (await opening?.catch(() => null))?.inner.close();
    },
  };
}

type Outcome = { idToken: string } | { problem: 'browser' | 'refused' | 'away' };

async function open(client: SsoClient): Promise<Opened> {
  const { issuer, clientId, clientSecret, scopes, callbackUrl } = client;
  const metadata = await metadataOf(issuer);
  const secure = callbackUrl.startsWith('https:');
  // Half a megabyte, which few services use.
  const { default: oauth2 } = await import('@fastify/oauth2');
  const inner = Fastify() as unknown as FastifyInstance;
  await inner.register(oauth2, {
    name: 'provider',
    scope: [...scopes],
    credentials: { client: { id: clientId, secret: clientSecret }, http: { timeout: ANSWERS_WITHIN_MS } },
    discovery: { issuer },
    pkce: 'S256',
    callbackUri: callbackUrl,
    hostPrefixedCookies: secure,
    cookie: { httpOnly: true, sameSite: 'lax', secure, path: COOKIE_PATH, maxAge: COOKIE_LIFE_SECONDS },
    generateStateFunction: (request) => (request.query as { state: string }).state,
    checkStateFunction: (request) => {
      const name = secure ? '__Host-oauth2-redirect-state' : 'oauth2-redirect-state';
      const { state } = request.query as { state?: string };
      return state !== undefined && request.cookies[name] === state;
    },
  });
  inner.get('/begin', (request, reply) => inner.provider.generateAuthorizationUri(request, reply));
  inner.get('/redeem', async (request, reply): Promise<Outcome> => {
    try {
      const { token } = await inner.provider.getAccessTokenFromAuthorizationCodeFlow(request, reply);
      return token.id_token === undefined ? { problem: 'refused' } : { idToken: token.id_token };
    } catch (error) {
      return { problem: problemOf(error) };
    }
  });
  await within(inner.ready());
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), { timeoutDuration: ANSWERS_WITHIN_MS });
  return { inner, keys };
}

/** Throws `unavailable` also where what answers there is another provider (OpenID Connect Discovery §4.3). */
async function metadataOf(issuer: string): Promise<z.output<typeof METADATA>> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS), redirect: 'error' });
  const metadata = METADATA.parse(await response.json());
  if (metadata.issuer !== issuer) {
    throw new DomainError(
      'unavailable',
      'the sign-on provider names itself otherwise than SSO_ISSUER: this is for its operator',
    );
  }
  return metadata;
}

/** What the library threw: its own check of the state, an answer of the provider's, or none. */
function problemOf(error: unknown): 'browser' | 'refused' | 'away' {
  if (!(error instanceof Error)) return 'away';
  if (error.message === 'Invalid state') return 'browser';
  const { output } = error as { output?: { statusCode?: number } };
  const status = output?.statusCode ?? 500;
  return status >= 400 && status < 500 && status !== 408 && status !== 429 ? 'refused' : 'away';
}

async function within<T>(work: PromiseLike<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(ANSWERS_WITHIN_MS, undefined, { signal: timer.signal }).then(() => {
    throw providerUnavailable();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    late.catch(() => {});
    timer.abort();
  }
}

const cookiesOf = (header: string | string[] | undefined): string[] => (header === undefined ? [] : [header].flat());

export const providerUnavailable = (): DomainError =>
  new DomainError('unavailable', 'the sign-on provider does not answer as it should: try again later', {
    retryAfterSeconds: 10,
  });
const foreignBrowser = (): DomainError =>
  new DomainError('unauthorized', 'this sign-on was begun in another browser, or long ago: start again', {
    field: 'query.state',
  });
const refusedCode = (): DomainError =>
  new DomainError('unauthorized', 'the sign-on provider did not take the code: start again', { field: 'query.code' });
