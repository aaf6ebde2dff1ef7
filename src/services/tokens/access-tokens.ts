/** Access tokens: `at+jwt` (RFC 9068), EdDSA, 15 minutes. Issued to OAuth clients and to people; verified against who they stand for now. */
import { hash } from 'node:crypto';
import type { BlockList } from 'node:net';
import { SignJWT } from 'jose';
import { narrowScopes, scopeAllows } from '../../core/access.ts';
import { DomainError } from '../../core/errors.ts';
import { type AccountId, newId } from '../../core/ids.ts';
import { createLru } from '../../core/lru.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { listAllows } from '../credentials/address-list.ts';
import { createCredentialCache } from '../credentials/credential-cache.ts';
import { CredentialRefused } from '../credentials/credential-refused.ts';
import type { Caller } from '../requests/request-context.ts';
import { ACCESS_TOKEN_LIFE_SECONDS, type JwtVerifier, type TokenClaims, tokenClaims } from './token-claims.ts';
import type { TokenKeys } from './token-keys.ts';

/** `client_id` of tokens that people get by logging in: the service itself is their client (RFC 9068 §2.2). */
const FIRST_PARTY_CLIENT = 'ashlar';
const VERIFIED_TOKENS = 10_000;

type SubjectKind = 'oauth_client' | 'person';

export interface TokenSubject {
  readonly kind: SubjectKind;
  /** Client id or user id: the `sub` claim. */
  readonly id: string;
  readonly accountId: AccountId;
  /** Scopes that the token is narrowed to; the subject's present scopes bound it besides. */
  readonly scopes: readonly string[];
  /** A person's session: the `sid` claim. A revoked session's tokens are refused at once. */
  readonly sessionId: string | null;
  /** The key that signed the login: `cnf.jkt` (RFC 9449 §6.1). */
  readonly boundKeyId: string | null;
}

/** What a token's subject may do now; null where it is gone, disabled or its session revoked. */
export interface LoadedSubject {
  readonly caller: Caller;
  readonly allowedIps: BlockList | null;
}
type Subject = Pick<TokenClaims, 'subjectId' | 'sessionId'>;

/** Given by the service that knows the subject (OAuth clients, people); cached by it, so that both forms are quick. */
export interface SubjectLoader {
  findCached(of: Subject): LoadedSubject | null | undefined;
  find(of: Subject): Promise<LoadedSubject | null>;
}

