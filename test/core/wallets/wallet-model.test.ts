import { DescriptorsFactory } from '@bitcoinerlab/descriptors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { NETWORKS, networkParameters } from '../../../src/core/network.ts';
import { withoutChecksum } from '../../../src/core/wallets/descriptor-checksum.ts';
import { accountKey, accountPath } from '../../../src/core/wallets/hd-key.ts';
import { createKeyRing } from '../../../src/core/wallets/key-ring.ts';
import { seedFromMnemonic } from '../../../src/core/wallets/mnemonic.ts';
import { multisigDescriptors, singleKeyDescriptors } from '../../../src/core/wallets/wallet-descriptors.ts';
import { walletModel } from '../../../src/core/wallets/wallet-model.ts';

const { Output } = DescriptorsFactory(ecc);
const ABANDON = `${'abandon '.repeat(11)}about`;
const TYPES = ['segwit', 'taproot', 'nested-segwit', 'legacy'] as const;
type Type = (typeof TYPES)[number];

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

  it('equal the descriptor library on every network, branch and index', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TYPES),
        fc.constantFrom(...NETWORKS),
        fc.boolean(),
        fc.nat({ max: 0x7fffffff }),
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        (type, network, change, index, seed) => {
          const { model, descriptors } = open(type, network, seed);
          const expected = new Output({
            descriptor: change ? descriptors.internal : descriptors.external,
            index,
            network: networkParameters(network),
          });
          const script = model.scriptAt(change, index);
          expect(script.address).toBe(expected.getAddress());
          expect(script.scriptPubKey).toBe(Buffer.from(expected.getScriptPubKey()).toString('hex'));
          expect(model.inputWeight).toBe(
            expected.inputWeight(true, 'DANGEROUSLY_USE_FAKE_SIGNATURES') - (type === 'legacy' ? 1 : 0),
          );
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
      const form = withoutChecksum(model.externalDescriptor).replace(/\[.*\*/, Buffer.from(publicKey).toString('hex'));
      const output = new Output({ descriptor: form, network: networkParameters('regtest') });
      expect(model.scriptAt(change, 5).address).toBe(output.getAddress());
      // A caller that zeroes the key it was given does no harm to the ring.
      privateKey.fill(0);
      expect(ecc.isPrivate(ring.privateKey(change, 5))).toBe(true);
    }
    ring.dispose();
    expect(() => ring.privateKey(false, 0)).toThrow('disposed');
  });
});

describe('sorted multisig', () => {
  const keys = [1, 2, 3].map((fill) => {
    const { node, origin } = accountKey(new Uint8Array(32).fill(fill), accountPath('multisig', 'regtest'), 'regtest');
    return `${origin}${node.neutered().toBase58()}`;
  });

  it('equals the descriptor library, whatever the order of the keys', () => {
    const descriptors = multisigDescriptors(2, keys);
    const model = walletModel(descriptors, 'regtest');
    const swapped = walletModel(multisigDescriptors(2, [keys[2]!, keys[0]!, keys[1]!]), 'regtest');
    for (const [change, index] of [
      [false, 0],
      [false, 19],
      [true, 3],
    ] as const) {
      const expected = new Output({
        descriptor: change ? descriptors.internal : descriptors.external,
        index,
        network: networkParameters('regtest'),
      });
      expect(model.scriptAt(change, index).address).toBe(expected.getAddress());
      expect(swapped.scriptAt(change, index)).toEqual(model.scriptAt(change, index));
      const signers = expected.expand().expansionMap!;
      expect(Object.keys(signers)).toHaveLength(3);
    }
    expect(model.scriptType).toBe('p2wsh');
    // 2-of-3: 41 bytes outside, and count, empty item, two signatures of 72 bytes, a script of 105 bytes.
    expect(model.inputWeight).toBe(4 * 41 + 1 + 1 + 2 * 73 + 1 + 105);
  });

  it.each([0, 4])('refuses required = %i of 3', (required) => {
    expect(() => multisigDescriptors(required, keys)).toThrow('required must be between 1 and');
  });
});
