/** What an id_token says, once it is the provider's own, for this service and this sign-on (OpenID Connect Core §3.1.3.7). */
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { DomainError } from '../../../core/errors.ts';
import type { SsoIdentity } from '../../../services/users/index.ts';
import { providerUnavailable } from './sso-provider.ts';

/** Asymmetric ones alone: `none` and what a client secret could sign are not among them. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'];
const SKEW_SECONDS = 30;

/** Throws `unauthorized` for a token that is not, `unavailable` where the provider's keys are not to be had. */
export async function identityOf(
  idToken: string,
  keys: JWTVerifyGetKey,
  expected: { issuer: string; clientId: string; nonce: string; now: number },
): Promise<SsoIdentity> {
  const { issuer, clientId, nonce, now } = expected;
  const { payload } = await jwtVerify(idToken, keys, {
    algorithms: ALGORITHMS,
    issuer,
    audience: clientId,
    requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
    currentDate: new Date(now),
    clockTolerance: SKEW_SECONDS,
  }).catch((error: unknown) => {
    throw refusalOf(error);
  });
  const several = Array.isArray(payload.aud) && payload.aud.length > 1;
  const party = payload.azp ?? (several ? null : clientId);
  if (payload.nonce !== nonce) throw refused('its nonce is not the one that was sent');
  if (party !== clientId) throw refused('it was issued to another client');
  if (payload.sub === undefined || payload.sub === '') throw refused('it names nobody');
  const vouched = payload.email_verified === true && typeof payload.email === 'string';
  return { issuer, subject: payload.sub, verifiedEmail: vouched ? (payload.email as string) : null };
}

function refusalOf(error: unknown): DomainError {
  if (error instanceof errors.JWTExpired) return refused('it has expired');
  if (error instanceof errors.JWTClaimValidationFailed) return refused(`its ${error.claim} is not right`);
  const wrong = [errors.JWSSignatureVerificationFailed, errors.JOSEAlgNotAllowed, errors.JWKSNoMatchingKey];
  if (wrong.some((type) => error instanceof type)) return refused('it is not signed by the provider');
  const malformed = [errors.JWSInvalid, errors.JWTInvalid, errors.JOSENotSupported, errors.JWKSMultipleMatchingKeys];
  return malformed.some((type) => error instanceof type) ? refused('it cannot be read') : providerUnavailable();
}

const refused = (why: string): DomainError =>
  new DomainError('unauthorized', `the sign-on provider's answer is not taken: ${why}`);
