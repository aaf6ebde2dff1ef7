/** Differential: what we accept, Bitcoin Core accepts, with the same checksum and the same addresses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDescriptor } from '../../../src/core/wallets/descriptors.ts';
import { accountKey, accountPath } from '../../../src/core/wallets/hd-key.ts';
import { multisigDescriptors, singleKeyDescriptors } from '../../../src/core/wallets/wallet-descriptors.ts';
import { walletModel } from '../../../src/core/wallets/wallet-model.ts';
import { startTestNode, type TestNode } from '../../builders/regtest-node.ts';

const accountOf = (type: 'segwit' | 'taproot' | 'nested-segwit' | 'legacy' | 'multisig', fill: number): string => {
  const { node, origin } = accountKey(new Uint8Array(64).fill(fill), accountPath(type, 'regtest'), 'regtest');
  return `${origin}${node.neutered().toBase58()}`;
};
const A = accountOf('multisig', 1);
const B = accountOf('multisig', 2);
const KEY = '0252972572d465d016d4c501887b8df303eee3ed602c056b1eb09260dfa0da0ab2';
const NUMS = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';

const DESCRIPTORS = [
  `pkh(${A}/<0;1>/*)`,
  `sh(wpkh(${A}/<0;1>/*))`,
  `wsh(pkh(${A}/<0;1>/*))`,
  `wsh(multi(2,${A}/<0;1>/*,${B}/<2;3>/*))`,
  `wsh(sortedmulti(1,${A}/<0;1>/*,${KEY}))`,
  `sh(wsh(sortedmulti(2,${A}/<0;1>/*,${B}/<0;1>/*)))`,
  `sh(sortedmulti(2,${A}/<0;1>/*,${B}/<0;1>/*))`,
  `wsh(and_v(v:pk(${A}/<0;1>/*),older(144)))`,
  `wsh(andor(pk(${A}/<0;1>/*),older(10),pk(${B}/<0;1>/*)))`,
  `tr(${A}/<0;1>/*,pk(${B}/<0;1>/*))`,
  `tr(${NUMS},{pk(${A}/<0;1>/*),multi_a(1,${B}/<0;1>/*,${KEY.slice(2)})})`,
  `tr(${NUMS},sortedmulti_a(2,${A}/<0;1>/*,${B}/<0;1>/*))`,
];

describe('descriptors against Bitcoin Core', () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startTestNode({ wallet: false });
  });
  afterAll(() => node?.stop());

  async function compare(external: string, internal: string | null): Promise<void> {
    const model = walletModel({ external, internal }, 'regtest');
    for (const [change, descriptor] of [
      [false, external],
      [true, internal],
    ] as const) {
      if (descriptor === null) continue;
      const info = await node.rpc<{ checksum: string }>('getdescriptorinfo', descriptor.split('#')[0]);
      expect(descriptor.split('#')[1]).toBe(info.checksum);
      const addresses = await node.rpc<string[]>('deriveaddresses', descriptor, [0, 24]);
      expect(addresses.map((_, index) => model.scriptAt(change, index).address)).toEqual(addresses);
    }
  }

  it.each(['segwit', 'taproot', 'nested-segwit', 'legacy'] as const)('%s wallets', async (type) => {
    const { external, internal } = singleKeyDescriptors(type, accountOf(type, 7));
    await compare(external, internal);
  });

  it.each([1, 2, 3])('multisig wallets, %i of 3', async (required) => {
    const { external, internal } = multisigDescriptors(required, [A, B, accountOf('multisig', 3)]);
    await compare(external, internal);
  });

  it.each(DESCRIPTORS)('watch-only: %s', async (text) => {
    const { external, internal } = parseDescriptor(text, 'regtest');
    await compare(external, internal);
  });

  it.each([
    `wsh(or_b(pk(${KEY}),pk(${KEY})))`,
    `wpkh(${A}/0/*/0)`,
    `wpkh(${A}/<0;1>/<0;1>/*)`,
    `wpkh(${A}/0h/*)`,
    `tr(${A}/0/*,pk(${KEY})`,
    `wsh(sortedmulti(3,${A}/0/*,${B}/0/*))`,
    `wpkh(04${KEY.slice(2)}${KEY.slice(2)})`,
  ])('refused by both: %s', async (text) => {
    expect(() => parseDescriptor(text, 'regtest')).toThrow();
    const accepted = await node.rpc('getdescriptorinfo', text).then(
      (info) => info as { isrange: boolean; hasprivatekeys: boolean },
      () => null,
    );
    // Core takes a wildcard in the middle of a path and hardened steps as text; it cannot derive them.
    if (accepted) await expect(node.rpc('deriveaddresses', text, [0, 0])).rejects.toThrow();
  });
});
