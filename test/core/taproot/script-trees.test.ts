/** Random trees, against two other implementations: @scure/btc-signer and bitcoinjs-lib. */
import { p2tr, type TaprootScriptTree, taprootListToTree } from '@scure/btc-signer/payment.js';
import { taprootTweakPrivKey } from '@scure/btc-signer/utils.js';
import { payments } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { checkControlBlock, parseControlBlock } from '../../../src/core/taproot/control-block.ts';
import { treeFromDepths } from '../../../src/core/taproot/depth-first-tree.ts';
import { treeFromWeights, type WeightedLeaf } from '../../../src/core/taproot/huffman-tree.ts';
import { isBranch, isLeafVersion, type TapTree, tapLeaf } from '../../../src/core/taproot/script-tree.ts';
import { taprootAddress, taprootOutput } from '../../../src/core/taproot/taproot-output.ts';
import { tweakPrivateKey, tweakPublicKey } from '../../../src/core/taproot/tweak.ts';

const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');

const privateKey = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((key) => Uint8Array.from(key))
  .filter((key) => ecc.isPrivate(key));
const internalKey = privateKey.map((key) => Buffer.from(ecc.xOnlyPointFromScalar(key)));
// Lengths around each form of the compact size.
const script = fc.oneof(
  // Opcodes that @scure/btc-signer reads: OP_1 to OP_16, OP_NOP.
  fc.array(fc.integer({ min: 0x51, max: 0x61 }), { maxLength: 80 }).map((opcodes) => Uint8Array.from(opcodes)),
  fc.constantFrom(252, 253, 254, 65_535, 65_536).map((length) => new Uint8Array(length).fill(0x61)),
);
const leafVersion = fc.constantFrom(0xc0, 0xc0, 0xc2, 0xfe, 0x66);
const leaf = fc.tuple(script, leafVersion).map(([text, version]) => tapLeaf(Uint8Array.from(text), version));
const tree: fc.Arbitrary<TapTree> = fc.letrec<{ tree: TapTree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 6, withCrossShrink: true }, leaf, fc.tuple(tie('tree'), tie('tree'))),
})).tree;

type Other = { output: Uint8Array; version: number } | [Other, Other];
const forBitcoinjs = (one: TapTree): Other =>
  isBranch(one)
    ? [forBitcoinjs(one[0]), forBitcoinjs(one[1])]
    : { output: Buffer.from(one.script), version: one.leafVersion };
const forScure = (one: TapTree): TaprootScriptTree =>
  isBranch(one)
    ? [forScure(one[0]), forScure(one[1])]
    : { script: Uint8Array.from(one.script), leafVersion: one.leafVersion };

