/** `fetch` for a service that wants signed requests: what TypeScript callers import (docs/signing.md). */
import { randomBytes, randomUUID } from 'node:crypto';
import { requestSigner, signRequest } from '../core/request-signatures/sign-request.ts';
import type { PrivateJwk } from '../core/request-signatures/signing-algorithm.ts';

export type { PrivateJwk };

export interface SignedFetchOptions {
  /** Of the service, as its clients know it: `https://api.example.com`. Requests go nowhere else, nor does the credential. */
  readonly origin: string;
  /** Sent as the bearer token; without one (family G) the signature alone says who asks. */
  readonly apiKey?: string;
  readonly accessToken?: string;
  /** Checked against the key's thumbprint where given. */
  readonly keyId?: string;
  readonly privateJwk: PrivateJwk;
}

export interface SignedRequestInit {
  readonly method?: string;
  readonly headers?: RequestInit['headers'];
  /** A string is JSON unless Content-Type says otherwise. */
  readonly body?: string | Uint8Array | null;
  readonly signal?: AbortSignal;
}

/** `path` is relative to the origin. */
export type SignedFetch = (path: string, init?: SignedRequestInit) => Promise<Response>;

const READS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Every request is signed: some reads answer a secret to no other. What modifies has an Idempotency-Key: the caller's, or a new one. To retry, call again with the same
 * Idempotency-Key. Redirects are not followed: a signature is for one authority and path.
 * Throws where the key is none, or `path` leads to another origin.
 */
export function signedFetch(options: SignedFetchOptions): SignedFetch {
  const { apiKey, accessToken, keyId, privateJwk } = options;
  const origin = new URL(options.origin).origin;
  const signer = requestSigner(privateJwk);
  if (keyId !== undefined && keyId !== signer.keyId) throw new Error(`keyId is not that of the key: ${signer.keyId}`);
  const token = apiKey ?? accessToken;

  return async (path, init = {}) => {
    const url = new URL(path, origin);
    if (url.origin !== origin) throw new Error(`${path} is not at ${origin}`);
    url.hash = '';
    const method = (init.method ?? 'GET').toUpperCase();
    const body = typeof init.body === 'string' ? Buffer.from(init.body) : (init.body ?? null);
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (body !== null && body.length > 0 && !headers.has('content-type')) {
      headers.set('content-type', 'application/json');
    }
    const modifies = !READS.includes(method);
    if (modifies && !headers.has('idempotency-key')) headers.set('idempotency-key', randomUUID());
    const signed = signRequest({ method, url: url.href, headers: Object.fromEntries(headers), body }, signer, {
      created: Math.floor(Date.now() / 1000),
      nonce: randomBytes(16).toString('base64url'),
    });
    for (const [name, value] of Object.entries(signed)) headers.set(name, value);
    return fetch(url, {
      method,
      headers,
      redirect: 'manual',
      ...(body === null ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      ...(init.signal === undefined ? {} : { signal: init.signal }),
    });
  };
}
