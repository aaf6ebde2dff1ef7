/**
 * Request signatures (RFC 9421): which requests need one, and whether the one sent is by a key enrolled for the credential, over this
 * request, and new. What it must cover is core/request-signatures' rule.
 */
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { DomainError } from '../../core/errors.ts';
import type { FindOrigin } from '../../core/request-signatures/authorities.ts';
import type { SignedParts } from '../../core/request-signatures/signature-rule.ts';
import type { PublicJwk } from '../../core/request-signatures/signing-algorithm.ts';
import {
  checkDigest,
  isSigned,
  signatureInvalid,
  signatureMissing,
  type VerifiedRequest,
  verifyRequest,
} from '../../core/request-signatures/verify-request.ts';
import type { VerifyMessage } from '../../core/request-signatures/verify-signature.ts';
import type { LoadCaller, SigningKeyRecord, SigningKeyService } from '../../services/credentials/signing-keys.ts';
import { type NonceBook, nonceReused } from '../../services/requests/nonces.ts';
import type { Caller, RequestSignature } from '../../services/requests/request-context.ts';
import { isDryRun } from '../dry-run.ts';
import { type Fingerprints, idempotencyKeyOf } from '../idempotency.ts';
import { digestOf } from '../request-facts.ts';
import type { SignedCallers } from './authentication.ts';
import { ownsWhatItNames } from './authorization.ts';
import { announcedParts, arrivedParts } from './signature-challenge.ts';

export interface SignatureDeps {
  readonly signingKeys: Pick<SigningKeyService, 'findCached' | 'find' | 'used'>;
  readonly nonces: Pick<NonceBook, 'spentFor'>;
  readonly fingerprints: Fingerprints;
  readonly originOf: FindOrigin;
  readonly verifyMessage: VerifyMessage;
  /** Who a key speaks for where nothing else is presented. */
  readonly loadCaller: LoadCaller;
  readonly clock: () => number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Verified before the body came: of a request that presents nothing else. */
    signedHead: VerifiedRequest | null;
  }
}

/** null: signatures cannot be verified here, and what needs one is refused. */
export const signature = fp(
  async (app, { signatures }: { signatures: SignatureDeps | null }) => {
    app.decorateRequest('signature', null);
    app.decorateRequest('signedHead', null);
    app.addHook('preHandler', (request, _reply, done) => {
      const { required, verified } = needOf(request);
      if (!required && !(verified && isSigned(request))) return done();
      if (signatures === null) return done(signatureMissing(arrivedParts(request)));
      verify(request, signatures).then(() => done(), done);
    });
  },
  { name: 'signature', dependencies: ['authentication', 'bodies'] },
);

/** required: refused without one. verified: one that is sent must hold. */
function needOf(request: FastifyRequest): { required: boolean; verified: boolean } {
  const { declaration } = request;
  if (declaration === null) return { required: false, verified: false };
  if (request.credentialForm === 'signature') return { required: true, verified: true };
  const { access, effect, bindsSignature } = declaration;
  if (access === 'public') return { required: false, verified: bindsSignature === true };
  const { caller } = request;
  if (caller === null || isDryRun(request)) return { required: false, verified: false };
  if (effect !== 'write') return { required: false, verified: bindsSignature === true };
  const own = ownsWhatItNames(caller, access, request.params as Record<string, unknown>);
  return { required: caller.credential.requireSignature && !own, verified: true };
}

async function verify(request: FastifyRequest, deps: SignatureDeps): Promise<void> {
  const { caller, rawBody, headers } = request;
  const secretBody = request.declaration?.secretBody === true;
  refuseKeyless(caller);
  let key: SigningKeyRecord | null = null;
  const verified =
    request.signedHead ??
    (await verifyHead(request, arrivedParts(request), deps, async (keyId) => {
      key = deps.signingKeys.findCached(keyId) ?? (await deps.signingKeys.find(keyId));
      return standingKey(key, keyId, caller);
    }));
  if (rawBody !== null || headers['content-digest'] !== undefined) {
    checkDigest(headers['content-digest'], digestOf(request));
  }
  const fingerprint = deps.fingerprints.ofSigned(request);
  request.signature = factsOfSignature(verified, fingerprint, secretBody);
  if (key !== null) deps.signingKeys.used(key);
  const spentFor = await deps.nonces.spentFor(verified);
  if (spentFor !== null && spentFor !== fingerprint) throw nonceReused();
}

