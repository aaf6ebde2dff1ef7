/** Signs what tests send, as a client of the service would, with the pairs that belong to the credentials used. */
import { randomBytes } from 'node:crypto';
import { requestSigner, signRequest } from '../../src/core/request-signatures/sign-request.ts';
import type { PrivateJwk } from '../../src/core/request-signatures/signing-algorithm.ts';

/** false: no signature. A key: by that one, whoever it belongs to. */
export type Signing = boolean | PrivateJwk;

export interface Signable {
  method: string;
  /** Path and query. */
  path: string;
  /** The Host that is sent: the signature's authority. */
  host: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string | Uint8Array | null;
}

/** content-digest, signature-input and signature of a request. */
export function signatureHeaders(
  request: Signable,
  jwk: PrivateJwk,
  given: { at?: number; nonce?: string } = {},
): Record<string, string> {
  const { method, path, host, headers, body } = request;
  const { at = Date.now(), nonce = randomBytes(12).toString('base64url') } = given;
  return signRequest(
    { method, url: `http://${host}${path}`, headers, body: body === null ? null : Buffer.from(body as string) },
    requestSigner(jwk),
    { created: Math.floor(at / 1000), nonce },
  );
}

/** Pairs by the bearer credential (an API key, a token) that they are enrolled for. */
export function createPairs(clock: () => number) {
  const pairs = new Map<string, PrivateJwk>();
  return {
    remember(credential: string, jwk: PrivateJwk): void {
      pairs.set(credential, jwk);
    },
    of(credential: string): PrivateJwk | null {
      return pairs.get(credential) ?? null;
    },
    /** What a request that modifies is sent with: nothing where it is not to be signed, or its credential has no pair here. */
    headersFor(request: Signable, sign: Signing = true): Record<string, string> {
      if (sign === false || (sign === true && request.method === 'GET')) return {};
      const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
      if (sign !== true) return signatureHeaders(request, sign, { at: clock() });
      const jwk = pairs.get(bearer);
      if (jwk === undefined) return {};
      try {
        return signatureHeaders(request, jwk, { at: clock() });
      } catch {
        // No client can sign it (a header that is not ASCII, a method that is none): it goes as it is.
        return {};
      }
    },
  };
}

export const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
