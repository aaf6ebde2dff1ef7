/**
 * Who asks: what is presented, in which form, and whether the operation takes that form and the credential may do what it declares.
 * `Authorization: Bearer ak_…` is an API key, another bearer token with two dots an access token (of an OAuth client or of a person);
 * without that header a request may be signed.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { DomainError } from '../../core/errors.ts';
import type { ApiKeyService } from '../../services/credentials/api-keys.ts';
import type { Caller } from '../../services/requests/request-context.ts';
import type { AccessTokens, AdmittedToken } from '../../services/tokens/access-tokens.ts';
import { addGate } from '../entrance.ts';
import { type CredentialForm, FAMILY_CREDENTIALS } from '../operation.ts';
import type { RouteDeclaration } from '../register-operations.ts';
import { authorize } from './authorization.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public operations, and where what was presented does not stand. */
    caller: Caller | null;
    /** How the caller's credential was presented; null with the caller. */
    credentialForm: CredentialForm | null;
  }
}

/** For operations that take a signature without an Authorization header (family G). */
export interface SignedCallers {
  /** Whether the request names a signature. */
  presented(request: FastifyRequest): boolean;
  /** Whom the key is enrolled for. That the signature holds is checked once the body is read. */
  callerOf(request: FastifyRequest): Promise<Caller>;
}

export interface AuthenticationDeps {
  apiKeys: Pick<ApiKeyService, 'verify' | 'verifyCached'>;
  /** null: access tokens are refused. */
  accessTokens: Pick<AccessTokens, 'verify' | 'verifyCached'> | null;
  /** null: requests without an Authorization header are refused. */
  signedCallers: SignedCallers | null;
}

interface Identified {
  readonly caller: Caller;
  readonly form: CredentialForm;
}

const SCHEME = /^Bearer +(\S+)$/i;
const TOKEN_FORM = /^[^.]+\.[^.]+\.[^.]*$/;

const NAMES: Readonly<Record<CredentialForm, string>> = {
  api_key: 'an API key',
  oauth_token: 'an access token of an OAuth client',
  user_token: "a person's access token",
  signature: 'a signature without Authorization header',
};

export const authentication = fp(
  async (app, deps: AuthenticationDeps) => {
    app.decorateRequest('caller', null);
    app.decorateRequest('credentialForm', null);
    const enter = ({ caller, form }: Identified, request: FastifyRequest): void => {
      const { declaration } = request;
      // Known before it is refused, so that refusals count against the credential.
      request.caller = caller;
      request.credentialForm = form;
      if (declaration === null) return;
      assertTaken(form, declaration);
      authorize(caller, declaration, request.params as Record<string, unknown>);
    };
    /** Finds out who asks and whether they may. Throws what `refused` makes of what speaks against it; undefined: nothing does. */
    const admit = (
      request: FastifyRequest,
      refused: (error: unknown) => Error | undefined,
    ): Promise<void> | undefined => {
      const refuse = (error: unknown): void => {
        const told = refused(error);
        if (told !== undefined) throw told;
      };
      try {
        const found = identify(request, deps);
        if (found instanceof Promise) return found.then((one) => enter(one, request)).catch(refuse);
        enter(found, request);
      } catch (error) {
        refuse(error);
      }
      return undefined;
    };

    addGate(app, (request, reply) => {
      const { declaration } = request;
      // Who asks for what is not there is told so whoever it is; that they asked is counted.
      const notThere = request.is404;
      if (declaration === null && !notThere) throw new Error('a route without a declaration was reached');
      if (declaration?.access === 'public') return;
      return admit(request, (error) =>
        notThere && error instanceof DomainError ? undefined : challenged(error as Error, request, reply),
      );
    });

    // Again once the body is there, which may take a minute: a key that was revoked meanwhile, or an account that was frozen, changes nothing.
    app.addHook('preHandler', (request, reply, done) => {
      if (request.caller === null || request.declaration?.effect !== 'write') return done();
      let admitted: Promise<void> | undefined;
      try {
        admitted = admit(request, (error) => challenged(error as Error, request, reply));
      } catch (error) {
        return done(error as Error);
      }
      if (admitted === undefined) done();
      else admitted.then(() => done(), done);
    });
  },
  { name: 'authentication', dependencies: ['request-id'] },
);

/** At once where the credential was seen a moment ago; else the database is asked. Throws `unauthorized`. */
function identify(
  request: FastifyRequest,
  { apiKeys, accessTokens, signedCallers }: AuthenticationDeps,
): Identified | Promise<Identified> {
  const { declaration } = request;
  const header = request.headers.authorization;
  if (header === undefined) {
    const taken = declaration === null || takenBy(declaration).includes('signature');
    if (signedCallers === null || !taken || !signedCallers.presented(request)) throw missing(declaration, request);
    return signedCallers.callerOf(request).then((caller) => ({ caller, form: 'signature' }));
  }
  const credential = SCHEME.exec(header)?.[1];
  if (credential === undefined) {
    throw unauthorized('the Authorization header must be: Bearer <API key or access token>');
  }
  if (TOKEN_FORM.test(credential)) {
    if (accessTokens === null) throw unauthorized('access tokens are not taken here: send an API key');
    const known = accessTokens.verifyCached(credential, request.ip);
    return known === null ? accessTokens.verify(credential, request.ip).then(ofToken) : ofToken(known);
  }
  const known = apiKeys.verifyCached(credential, request.ip);
  return known === null ? apiKeys.verify(credential, request.ip).then(ofApiKey) : ofApiKey(known);
}

const ofApiKey = (caller: Caller): Identified => ({ caller, form: 'api_key' });
const ofToken = ({ caller, kind }: AdmittedToken): Identified => ({
  caller,
  form: kind === 'person' ? 'user_token' : 'oauth_token',
});

const takenBy = ({ credentials, family }: RouteDeclaration): readonly CredentialForm[] =>
  credentials ?? FAMILY_CREDENTIALS[family];

const names = (forms: readonly CredentialForm[]): string => forms.map((form) => NAMES[form]).join(', or ');

/** Throws `unauthorized` for a credential that stands, in a form that the operation does not take. */
function assertTaken(form: CredentialForm, declaration: RouteDeclaration): void {
  const taken = takenBy(declaration);
  if (taken.includes(form)) return;
  throw unauthorized(`this takes ${names(taken)}; ${NAMES[form]} was presented`);
}

function missing(declaration: RouteDeclaration | null, { headers }: FastifyRequest): DomainError {
  const taken = declaration === null ? FAMILY_CREDENTIALS.service : takenBy(declaration);
  const elsewhere = headers['x-api-key'] === undefined ? '' : ' (X-API-Key is not read)';
  return unauthorized(`a credential is missing: send Authorization: Bearer with ${names(taken)}${elsewhere}`);
}

const unauthorized = (message: string): DomainError =>
  new DomainError('unauthorized', message, { field: 'headers.authorization' });

/** A 401 says how to authenticate (RFC 6750). */
function challenged(error: Error, request: FastifyRequest, reply: FastifyReply): Error {
  if (error instanceof DomainError && error.code === 'unauthorized') {
    const wrong = request.headers.authorization === undefined ? '' : ', error="invalid_token"';
    reply.header('www-authenticate', `Bearer realm="ashlar"${wrong}`);
  }
  return error;
}
