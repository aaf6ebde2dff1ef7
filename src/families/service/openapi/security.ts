/** How callers authenticate and sign, as OpenAPI says it. */
import { type AnyOperation, type CredentialForm, FAMILY_CREDENTIALS } from '../../../hooks/operation.ts';

const SCHEME: Readonly<Record<CredentialForm, string>> = {
  api_key: 'apiKey',
  oauth_token: 'oauth2',
  user_token: 'userToken',
  signature: 'requestSignature',
};

/** Whether a request to it must be signed, as a rule: a dry run and a person's own record need no signature. */
export const takesSignature = ({ effect, access }: AnyOperation): boolean => effect === 'write' && access !== 'public';

/** Whether one that is sent must hold: login binds its token to the key. */
export const verifiesSignature = (operation: AnyOperation): boolean =>
  takesSignature(operation) || operation.bindsSignature === true;

/** It takes no credential but a person's access token. */
export const isOfPeople = ({ credentials }: AnyOperation): boolean =>
  credentials?.length === 1 && credentials[0] === 'user_token';

/** The alternatives of an operation, one per form of credential; none where it is public, but for a signature that may be sent. */
export function securityOf(operation: AnyOperation): Record<string, string[]>[] {
  const { access, credentials, family, bindsSignature } = operation;
  if (access === 'public') return bindsSignature === true ? [{}, { requestSignature: [] }] : [];
  const unsigned = { [SCHEME.user_token]: [] };
  if (isOfPeople(operation)) return [unsigned];
  const signed = takesSignature(operation) ? { requestSignature: [] } : {};
  const alternatives = (credentials ?? FAMILY_CREDENTIALS[family]).map((form) => ({
    [SCHEME[form]]: form === 'oauth_token' ? [access.scope] : [],
    ...signed,
  }));
  if (bindsSignature === true) return alternatives.flatMap((one) => [one, { ...one, requestSignature: [] }]);
  return access.own !== undefined && takesSignature(operation) ? [...alternatives, unsigned] : alternatives;
}

export function securitySchemes(operations: readonly AnyOperation[]): Record<string, unknown> {
  const scopes = operations.flatMap(({ access }) => (access === 'public' ? [] : [access.scope]));
  return {
    apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer ak_…`' },
    oauth2: {
      type: 'oauth2',
      description: 'An access token of an OAuth client (RFC 6749 §4.4, RFC 9068), valid for 15 minutes',
      flows: {
        clientCredentials: {
          tokenUrl: '/oauth/token',
          scopes: Object.fromEntries([...new Set(scopes)].sort().map((scope) => [scope, scopeText(scope)])),
        },
      },
    },
    userToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: "A person's access token, from `/api/v1/auth/login`, valid for 15 minutes",
    },
    requestSignature: {
      type: 'apiKey',
      in: 'header',
      name: 'Signature',
      description: `An HTTP message signature (RFC 9421) by a key enrolled for the credential that is presented, over \`@method\`,
\`@authority\`, \`@path\` and \`@query\`, with a body also \`content-type\` and \`content-digest\`, and \`idempotency-key\` where sent; with the
parameters created, keyid, nonce and tag="ashlar". Not needed for a dry run. Three headers carry it:

    Signature-Input: sig=("@method" "@authority" "@path" "@query" "content-type" "content-digest" "idempotency-key");created=1795000000;keyid="…";nonce="…";tag="ashlar"
    Signature: sig=:…:
    Content-Digest: sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:

\`Content-Digest\` (RFC 9530), the SHA-256 of the body, is needed where there is one.`,
    },
  };
}

function scopeText(scope: string): string {
  const [noun = '', verb] = scope.split(':');
  return `${verb === 'write' ? 'Read and change' : 'Read'} ${noun.replaceAll('-', ' ')}`;
}
