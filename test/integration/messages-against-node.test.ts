import { networks } from 'bitcoinjs-lib';
import ECPairFactory from 'ecpair';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ecc } from '../../src/core/keys/ecc.ts';
import { signMessage } from '../../src/core/messages/sign-message.ts';
import { verifyMessage } from '../../src/core/messages/verify-message.ts';
import { decodeAddress } from '../../src/core/relay-policy/address.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { p2pkh } from '../builders/script-forms.ts';

const ECPair = ECPairFactory(ecc);

let node: TestNode;
beforeAll(async () => {
  node = await startTestNode();
});
afterAll(() => node?.stop());

const scriptOf = (address: string) => Buffer.from(decodeAddress(address, 'regtest').scriptPubKey, 'hex');
const tools = { ecc, randomBytes: (size: number) => new Uint8Array(size) };

it('legacy signatures are those of signmessagewithprivkey, and are judged as by verifymessage', async () => {
  const cases = fc.sample(
    fc.record({
      key: fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((key) => ecc.isPrivate(key)),
      compressed: fc.boolean(),
      message: fc.string({ unit: 'binary', maxLength: 300 }).filter((text) => !text.includes('\0')),
      damage: fc.nat(),
    }),
    60,
  );
  let good = 0;
  for (const { key, compressed, message, damage } of cases) {
    const point = ecc.pointFromScalar(key, compressed) as Uint8Array;
    const { address } = p2pkh(point, 'regtest');
    const wif = ECPair.fromPrivateKey(key, { compressed, network: networks.regtest }).toWIF();
    const request = { script: scriptOf(address), message: Buffer.from(message), key: wif, network: 'regtest' as const };
    const { signature } = signMessage({ ...request, format: 'legacy' }, tools);
    expect(signature).toBe(await node.rpc('signmessagewithprivkey', wif, message));
    const bytes = Buffer.from(signature, 'base64');
    const changed = Buffer.from(bytes);
    changed[damage % 65]! ^= 1 << (damage % 7);
    for (const candidate of [bytes, changed]) {
      // Of header bytes that no signer writes the node looks at three bits only.
      if (candidate[0]! < 27 || candidate[0]! > 34) continue;
      const text = candidate.toString('base64');
      const ours = verifyMessage(request.script, request.message, text).state === 'valid';
      expect(ours).toBe(await node.rpc('verifymessage', address, text, message));
      good += Number(ours);
    }
  }
  expect(good).toBeGreaterThanOrEqual(cases.length);
});
