/** BIP390's musig(), by BIP327's aggregation and BIP328's derivation. */
import { keyAggregate } from '@scure/btc-signer/musig2.js';
import { BIP32Factory } from 'bip32';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeDescriptor, openDescriptor } from '../../../src/core/descriptors/describe-descriptor.ts';
import { scriptsAt } from '../../../src/core/descriptors/descriptor-scripts.ts';
import { DomainError } from '../../../src/core/errors.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { inputFactsOf } from '../../../src/core/psbt/construction/derived-script.ts';
import { signerFromKeyText } from '../../../src/core/psbt/signing/signers.ts';
import { aggregateChild, aggregateRoot } from '../../../src/core/taproot/musig/derived-aggregate.ts';
import { aggregatePublicKeys } from '../../../src/core/taproot/musig/key-aggregation.ts';
import { withChecksum } from '../../../src/core/wallets/descriptor-checksum.ts';
import { cosigner } from '../../builders/cosigner.ts';
import { addMusigNonces } from '../../builders/musig-rounds.ts';
import { AGGREGATE_KEYS, MUSIG_DESCRIPTORS, REFUSED_MUSIG_DESCRIPTORS } from '../../vectors/musig-descriptors.ts';

const hex = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('hex');
const scriptsOf = (text: string, count: number, path = 0): string[] => {
  const node = openDescriptor(text, 'mainnet')[path]!;
  return Array.from({ length: count }, (_, index) => scriptsAt(node, index)[0]!.scriptPubKey.toString('hex'));
};

describe('musig()', () => {
  it.each(MUSIG_DESCRIPTORS)('%s comes to the scripts of BIP390 and Bitcoin Core', (text, ...scripts) => {
    expect(scriptsOf(text, scripts.length)).toEqual(scripts);
    const described = describeDescriptor(text, 'mainnet');
    expect(described.descriptor).toBe(withChecksum(text));
    expect(describeDescriptor(described.descriptor, 'mainnet')).toMatchObject({ paths: [withChecksum(text)] });
    expect(described).toMatchObject({ ranged: scripts.length > 1, solvable: true });
  });

  it.each(REFUSED_MUSIG_DESCRIPTORS)('%s is refused', (text, why) => {
    expect(() => describeDescriptor(text, 'mainnet')).toThrow(DomainError);
    expect(() => describeDescriptor(text, 'mainnet')).toThrow(why);
  });

  it('has multipath steps within it or behind it, written back as they came', () => {
    const [behind, within] = [MUSIG_DESCRIPTORS[2]!, MUSIG_DESCRIPTORS[6]!];
    for (const [text, scripts, path] of [
      [behind[0].replace('/0/*', '/<5;0>/*'), behind.slice(1), 1],
      [within[0].replaceAll('/0/*', '/<0;9>/*'), within.slice(1), 0],
    ] as const) {
      expect(scriptsOf(text, 3, path)).toEqual(scripts);
      const { descriptor, paths } = describeDescriptor(text, 'mainnet');
      expect(descriptor).toBe(withChecksum(text));
      expect(paths).toHaveLength(2);
    }
  });

  it('stands in every leaf that takes a key', () => {
    const [key, other] = [
      `musig(${MUSIG_DESCRIPTORS[2]![0].slice(12, -6)})/0/*`,
      MUSIG_DESCRIPTORS[3]![0].slice(-66, -2),
    ];
    for (const leaf of [
      `multi_a(1,${key},${other})`,
      `sortedmulti_a(2,${key},${other})`,
      `and_v(v:pk(${key}),older(144))`,
      `and_v(v:pkh(${key}),after(5))`,
      `{pk(${key}),and_v(v:pk(${key}),pk(${other}))}`,
    ]) {
      const text = `tr(${other},${leaf})`;
      expect(describeDescriptor(text, 'mainnet').descriptor).toBe(withChecksum(text));
      expect(new Set(scriptsOf(text, 2)).size).toBe(2);
    }
  });
});

describe('aggregate keys', () => {
  it.each(AGGREGATE_KEYS)('$aggregate is the sum of its keys, and a master key', ({ keys, aggregate, xpub }) => {
    const made = aggregatePublicKeys(keys.map((key) => Buffer.from(key, 'hex')));
    expect(hex(made)).toBe(aggregate);
    const root = aggregateRoot(made as Uint8Array);
    expect(BIP32Factory(ecc).fromPublicKey(Buffer.from(root.key), Buffer.from(root.chainCode)).toBase58()).toBe(xpub);
    const child = aggregateChild(aggregateChild(root, 7)!, 0x7fffffff)!;
    expect(hex(child.key)).toBe(hex(BIP32Factory(ecc).fromBase58(xpub).derive(7).derive(0x7fffffff).publicKey));
    expect(aggregateChild(root, 0x80000000)).toBeNull();
  });

  it("are the library's, also of keys that stand there twice", () => {
    const points = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .filter((key) => ecc.isPrivate(key))
      .map((key) => Uint8Array.from(ecc.pointFromScalar(key, true) as Uint8Array));
    const lists = fc
      .tuple(fc.array(points, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([keys, twice]) => (twice ? [...keys, keys[0]!] : keys));
    fc.assert(
      fc.property(lists, (keys) => {
        expect(hex(aggregatePublicKeys(keys))).toBe(keyAggregate(keys).aggPublicKey.toHex(true));
      }),
      { numRuns: 20 },
    );
  });
});

describe('what an updater tells of musig()', () => {
  const parties = [cosigner('alice'), cosigner('bob'), cosigner('carol')];
  const keys = parties.map(({ multisigKey }) => multisigKey);
  const NOBODY = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';

  it.each([
    `tr(musig(${keys})/0/*)`,
    `tr(musig(${keys.map((key) => `${key}/0/*`)}))`,
    `rawtr(musig(${keys})/0/*)`,
    `rawtr(musig(${keys.map((key) => `${key}/0/*`)}))`,
    `tr(${NOBODY},pk(musig(${keys})/0/*))`,
    `tr(${NOBODY},and_v(v:pkh(musig(${keys.map((key) => `${key}/0/*`)})),older(1)))`,
    `tr(${keys[0]}/9/*,{pk(musig(${keys})/0/*),pk(musig(${keys})/1/*)})`,
  ])('%s: enough for each of them to make a nonce (BIP373)', (text) => {
    const node = openDescriptor(text, 'regtest')[0]!;
    const script = { ...scriptsAt(node, 4)[0]!, node, index: 4 };
    const psbt = createPsbt({
      inputs: [
        {
          outpoint: { txid: 'ab'.repeat(32) as never, vout: 1 },
          witnessUtxo: { amountSats: 50_000n, script: script.scriptPubKey },
          ...inputFactsOf(script),
        },
      ],
      outputs: [{ amountSats: 40_000n, script: script.scriptPubKey }],
    });
    for (const { master } of parties) {
      const signer = signerFromKeyText(master, 'regtest');
      const tools = { ecc, randomBytes: (size: number) => new Uint8Array(size).fill(1) };
      expect(addMusigNonces(psbt, signer, tools).signedInputs).toEqual([0]);
    }
  });
});
