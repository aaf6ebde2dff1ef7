/**
 * Ed25519 keys and signed requests with WebCrypto (docs/signing.md: RFC 9421, RFC 9530). Chrome 137, Firefox 136, Safari 17 or later, on
 * pages from https:// or from this machine (localhost, 127.0.0.1): elsewhere there is no crypto.subtle.
 */
const bytes = (text) => new TextEncoder().encode(text);
const base64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));
const base64url = (buffer) => base64(buffer).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const sha256 = (text) => crypto.subtle.digest('SHA-256', bytes(text));
const sign = (pair, text) => crypto.subtle.sign('Ed25519', pair.privateKey, bytes(text));
const unixSeconds = () => Math.floor(Date.now() / 1000);

/** A CryptoKeyPair whose private key no script can read; IndexedDB keeps it as it is. */
export const newPair = () => crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);

/** The public half as the service takes it: {kty, crv, x}. */
export async function publicJwk(pair) {
  const { kty, crv, x } = await crypto.subtle.exportKey('jwk', pair.publicKey);
  return { kty, crv, x };
}

/** The RFC 7638 thumbprint, which signatures name as their keyid. */
export async function keyIdOf(pair) {
  const { kty, crv, x } = await publicJwk(pair);
  return base64url(await sha256(JSON.stringify({ crv, kty, x })));
}

/** For enrolling the key within five minutes: a compact JWS (RFC 7515) which shows that the private half is here. */
export async function proofOf(pair, { accountId, credentialId }) {
  const part = (value) => base64url(bytes(JSON.stringify(value)));
  const header = part({ typ: 'ashlar-pop+jwt', alg: 'EdDSA' });
  const signed = `${header}.${part({ aud: accountId, sub: credentialId, iat: unixSeconds() })}`;
  return `${signed}.${base64url(await sign(pair, signed))}`;
}

/**
 * The headers to send: those given and Content-Digest, Signature-Input and Signature. `headers` has names in lower case, `content-type`
 * among them where `body` (text) is not empty.
 */
export async function signedHeaders(pair, { method, url, headers, body = '' }) {
  const { host, pathname, search } = new URL(url);
  const digest = body === '' ? {} : { 'content-digest': `sha-256=:${base64(await sha256(body))}:` };
  const sent = { ...headers, ...digest };
  const names = ['idempotency-key', ...(body === '' ? [] : ['content-type', 'content-digest'])];
  const fields = names.filter((name) => name in sent).map((name) => [name, sent[name]]);
  const covered = [
    ['@method', method],
    ['@authority', host],
    ['@path', pathname],
    ['@query', search || '?'],
    ...fields,
  ];

  const nonce = base64url(crypto.getRandomValues(new Uint8Array(16)));
  const components = covered.map(([name]) => `"${name}"`).join(' ');
  const parameters = `(${components});created=${unixSeconds()};keyid="${await keyIdOf(pair)}";nonce="${nonce}";tag="ashlar"`;
  const base = [...covered, ['@signature-params', parameters]].map(([name, value]) => `"${name}": ${value}`).join('\n');
  return { ...sent, 'signature-input': `sig=${parameters}`, signature: `sig=:${base64(await sign(pair, base))}:` };
}
