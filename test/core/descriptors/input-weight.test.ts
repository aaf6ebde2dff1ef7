import { describe, expect, it } from 'vitest';
import { describeDescriptor } from '../../../src/core/descriptors/describe-descriptor.ts';
import { networkParameters } from '../../../src/core/network.ts';
import { openBranch } from '../../../src/core/wallets/descriptor-branch.ts';
import { bip32 } from '../../../src/core/wallets/hd-key.ts';

const tpub = (fill: number): string =>
  `${bip32.fromSeed(new Uint8Array(32).fill(fill), networkParameters('regtest')).neutered().toBase58()}/0/*`;
const KEYS = [1, 2, 3].map(tpub);
const weightOf = (text: string): number | null => describeDescriptor(text, 'regtest').inputWeight;

describe('the weight of an input', () => {
  it.each([
    `wpkh(${KEYS[0]})`,
    `sh(wpkh(${KEYS[0]}))`,
    `tr(${KEYS[0]})`,
    `wsh(sortedmulti(2,${KEYS.join(',')}))`,
  ])('is what payments reckon with: %s', (text) => {
    expect(weightOf(text)).toBe(openBranch(text, 'regtest').inputWeight);
  });

  it('is the largest of the ways to satisfy a miniscript', () => {
    const [a, b] = KEYS;
    const script = (alternative: string) => `wsh(or_d(pk(${a}),${alternative}))`;
    const bytesOf = (text: string) => describeDescriptor(text, 'regtest').miniscripts[0]?.witnessSize;
    // By the second key: an empty item for the first, and its signature.
    expect(bytesOf(script(`pk(${b})`))).toBe(1 + 73);
    // By its hash: signature, key, and the empty item.
    expect(bytesOf(script(`pkh(${b})`))).toBe(1 + 73 + 34);
    expect(bytesOf(script(`and_v(v:pkh(${b}),older(10))`))).toBe(1 + 73 + 34);
    expect(bytesOf(`wsh(thresh(2,pk(${a}),s:pk(${b}),s:pk(${KEYS[2]})))`)).toBe(1 + 73 + 73);
    expect(bytesOf(`wsh(and_v(v:pk(${a}),sha256(${'00'.repeat(32)})))`)).toBe(73 + 33);
  });

  it('is not known of what does not tell how it is spent', () => {
    expect(weightOf('raw(51)')).toBeNull();
    expect(weightOf('addr(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080)')).toBeNull();
  });
});
