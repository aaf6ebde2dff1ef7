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
    expect(weightOf(text)).toBe(openBranch(text, 'regtest').inputWeight());
  });

  it('is by the dearest of the ways that a payment waits for, and by all where every one waits for a time', () => {
    const [a, b, c] = KEYS;
    const reckoned = (text: string) => openBranch(text, 'regtest').inputWeight();
    const either = (first: string, second: string) => `wsh(or_i(${first},${second}))`;
    const recovery = (lock: string) => `and_v(v:multi(2,${b},${c}),${lock})`;
    // Signatures and the empty item of multi(); the choice of or_i is two bytes or one.
    const script = (text: string) => describeDescriptor(text, 'regtest').miniscripts[0]?.scriptSize as number;
    const plain = either(`pk(${a})`, recovery('older(144)'));
    expect(reckoned(plain)).toBe(164 + 1 + 73 + 2 + 1 + script(plain));
    expect(weightOf(plain)).toBe(164 + 1 + 147 + 1 + 1 + script(plain));
    const waiting = either(`and_v(v:pk(${a}),older(4194305))`, recovery('older(4194305)'));
    expect(reckoned(waiting)).toBe(164 + 1 + 147 + 1 + 1 + script(waiting));
    const sooner = either(`and_v(v:pk(${a}),older(20))`, recovery('older(10)'));
    expect(reckoned(sooner)).toBe(164 + 1 + 147 + 1 + 1 + script(sooner));
    const later = either(`and_v(v:pk(${a}),older(10))`, recovery('older(20)'));
    expect(reckoned(later)).toBe(164 + 1 + 73 + 2 + 1 + script(later));
  });

  it("of taproot whose key is nobody's is by its dearest leaf", () => {
    const [a, b, c] = KEYS;
    const nobody = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';
    // Two signatures with a hash type, the script of 70 bytes, the control block of 65, each with its length.
    const dearest = 164 + 1 + 2 * 66 + (1 + 70) + (1 + 65);
    expect(weightOf(`tr(${nobody},{pk(${a}),multi_a(2,${b},${c})})`)).toBe(dearest);
    expect(weightOf(`tr(${a},{pk(${a}),multi_a(2,${b},${c})})`)).toBe(164 + 66);
    expect(weightOf(`tr(${nobody})`)).toBe(164 + 66);
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