/** Who a token speaks for, as things stand. */
export interface AdmittedToken {
  readonly kind: SubjectKind;
  readonly caller: Caller;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

interface VerifiedToken {
  readonly claims: TokenClaims;
  /** What the last look made of the subject, as long as that is the same. */
  admitted: { subject: LoadedSubject; token: AdmittedToken } | null;
}

const refused = (message: string): DomainError => new DomainError('unauthorized', message);

export function createAccessTokens(deps: {
  store: Store;
  keys: Pick<TokenKeys, 'signer' | 'isPublishedCached' | 'publicPem'>;
  /** The first of PUBLIC_ORIGINS: issuer and audience. */
  issuer: string;
  clock: () => number;
  randomBytes: (size: number) => Uint8Array;
}) {
  const { store, keys, issuer, clock, randomBytes } = deps;
  const loaders = new Map<SubjectKind, SubjectLoader>();
  const verified = createLru<string, VerifiedToken>(VERIFIED_TOKENS);
  const revocations = createCredentialCache<boolean>({
    store,
    clock,
    read: (tokenId) => store.read.revokedTokens.has(tokenId),
  });
  let verifier: JwtVerifier = () => {
    throw new Error('no verifier of access tokens was given');
  };

  /** The signature is checked once for a token; what can change is looked at each time. */
  async function verifiedOf(token: string): Promise<VerifiedToken> {
    const digest = hash('sha256', token, 'base64');
    const known = verified.get(digest);
    if (known !== undefined) return known;
    return verified.set(digest, { claims: tokenClaims(await verifier(token, clock())), admitted: null });
  }

  function assertNotExpired({ expiresAt }: TokenClaims): void {
    if (expiresAt <= clock()) throw refused('the access token has expired: get a new one');
  }
  const keyIsGone = () => refused('the access token is signed with a key that is no longer published: get a new one');

  function admit(
    known: VerifiedToken,
    { subject, revoked }: { subject: LoadedSubject | null; revoked: boolean },
    remoteAddress: string,
  ): AdmittedToken {
    const { claims } = known;
    if (subject === null || subject.caller.accountId !== claims.accountId) {
      throw refused(
        'the session has ended, or whoever the access token was issued to was disabled or revoked: get a new token',
      );
    }
    if (revoked) throw new CredentialRefused('unauthorized', 'the access token was revoked', subject.caller);
    if (known.admitted?.subject !== subject) known.admitted = { subject, token: admitted(claims, subject) };
    if (subject.allowedIps !== null && !listAllows(subject.allowedIps, remoteAddress)) {
      throw new CredentialRefused(
        'forbidden',
        'the credential does not allow requests from this address',
        subject.caller,
      );
    }
    return known.admitted.token;
  }

  return {
    async issue(subject: TokenSubject) {
      const { keyId, privateKey } = await keys.signer();
      const tokenId = newId('tok', randomBytes);
      const issuedAt = Math.floor(clock() / 1000);
      const token = await new SignJWT({
        client_id: subject.kind === 'oauth_client' ? subject.id : FIRST_PARTY_CLIENT,
        scope: subject.scopes.join(' '),
        account: subject.accountId,
        ...(subject.sessionId === null ? {} : { sid: subject.sessionId }),
        ...(subject.boundKeyId === null ? {} : { cnf: { jkt: subject.boundKeyId } }),
      })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: keyId })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setSubject(subject.id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_TOKEN_LIFE_SECONDS)
        .setJti(tokenId)
        .sign(privateKey);
      return { token, expiresInSeconds: ACCESS_TOKEN_LIFE_SECONDS, tokenId };
    },
    /** From then on tokens of this kind are admitted; before, they are refused. */
    registerSubjects(kind: SubjectKind, loader: SubjectLoader) {
      loaders.set(kind, loader);
    },
    /** Given by the hook layer, which checks signature, algorithm, type, issuer, audience and times. */
    verifyWith(given: JwtVerifier) {
      verifier = given;
    },
    /**
     * Role, tier and limits are the subject's of now; its scopes those that the token has too. Throws `unauthorized` for what is no
     * token of ours, has expired, was revoked, or whose subject is gone; `forbidden` for an address that the subject does not allow.
     */
    async verify(token: string, remoteAddress: string) {
      const known = await verifiedOf(token);
      const { keyId, tokenId, kind } = known.claims;
      assertNotExpired(known.claims);
      if ((await keys.publicPem(keyId)) === null) throw keyIsGone();
      const revoked = (await revocations.load(tokenId)) === true;
      const subject = (await loaders.get(kind)?.find(known.claims)) ?? null;
      return admit(known, { subject, revoked }, remoteAddress);
    },
    /** The same where all of it was known a moment ago; null where the database is to be asked. */
    verifyCached(token: string, remoteAddress: string) {
      const known = verified.get(hash('sha256', token, 'base64'));
      if (known === undefined) return null;
      const { keyId, tokenId, kind } = known.claims;
      assertNotExpired(known.claims);
      const published = keys.isPublishedCached(keyId);
      const revoked = revocations.get(tokenId);
      const subject = loaders.get(kind)?.findCached(known.claims);
      if (published === undefined || revoked === undefined || subject === undefined) return null;
      if (!published) throw keyIsGone();
      return admit(known, { subject, revoked: revoked === true }, remoteAddress);
    },
    /** What a token of ours says that has not expired, whoever presents it. Throws `unauthorized`. */
    async claimsOf(token: string) {
      const { claims } = await verifiedOf(token);
      assertNotExpired(claims);
      if ((await keys.publicPem(claims.keyId)) === null) throw keyIsGone();
      return claims;
    },
    /** In a job: the token is refused from its commit on, in every process. */
    revoke: (tx: Pick<Repositories, 'revokedTokens'>, { tokenId, accountId, expiresAt }: TokenClaims) =>
      tx.revokedTokens.insert({ tokenId, accountId, expiresAt }),
    /** Forgets revoked tokens that have ended by themselves; answers how many. */
    sweep: () => store.write((tx) => tx.revokedTokens.deleteExpired(clock())),
  };
}

export type AccessTokens = ReturnType<typeof createAccessTokens>;

/** A token never gives more than its subject has now, nor more than it was issued for. */
function admitted(claims: TokenClaims, { caller }: LoadedSubject): AdmittedToken {
  const { kind, boundKeyId, expiresAt } = claims;
  const scopes = narrowScopes(caller.credential.scopes, claims.scopes);
  // A person's token signs with the key that signed the login, if any; a client with those enrolled for it.
  const bound = boundKeyId === null ? ('none' as const) : { keyId: boundKeyId };
  const signingKey = kind === 'person' ? bound : caller.credential.signingKey;
  // A token that was narrowed gives no more than it has.
  const mayGrant = caller.credential.mayGrant && caller.credential.scopes.every((scope) => scopeAllows(scopes, scope));
  return { kind, expiresAt, caller: { ...caller, credential: { ...caller.credential, scopes, mayGrant, signingKey } } };
}
