import { SignatureErrorCode } from 'http-message-sig';
import { expect, it } from 'vitest';
import { createSecp256k1 } from '../../../src/core/keys/create-secp256k1.ts';
import { signatureMistake } from '../../../src/core/request-signatures/signature-mistakes.ts';
import { signatureInvalid, verifyRequest } from '../../../src/core/request-signatures/verify-request.ts';
import { createVerifyBytes, createVerifyMessage } from '../../../src/core/request-signatures/verify-signature.ts';

const PARAMETERS = ';created=1800000000;keyid="k";nonce="n";tag="ashlar"';
const COVERED = '"@method" "@authority" "@path" "@query"';
const INPUT = `sig=(${COVERED})${PARAMETERS}`;
const VALUE = 'sig=:AAAA:';

async function told(signature: string, input: string): Promise<string> {
  const refused = verifyRequest(
    {
      method: 'POST',
      origin: 'https://api.example.com',
      target: '/api/v1/wallets',
      headers: { signature, 'signature-input': input },
      parts: { body: false, idempotencyKey: false },
      secretBody: false,
    },
    {
      verifyMessage: createVerifyMessage(createVerifyBytes(createSecp256k1())),
      resolveKey: () => {
        throw signatureInvalid('no such key');
      },
      now: 1_800_000_000,
    },
  );
  return refused.then(
    () => 'taken',
    (error: Error) => error.message.replace('the signature is not valid: ', ''),
  );
}

it.each([
  [VALUE, INPUT, /^no such key$/],
  ['nonsense', 'nonsense', /^Signature must look like sig=:<base64>:$/],
  ['sig=:AAAA', INPUT, /^Signature must look like/],
  ['sig=("a")', INPUT, /^Signature must look like/],
  [VALUE, 'nonsense', /^Signature-Input must look like sig=\("@method"/],
  [VALUE, `sig="a"`, /^Signature-Input must look like/],
  [VALUE, INPUT.replace('created=1800000000', 'created="now"'), /^Signature-Input must look like/],
  [VALUE, INPUT.replace('nonce="n"', 'nonce=5'), /^Signature-Input must look like/],
  [VALUE, INPUT.replace('@method', '@Method'), /names in lower case/],
  ['', '', /^exactly one/],
  [
    VALUE,
    `sig=(${COVERED} "content-digest" "idempotency-key")${PARAMETERS}`,
    /^it covers content-digest, idempotency-key, which the request does not have/,
  ],
  [`${VALUE}, more=:AAAA:`, `${INPUT}, ${INPUT.replace('sig=', 'more=')}`, /^exactly one/],
  [`${VALUE}, ${VALUE}`, INPUT, /^exactly one|^Signature must look/],
  ['other=:AAAA:', INPUT, /name different signatures/],
  [VALUE, INPUT.replace('"@query"', '"@query" "@query"'), /covers a component twice/],
  [
    VALUE,
    INPUT.replace('"@query"', '"@query" "@status"'),
    /a component that is not supported: it may cover @method, @authority/,
  ],
  [VALUE, INPUT.replace('"@query"', '"@query-param";name="a"'), /covers a component that is not supported/],
  [VALUE, `${INPUT};alg="hmac-sha256"`, /^its alg "hmac-sha256" must be that of the key, one of ed25519/],
])('of %s and %s is said %s', async (signature, input, text) => expect(await told(signature, input)).toMatch(text));

it('has a sentence for each of the kinds of error that the library knows', () => {
  const message = { kind: 'request', method: 'GET', targetUri: 'https://a', fields: [] } as const;
  const known = Object.values(SignatureErrorCode).filter(
    (code) => code !== 'ResolverFailed' && code !== 'VerificationFailed',
  );
  for (const code of known) expect(signatureMistake(code, message), code).toMatch(/^\w.{15}/);
});
