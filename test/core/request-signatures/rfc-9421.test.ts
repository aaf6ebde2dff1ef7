/** The examples of RFC 9421 (Appendix B.1 keys, B.2 signatures and bases), through the code that verifies requests. */
import type { MessageDescriptor, RequestDescriptor, ResponseDescriptor } from 'http-message-sig';
import { describe, expect, it } from 'vitest';
import { createSecp256k1 } from '../../../src/core/keys/create-secp256k1.ts';
import type { PublicJwk } from '../../../src/core/request-signatures/signing-algorithm.ts';
import {
  createVerifyBytes,
  createVerifyMessage,
  SignatureInvalid,
} from '../../../src/core/request-signatures/verify-signature.ts';

const KEYS: Record<string, PublicJwk> = {
  'test-key-ecc-p256': {
    kty: 'EC',
    crv: 'P-256',
    x: 'qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA',
    y: 'Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0',
  },
  'test-key-ed25519': { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' },
};

const REQUEST_FIELDS = {
  Host: 'example.com',
  Date: 'Tue, 20 Apr 2021 02:07:55 GMT',
  'Content-Type': 'application/json',
  'Content-Digest':
    'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:',
  'Content-Length': '18',
};
const RESPONSE_FIELDS = {
  Date: 'Tue, 20 Apr 2021 02:07:56 GMT',
  'Content-Type': 'application/json',
  'Content-Digest':
    'sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:',
  'Content-Length': '23',
};

const fields = (given: Record<string, string>) => Object.entries(given).map(([name, value]) => ({ name, value }));
const request = (input: string, signature: string): RequestDescriptor => ({
  kind: 'request',
  method: 'POST',
  targetUri: 'https://example.com/foo?param=Value&Pet=dog',
  fields: fields({ ...REQUEST_FIELDS, 'Signature-Input': input, Signature: signature }),
});
const response = (input: string, signature: string): ResponseDescriptor => ({
  kind: 'response',
  status: 200,
  fields: fields({ ...RESPONSE_FIELDS, 'Signature-Input': input, Signature: signature }),
});

const B24_INPUT =
  '("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"';
const B26_INPUT =
  '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"';
const B24_VALUE = 'wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==';
const B26_VALUE = 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==';

const verifyMessage = createVerifyMessage(createVerifyBytes(createSecp256k1()));
const verify = (message: MessageDescriptor) =>
  verifyMessage(message, ({ parameters }) => KEYS[String(parameters.keyid)] as PublicJwk);

describe('RFC 9421, Appendix B.2', () => {
  it('B.2.4: a response under ecdsa-p256-sha256', async () => {
    const { algorithm, base } = await verify(response(`sig-b24=${B24_INPUT}`, `sig-b24=:${B24_VALUE}:`));
    expect(algorithm).toBe('ecdsa-p256-sha256');
    expect(base.split('\n')).toEqual([
      '"@status": 200',
      '"content-type": application/json',
      `"content-digest": ${RESPONSE_FIELDS['Content-Digest']}`,
      '"content-length": 23',
      `"@signature-params": ${B24_INPUT}`,
    ]);
  });

  it('B.2.6: a request under ed25519', async () => {
    const { algorithm, base } = await verify(request(`sig-b26=${B26_INPUT}`, `sig-b26=:${B26_VALUE}:`));
    expect(algorithm).toBe('ed25519');
    expect(base.split('\n')).toEqual([
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"@path": /foo',
      '"@authority": example.com',
      '"content-type": application/json',
      '"content-length": 18',
      `"@signature-params": ${B26_INPUT}`,
    ]);
  });

  it.each([
    ['B.2.2', '("@authority" "content-digest" "@path" "@query")'],
    ['B.2.3', '("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length")'],
  ])('%s: the base of a request whose algorithm is not taken here', async (_, covered) => {
    const input = `${covered.replace('"@query"', '"@query"')};created=1618884473;keyid="test-key-ed25519"`;
    const refused = await verify(request(`sig=${input}`, `sig=:${B26_VALUE}:`)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SignatureInvalid);
    const values: Record<string, string> = {
      '@method': 'POST',
      '@path': '/foo',
      '@query': '?param=Value&Pet=dog',
      '@authority': 'example.com',
      ...Object.fromEntries(fields(REQUEST_FIELDS).map(({ name, value }) => [name.toLowerCase(), value])),
    };
    const names = [...covered.matchAll(/"([^"]+)"/g)].map(([, name]) => name as string);
    expect((refused as SignatureInvalid).base?.split('\n')).toEqual([
      ...names.map((name) => `"${name}": ${values[name]}`),
      `"@signature-params": ${input}`,
    ]);
  });

  it('fails with another value, another field, another key', async () => {
    const input = `sig-b26=${B26_INPUT}`;
    const broken = `sig-b26=:x${B26_VALUE.slice(1)}:`;
    await expect(verify(request(input, broken))).rejects.toThrow(SignatureInvalid);
    const later = request(input, `sig-b26=:${B26_VALUE}:`);
    const moved = later.fields.map((field) => (field.name === 'Date' ? { ...field, value: `${field.value} ` } : field));
    await expect(verify({ ...later, fields: moved })).resolves.toBeDefined();
    const changed = later.fields.map((field) => (field.name === 'Date' ? { ...field, value: 'today' } : field));
    await expect(verify({ ...later, fields: changed })).rejects.toThrow(SignatureInvalid);
    await expect(verifyMessage(later, () => KEYS['test-key-ecc-p256'] as PublicJwk)).rejects.toThrow(SignatureInvalid);
  });

  it('B.2.5: hmac-sha256 is no algorithm here', async () => {
    const input = '("date" "@authority" "content-type");created=1618884473;keyid="test-key-ed25519";alg="hmac-sha256"';
    const value = 'pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=';
    await expect(verify(request(`sig-b25=${input}`, `sig-b25=:${value}:`))).rejects.toThrow(/hmac-sha256/);
  });
});
