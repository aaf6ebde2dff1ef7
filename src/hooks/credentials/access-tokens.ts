/** Checks access tokens with @fastify/jwt: signature, algorithm, type, issuer, audience, required claims and times. */
import jwt, { type Secret } from '@fastify/jwt';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { DomainError } from '../../core/errors.ts';
import type { AccessTokens } from '../../services/tokens/access-tokens.ts';
import type { TokenKeys } from '../../services/tokens/token-keys.ts';

export interface TokenParts {
  readonly accessTokens: AccessTokens;
  readonly keys: Pick<TokenKeys, 'publicPem'>;
  /** Issuer and audience of every token. */
  readonly issuer: string;
}

const ALGORITHMS = ['EdDSA' as const];
const REQUIRED_CLAIMS = ['exp', 'iss', 'aud', 'sub', 'jti', 'iat'];

/** Gives the service of access tokens its verifier: beside requests, the WebSocket and revocation need it too. */
export const accessTokens = fp(
  async (app, { accessTokens: tokens, keys, issuer }: TokenParts) => {
    async function keyOf(header: { kid?: unknown }): Promise<{ keyId: string; pem: string }> {
      const keyId = typeof header.kid === 'string' ? header.kid : '';
      const pem = keyId === '' ? null : await keys.publicPem(keyId);
      if (pem === null) throw refused('its key (kid) is none that is published');
      return { keyId, pem };
    }

    await app.register(jwt, {
      decoratorName: 'tokenClaims',
      // For request.jwtVerify, which nothing here calls; the key of each token is given with it below.
      secret: { public: (async (_: unknown, token: { header: object }) => (await keyOf(token.header)).pem) as Secret },
      decode: { complete: true },
      // Nothing is cached here: what was verified is kept under the token's hash, and looked at again each time.
      verify: {
        algorithms: ALGORITHMS,
        allowedIss: issuer,
        allowedAud: issuer,
        checkTyp: 'at+jwt',
        requiredClaims: REQUIRED_CLAIMS,
        cache: false,
        errorCacheTTL: 0,
      },
    });

    tokens.verifyWith(async (token, now) => {
      try {
        const decoded = app.jwt.decode<{ header: object }>(token, { complete: true });
        const { keyId, pem } = await keyOf(decoded?.header ?? {});
        if (!isCanonical(token.slice(token.lastIndexOf('.') + 1))) throw refused('its signature is not in base64url');
        return { keyId, payload: app.jwt.verify<object>(token, { key: pem, clockTimestamp: now }) };
      } catch (error) {
        throw refusalOf(error);
      }
    });
  },
  { name: 'access-tokens' },
);

/** The last character of a signature has bits to spare: with them set it would be another text for the same token. */
const isCanonical = (signature: string): boolean =>
  Buffer.from(signature, 'base64url').toString('base64url') === signature;

const refused = (why: string): DomainError => new DomainError('unauthorized', `the access token is not valid: ${why}`);

function refusalOf(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  const { code, message = '' } = error as { code?: unknown; message?: string };
  if (code === 'FAST_JWT_EXPIRED') {
    return new DomainError('unauthorized', 'the access token has expired: get a new one');
  }
  if (typeof code !== 'string' || !/^(FAST_JWT|FST_JWT)_/.test(code)) return error;
  const [claim] = REQUIRED_CLAIMS.filter((name) => message.includes(`The ${name} claim`));
  return refused(TEXTS[code] ?? (claim === undefined ? 'it cannot be verified' : claimText(code, claim)));
}

const NO_JWT = 'it is no JWT (RFC 7519): header.payload.signature, each in base64url';
const NOT_SIGNED = 'its signature does not hold';

/** By the library's codes. Of a claim it is told which. */
const TEXTS: Readonly<Record<string, string>> = {
  FAST_JWT_MALFORMED: NO_JWT,
  FAST_JWT_INVALID_PAYLOAD: NO_JWT,
  FAST_JWT_INVALID_SIGNATURE: NOT_SIGNED,
  FAST_JWT_MISSING_SIGNATURE: NOT_SIGNED,
  FAST_JWT_INVALID_ALGORITHM: `its alg must be ${ALGORITHMS.join()}`,
  FAST_JWT_INVALID_TYPE: 'its typ must be at+jwt',
  FAST_JWT_INACTIVE: 'its time has not begun (nbf)',
  FAST_JWT_INVALID_CRIT_HEADER: 'it has critical headers, none of which is known',
};

const claimText = (code: string, claim: string): string =>
  code === 'FAST_JWT_MISSING_REQUIRED_CLAIM'
    ? `it lacks the claim ${claim}`
    : `its claim ${claim} is none of this service's`;