describe('script trees', () => {
  it('make the outputs and control blocks that bitcoinjs-lib and @scure/btc-signer make', () => {
    fc.assert(
      fc.property(internalKey, tree, (key, given) => {
        const output = taprootOutput(key, given);
        const theirs = payments.p2tr({ internalPubkey: key, scriptTree: forBitcoinjs(given) as never });
        expect(hex(output.scriptPubKey)).toBe(hex(theirs.output as Uint8Array));
        expect(taprootAddress(output.outputKey, 'mainnet')).toBe(theirs.address);
        const scure = p2tr(Uint8Array.from(key), forScure(given), undefined, true);
        expect(hex(output.scriptPubKey)).toBe(hex(scure.script));
        const blocks = (scure.leaves ?? []).map((one) =>
          hex((one as typeof one & { controlBlock: Uint8Array }).controlBlock),
        );
        expect(output.leaves.map(({ controlBlock }) => hex(controlBlock)).sort()).toEqual(blocks.sort());
        for (const one of output.leaves) {
          const { witness } = payments.p2tr({
            internalPubkey: key,
            scriptTree: forBitcoinjs(given) as never,
            redeem: { output: one.script, redeemVersion: one.leafVersion },
          });
          // bitcoinjs-lib takes the first leaf of that hash.
          const same = output.leaves.filter(({ leafHash }) => leafHash.equals(one.leafHash));
          expect(same.map(({ controlBlock }) => hex(controlBlock))).toContain(hex(witness?.at(-1) as Uint8Array));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are committed to: no other script, key or path passes', () => {
    fc.assert(
      fc.property(internalKey, tree, fc.nat(), fc.nat(), (key, given, choice, place) => {
        const { leaves, outputKey } = taprootOutput(key, given);
        const one = leaves[choice % leaves.length] as (typeof leaves)[number];
        expect(checkControlBlock(one.controlBlock, one.script, outputKey)).toMatchObject({ problem: null });
        const other = Buffer.concat([one.script, Uint8Array.of(0x51)]);
        expect(checkControlBlock(one.controlBlock, other, outputKey).problem).toBe('output_key_mismatch');
        const changed = Buffer.from(one.controlBlock);
        changed[place % changed.length] = (changed[place % changed.length] as number) ^ 1;
        const { problem } = checkControlBlock(changed, one.script, outputKey);
        expect(problem).toBe(
          place % changed.length === 0
            ? 'parity_mismatch'
            : ecc.isXOnlyPoint(changed.subarray(1, 33))
              ? 'output_key_mismatch'
              : 'internal_key_not_on_curve',
        );
      }),
      { numRuns: 60 },
    );
  });

  it('are read again from the depths of their leaves', () => {
    fc.assert(
      fc.property(internalKey, tree, (key, given) => {
        const { leaves, merkleRoot } = taprootOutput(key, given);
        const again = treeFromDepths(leaves.map((one) => ({ ...one, depth: one.path.length })));
        expect(taprootOutput(key, again).merkleRoot).toEqual(merkleRoot);
      }),
    );
  });

  it('are at most 128 deep', () => {
    const comb = (depth: number): TapTree =>
      depth === 0 ? tapLeaf(Uint8Array.of(0x51)) : [comb(depth - 1), tapLeaf(Uint8Array.of(0x52, depth))];
    const key = Buffer.from(ecc.xOnlyPointFromScalar(new Uint8Array(32).fill(1)));
    const deepest = taprootOutput(key, comb(128));
    expect(deepest.leaves).toHaveLength(129);
    const [first] = deepest.leaves;
    expect(first?.controlBlock).toHaveLength(33 + 128 * 32);
    expect(
      checkControlBlock(first?.controlBlock as Buffer, first?.script as Uint8Array, deepest.outputKey).problem,
    ).toBeNull();
    expect(() => taprootOutput(key, comb(129))).toThrow(/at most 128/);
    for (const size of [0, 32, 34, 64, 33 + 129 * 32]) expect(parseControlBlock(new Uint8Array(size))).toBeNull();
  });

  it('have even leaf versions that are no annex', () => {
    expect([0, 0xc0, 0xfe].every(isLeafVersion)).toBe(true);
    expect([0x50, 0xc1, 256, -2, 1.5].some(isLeafVersion)).toBe(false);
    expect(() => tapLeaf(new Uint8Array(1), 0x50)).toThrow(/leaf version/);
  });
});

describe('trees from weights', () => {
  const weighted = fc
    .array(fc.record({ leaf, weight: fc.integer({ min: 1, max: 1000 }) }), { minLength: 1, maxLength: 24 })
    .map((leaves) => leaves.map((one): WeightedLeaf => ({ ...one.leaf, weight: one.weight })));
  const cost = (one: TapTree, weightOf: ReadonlyMap<Uint8Array, number>, depth = 0): number =>
    isBranch(one)
      ? cost(one[0], weightOf, depth + 1) + cost(one[1], weightOf, depth + 1)
      : depth * (weightOf.get(one.script) as number);
  const scureCost = (one: TaprootScriptTree, depth = 0): number =>
    Array.isArray(one)
      ? one.reduce((sum, member) => sum + scureCost(member, depth + 1), 0)
      : depth * (one.weight as number);

  it('cost as little as those of @scure/btc-signer', () => {
    fc.assert(
      fc.property(weighted, (leaves) => {
        const weightOf = new Map(leaves.map((one) => [one.script, one.weight]));
        const ours = treeFromWeights(leaves as [WeightedLeaf, ...WeightedLeaf[]]);
        const theirs = taprootListToTree(leaves.map(({ script: text, weight }) => ({ script: text, weight })));
        expect(cost(ours, weightOf)).toBe(scureCost(theirs));
      }),
    );
  });

  it('put the heaviest nearest to the root', () => {
    const leaves = [1, 1, 2, 4, 8].map((weight, index) => ({ ...tapLeaf(Uint8Array.of(0x51, index)), weight }));
    const key = Buffer.from(ecc.xOnlyPointFromScalar(new Uint8Array(32).fill(1)));
    const output = taprootOutput(key, treeFromWeights(leaves as never));
    const depths = new Map(output.leaves.map(({ script: text, path }) => [text[1], path.length]));
    expect([0, 1, 2, 3, 4].map((index) => depths.get(index))).toEqual([4, 4, 3, 2, 1]);
  });
});

describe('tweaks', () => {
  it('of the private key lead to the output key, as in @scure/btc-signer', () => {
    const root = fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 }));
    fc.assert(
      fc.property(privateKey, root, (key, merkleRoot) => {
        const tweaked = tweakPrivateKey(key, merkleRoot);
        const { outputKey, parity } = tweakPublicKey(ecc.xOnlyPointFromScalar(key), merkleRoot);
        const point = ecc.pointFromScalar(tweaked, true) as Uint8Array;
        expect(hex(point)).toBe(`0${2 + parity}${hex(outputKey)}`);
        expect(hex(tweaked)).toBe(hex(taprootTweakPrivKey(key, Uint8Array.from(merkleRoot ?? []))));
      }),
    );
  });

  it('need a point or a scalar', () => {
    for (const key of [new Uint8Array(32), new Uint8Array(32).fill(255), new Uint8Array(33).fill(2)]) {
      expect(() => tweakPublicKey(key, null)).toThrow(/not the x coordinate/);
      expect(() => tweakPrivateKey(key, null)).toThrow(/not a private key/);
    }
  });
});