/** What of the signature there is to verify before the body has come: all but the digest's truth. */
function verifyHead(
  request: FastifyRequest,
  parts: SignedParts,
  { originOf, verifyMessage, clock }: SignatureDeps,
  resolveKey: (keyId: string) => PublicJwk | Promise<PublicJwk>,
): Promise<VerifiedRequest> {
  // 400 for a malformed key: it would be signed and then refused.
  idempotencyKeyOf(request);
  const origin = originOf(request.host ?? '');
  if (origin === null) {
    const sent = request.host ? `"${request.host}"` : 'missing';
    throw signatureInvalid(
      `the Host is ${sent}, which is none of this service's public origins (PUBLIC_ORIGINS): call it by one of those`,
    );
  }
  const { method, originalUrl, headers } = request;
  const secretBody = request.declaration?.secretBody === true;
  return verifyRequest(
    { method, origin, target: originalUrl, headers, parts, secretBody },
    { verifyMessage, resolveKey, now: Math.floor(clock() / 1000) },
  );
}

/** Of a client that was made without a key no signature would do: it is told so, instead of which signature is missing. */
function refuseKeyless(caller: Caller | null): void {
  if (caller?.credential.kind !== 'oauth_client' || caller.credential.signingKey !== 'none') return;
  const message =
    'no signing key is enrolled for this OAuth client, so it can only read: enrol one at /api/v1/signing-keys (/docs/signing)';
  throw new DomainError('signature_missing', message, { field: 'headers.signature' });
}

/** The key, where it may sign for who asks (on login: for whoever it belongs to). Others' keys are told of as if they were not there. */
function standingKey(key: SigningKeyRecord | null, keyId: string, caller: Caller | null): PublicJwk {
  const owner = caller?.credential;
  const others =
    caller !== null &&
    (key?.accountId !== caller.accountId ||
      key.credentialKind !== caller.credential.kind ||
      key.credentialId !== caller.credential.id);
  if (key === null || others) {
    throw signatureInvalid(`its key "${keyId}" is not enrolled for the credential that the request presents`);
  }
  if (key.revokedAt !== null) throw signatureInvalid(`its key "${keyId}" was revoked`);
  if (owner?.signingKey === 'none') {
    throw signatureInvalid(
      'the access token is bound to no key: sign the login with an enrolled key to get one that is',
    );
  }
  if (typeof owner?.signingKey === 'object' && owner.signingKey.keyId !== keyId) {
    throw signatureInvalid(`the access token is bound to another key: ${owner.signingKey.keyId} (its cnf.jkt)`);
  }
  return key.publicJwk;
}

function factsOfSignature(verified: VerifiedRequest, fingerprint: string, secretBody: boolean): RequestSignature {
  const { keyId, algorithm, nonce, created, base, value } = verified;
  const shown = secretBody ? { base: null, value: null } : { base, value };
  return { keyId, algorithm, nonce, createdAt: created * 1000, fingerprint, ...shown };
}

/** Who asks where nothing but a signature is presented (family G): verified as far as it can be before the body comes. */
export const createSignedCallers = (deps: SignatureDeps): SignedCallers => ({
  presented: (request) => isSigned(request),
  async callerOf(request) {
    let key: SigningKeyRecord | null = null;
    const verified = await verifyHead(request, announcedParts(request), deps, async (keyId) => {
      key = deps.signingKeys.findCached(keyId) ?? (await deps.signingKeys.find(keyId));
      return standingKey(key, keyId, null);
    });
    const { accountId, credentialKind: kind, credentialId: id, keyId } = key as unknown as SigningKeyRecord;
    const caller = await deps.loadCaller({ accountId, kind, id, keyId }, request.ip);
    request.signedHead = verified;
    deps.signingKeys.used(key as unknown as SigningKeyRecord);
    return caller;
  },
});
