/** Signing a request as this service wants it (RFC 9421, RFC 9530): what every client of ours does. */
import { createPrivateKey, type JsonWebKey, sign } from 'node:crypto';
import { createSignatureSync } from 'http-message-sig';
import { contentDigest } from './content-digest.ts';
import { requiredComponents, SIGNATURE_TAG } from './signature-rule.ts';
import { algorithmOf, type PrivateJwk, publicJwkOf, thumbprintOf } from './signing-algorithm.ts';

/** Throws where the JWK holds no usable key. */
export function requestSigner(jwk: PrivateJwk) {
  const algorithm = algorithmOf(jwk);
  const key = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
  return {
    /** RFC 7638 thumbprint: the signature's keyid. */
    keyId: thumbprintOf(publicJwkOf(jwk)),
    algorithm,
    sign: (base: Uint8Array) =>
      algorithm === 'ed25519' ? sign(null, base, key) : sign('sha256', base, { key, dsaEncoding: 'ieee-p1363' }),
  };
}

export type RequestSigner = ReturnType<typeof requestSigner>;

export interface UnsignedRequest {
  readonly method: string;
  /** Absolute: the authority, path and query that the request goes to. */
  readonly url: string;
  /** `content-type` of a body and `idempotency-key` are signed; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** null: none. */
  readonly body: Uint8Array | null;
}

/**
 * The headers to add: content-digest (with a body), signature-input, signature. `created` in Unix seconds; `nonce` is 1 to 255 visible
 * ASCII characters, new for every request and the same when one is sent again.
 */
export function signRequest(
  request: UnsignedRequest,
  signer: RequestSigner,
  { created, nonce }: { created: number; nonce: string },
): Record<string, string> {
  const { method, url, headers, body } = request;
  const hasBody = body !== null && body.length > 0;
  const digest: Record<string, string> = hasBody ? { 'content-digest': contentDigest(body) } : {};
  const components = requiredComponents({
    body: hasBody,
    idempotencyKey: headers['idempotency-key'] !== undefined,
  });
  const covered = { ...headers, ...digest };
  const { signature, signatureInput } = createSignatureSync(
    {
      kind: 'request',
      method,
      targetUri: url,
      fields: components
        .filter((name) => !name.startsWith('@'))
        .map((name) => ({ name, value: covered[name] ?? missing(name) })),
    },
    {
      label: 'sig',
      components,
      parameters: { created, keyid: signer.keyId, nonce, tag: SIGNATURE_TAG },
      signer,
    },
  );
  return { ...digest, 'signature-input': signatureInput, signature };
}

function missing(name: string): never {
  throw new Error(`a request with a body needs ${name} before it is signed`);
}
