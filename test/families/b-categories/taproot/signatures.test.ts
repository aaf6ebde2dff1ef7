/** BIP340 signatures over HTTP: keys that are given are in no answer and no log. */
import { randomBytes } from 'node:crypto';
import { ECPairFactory } from 'ecpair';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ecc } from '../../../../src/core/keys/ecc.ts';
import { networkParameters } from '../../../../src/core/network.ts';
import { tweakPublicKey } from '../../../../src/core/taproot/tweak.ts';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { schnorrVectors } from '../../../core/taproot/taproot-vectors.ts';
import { noteSecret } from '../../../secrets/collected.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

const BASE = '/api/v1/taproot/signatures';
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');
const sign = (body: Json) => service.post(BASE, body);
const verify = async (body: Json): Promise<Json> => (await service.post(`${BASE}/verify`, body)).body;

function newKey() {
  const bytes = randomBytes(32);
  noteSecret('Schnorr private key', hex(bytes));
  const wif = (network: 'regtest' | 'mainnet'): string => {
    const text = ECPairFactory(ecc)
      .fromPrivateKey(bytes, { network: networkParameters(network) })
      .toWIF();
    noteSecret('WIF', text);
    return text;
  };
  return { bytes, key: hex(bytes), publicKey: hex(ecc.xOnlyPointFromScalar(bytes)), wif };
}

describe('BIP340 vectors', () => {
  it.each(schnorrVectors)('$index', async ({ secretKey, publicKey, aux, message, signature, valid }) => {
    const verdict = await verify({ public_key: publicKey, message, signature });
    expect(verdict.valid).toBe(valid);
    expect([verdict.code === null, verdict.reason === null]).toEqual([valid, valid]);
    if (secretKey === '') return;
    const { body } = await sign({ key: secretKey, message, aux });
    expect(body).toEqual({ signature, public_key: publicKey, message });
  });
});

describe('a signature', () => {
  const message = 'ab'.repeat(32);

  it('is made by WIF as by hex, with other randomness each time', async () => {
    const { key, publicKey, wif } = newKey();
    const answers = [
      await sign({ key, message }),
      await sign({ key, message }),
      await sign({ key: wif('regtest'), message }),
    ];
    for (const { status, body, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toContain(key);
      expect(body.public_key).toBe(publicKey);
      expect(await verify({ ...body })).toMatchObject({ valid: true });
    }
    expect(new Set(answers.map(({ body }) => body.signature)).size).toBe(3);
  });

  it('is under the output key where a taproot tweak is asked for', async () => {
    const { bytes, key, publicKey } = newKey();
    for (const root of [null, randomBytes(32)]) {
      const { body } = await sign({ key, message, taproot: { merkle_root: root && hex(root) } });
      expect(body.public_key).toBe(hex(tweakPublicKey(ecc.xOnlyPointFromScalar(bytes), root).outputKey));
      expect(await verify(body)).toMatchObject({ valid: true });
      expect(await verify({ ...body, public_key: publicKey })).toMatchObject({
        valid: false,
        code: 'signature_mismatch',
      });
    }
  });

  const { key, wif } = newKey();
  const extended =
    'tprv8ZgxMBicQKsPd9TeAdPADNnSyH9SSUUbTVeFszDE23Ki6TBB5nCefAdHkK8Fm3qMQR6sHwA56zqRmKmxnHk37JkiFzvncDqoKmPWubu7hDF';
  const zero = '0'.repeat(64);
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
  const mistakes: [string, Json, string, string][] = [
    ['a mistyped key', { key: `${key.slice(0, -1)}x` }, 'key', 'invalid_key'],
    ['a key of another network', { key: wif('mainnet') }, 'key', 'wrong_network'],
    ['an extended key', { key: extended }, 'key', 'invalid_key'],
    ['a key of zero', { key: zero }, 'key', 'invalid_key'],
    ["the group's order", { key: order }, 'key', 'invalid_key'],
    ['no key', { key: undefined }, 'key', 'invalid_value'],
    ['half a byte', { message: 'abc' }, 'message', 'invalid_value'],
    ['short randomness', { aux: 'ab' }, 'aux', 'invalid_value'],
    ['a bad root', { taproot: { merkle_root: 'ab' } }, 'taproot.merkle_root', 'invalid_value'],
  ];
  it.each(mistakes)('is refused with %s, at its field and without the key', async (_, wrong, field, code) => {
    const { status, body, text } = await sign({ key, message, ...wrong });
    expect({ status, ...body.error.details }).toMatchObject({ status: 400, field, code });
    for (const secret of [key, wif('mainnet'), extended]) expect(text).not.toContain(secret.slice(0, 20));
  });

  it('names only the forms of keys that it takes', async () => {
    for (const wrong of [extended, `[d34db33f/86h]${extended}`, 'nonsense', zero]) {
      const { message: sentence } = (await sign({ key: wrong, message })).body.error;
      expect(sentence).toContain('is WIF or 64 hex digits: ');
      expect(sentence).not.toMatch(/[xt]prv|extended private/);
    }
  });

  it('is no business of a reader', async () => {
    const reader = await service.key({ role: 'viewer', scopes: ['taproot:read'] });
    expect((await service.post(BASE, { key, message }, { apiKey: reader })).status).toBe(403);
  });
});
