import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { NETWORKS } from '../../../src/core/network.ts';
import { accountKey, accountPath } from '../../../src/core/wallets/hd-key.ts';
import { createKeyRing } from '../../../src/core/wallets/key-ring.ts';
import { seedFromMnemonic } from '../../../src/core/wallets/mnemonic.ts';
import { multisigDescriptors, singleKeyDescriptors } from '../../../src/core/wallets/wallet-descriptors.ts';
import { walletModel } from '../../../src/core/wallets/wallet-model.ts';
import { p2pkh, p2shP2wpkh, p2tr, p2wpkh, p2wsh, sortedMultisigScript } from '../../builders/script-forms.ts';

const ABANDON = `${'abandon '.repeat(11)}about`;
const TYPES = ['segwit', 'taproot', 'nested-segwit', 'legacy'] as const;
type Type = (typeof TYPES)[number];
/** Scripts straight from a public key, and the weight of an input: outpoint, sequence, lengths, signature (72, 64), key (33), program (23). */
const FORMS = {
  segwit: { form: p2wpkh, weight: 4 * 41 + 1 + 73 + 34 },
  taproot: { form: p2tr, weight: 4 * 41 + 1 + 65 },
  'nested-segwit': { form: p2shP2wpkh, weight: 4 * (41 + 23) + 1 + 73 + 34 },
  legacy: { form: p2pkh, weight: 4 * (41 + 73 + 34) },
} as const;

function open(type: Type, network: (typeof NETWORKS)[number], seed = seedFromMnemonic(ABANDON)) {
  const { node, origin } = accountKey(seed, accountPath(type, network), network);
  const descriptors = singleKeyDescriptors(type, `${origin}${node.neutered().toBase58()}`);
  return { model: walletModel(descriptors, network), node, descriptors };
}

describe('standard single-key wallets', () => {
  it('BIP84 vectors', () => {
    const { model } = open('segwit', 'mainnet');
    expect(model.scriptAt(false, 0).address).toBe('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
    expect(model.scriptAt(false, 1).address).toBe('bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g');
    expect(model.scriptAt(true, 0).address).toBe('bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el');
    expect(model.pathAt(true, 7)).toBe('m/84h/0h/0h/1/7');
  });

  it('BIP86 vectors', () => {
    const { model } = open('taproot', 'mainnet');
    expect(model.scriptAt(false, 0)).toEqual({
      address: 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
      scriptPubKey: '5120a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c',
    });
    expect(model.scriptAt(false, 1).address).toBe('bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh');
    expect(model.scriptAt(true, 0).address).toBe('bc1p3qkhfews2uk44qtvauqyr2ttdsw7svhkl9nkm9s9c3x4ax5h60wqwruhk7');
  });

  it('BIP49 vector', () => {
    const { model } = open('nested-segwit', 'regtest');
    expect(model.scriptAt(false, 0)).toEqual({
      address: '2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2',
      scriptPubKey: 'a914336caa13e08b96080a32b5d818d59b4ab3b3674287',
    });
  });

  it('BIP44 first address', () => {
    expect(open('legacy', 'mainnet').model.scriptAt(false, 0).address).toBe('1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA');
  });

  it('are the scripts of the keys that BIP32 derives, on every network, branch and index', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TYPES),
        fc.constantFrom(...NETWORKS),
        fc.boolean(),
        fc.nat({ max: 0x7fffffff }),
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        (type, network, change, index, seed) => {
          const { model, node } = open(type, network, seed);
          const { publicKey } = node.derive(change ? 1 : 0).derive(index);
          expect(model.scriptAt(change, index)).toEqual(FORMS[type].form(publicKey, network));
          expect(model.inputWeight).toBe(FORMS[type].weight);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(TYPES)('the key ring of a %s wallet holds the keys of its scripts', (type) => {
    const { model, node } = open(type, 'regtest');
    const ring = createKeyRing({ privateKey: node.privateKey!, chainCode: node.chainCode }, 'regtest');
    for (const change of [false, true]) {
      const publicKey = ring.publicKey(change, 5);
      const privateKey = ring.privateKey(change, 5);
      expect(Buffer.from(ecc.pointFromScalar(privateKey)!)).toEqual(Buffer.from(publicKey));
      expect(model.scriptAt(change, 5)).toEqual(FORMS[type].form(publicKey, 'regtest'));
      // A caller that zeroes the key it was given does no harm to the ring.
      privateKey.fill(0);
      expect(ecc.isPrivate(ring.privateKey(change, 5))).toBe(true);
    }
    ring.dispose();
    expect(() => ring.privateKey(false, 0)).toThrow('disposed');
  });
});

describe('sorted multisig', () => {
  const accounts = [1, 2, 3].map((fill) =>
    accountKey(new Uint8Array(32).fill(fill), accountPath('multisig', 'regtest'), 'regtest'),
  );
  const keys = accounts.map(({ node, origin }) => `${origin}${node.neutered().toBase58()}`);

  it('is the script of the keys that BIP32 derives, whatever their order', () => {
    const descriptors = multisigDescriptors(2, keys);
    const model = walletModel(descriptors, 'regtest');
    const swapped = walletModel(multisigDescriptors(2, [keys[2]!, keys[0]!, keys[1]!]), 'regtest');
    for (const [change, index] of [
      [false, 0],
      [false, 19],
      [true, 3],
    ] as const) {
      const derived = accounts.map(({ node }) => node.derive(change ? 1 : 0).derive(index).publicKey);
      expect(model.scriptAt(change, index)).toEqual(p2wsh(sortedMultisigScript(2, derived), 'regtest'));
      expect(swapped.scriptAt(change, index)).toEqual(model.scriptAt(change, index));
    }
    expect(model.scriptType).toBe('p2wsh');
    // 2-of-3: 41 bytes outside, and count, empty item, two signatures of 72 bytes, a script of 105 bytes.
    expect(model.inputWeight).toBe(4 * 41 + 1 + 1 + 2 * 73 + 1 + 105);
  });

  it.each([0, 4])('refuses required = %i of 3', (required) => {
    expect(() => multisigDescriptors(required, keys)).toThrow('required must be between 1 and');
  });
});
