import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { createSignatureHasher } from '../../../src/core/scripts/signature-hash.ts';
import { schnorrSign } from '../../../src/core/taproot/bip340.ts';
import { checkControlBlock } from '../../../src/core/taproot/control-block.ts';
import { type TapTree, tapLeaf } from '../../../src/core/taproot/script-tree.ts';
import { taprootAddress, taprootOutput } from '../../../src/core/taproot/taproot-output.ts';
import { tweakPrivateKey } from '../../../src/core/taproot/tweak.ts';
import { type WalletTree, walletLeaves, walletOutputs, walletSpending, walletSpent } from './taproot-vectors.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'hex');
const hex = (value: Uint8Array | null): string | null => value && Buffer.from(value).toString('hex');

const isBranch = (tree: WalletTree): tree is readonly [WalletTree, WalletTree] => Array.isArray(tree);
const treeOf = (tree: WalletTree): TapTree =>
  isBranch(tree) ? [treeOf(tree[0]), treeOf(tree[1])] : tapLeaf(bytes(tree.script), tree.version);

describe('BIP341 wallet vectors', () => {
  it('are all there', () => {
    expect(walletOutputs).toHaveLength(7);
    expect(walletSpending.inputs).toHaveLength(7);
  });

  it.each(walletOutputs)('output $address', ({ internalKey, tree, merkleRoot, tweak, outputKey, ...expected }) => {
    const output = taprootOutput(bytes(internalKey), tree && treeOf(tree));
    expect(hex(output.merkleRoot)).toBe(merkleRoot);
    expect(hex(output.tweak)).toBe(tweak);
    expect(hex(output.outputKey)).toBe(outputKey);
    expect(hex(output.scriptPubKey)).toBe(expected.scriptPubKey);
    expect(taprootAddress(output.outputKey, 'mainnet')).toBe(expected.address);
    const leaves = walletLeaves(tree);
    expect(output.leaves.map(({ leafHash }) => hex(leafHash))).toEqual(leaves.map(({ hash }) => hash));
    expect(output.leaves.map(({ controlBlock }) => hex(controlBlock))).toEqual(
      leaves.map(({ controlBlock }) => controlBlock),
    );
    for (const { controlBlock, script } of output.leaves) {
      expect(checkControlBlock(controlBlock, script, output.outputKey).problem).toBeNull();
    }
  });

  const hasher = createSignatureHasher(parseTransaction(bytes(walletSpending.unsigned)), walletSpent);
  it.each(walletSpending.inputs)('spends input $index by its key', (vector) => {
    const privateKey = bytes(vector.privateKey);
    expect(hex(ecc.xOnlyPointFromScalar(privateKey))).toBe(vector.internalKey);
    const tweaked = tweakPrivateKey(privateKey, vector.merkleRoot === null ? null : bytes(vector.merkleRoot));
    expect(hex(tweaked)).toBe(vector.tweakedPrivateKey);
    expect(hex(privateKey)).toBe(vector.privateKey);
    const hash = hasher.taproot(vector.index, vector.hashType);
    expect(hex(hash)).toBe(vector.hash);
    const signature = hex(schnorrSign(hash, tweaked, new Uint8Array(32)));
    const suffix = vector.hashType === 0 ? '' : vector.hashType.toString(16).padStart(2, '0');
    expect(signature + suffix).toBe(vector.signature);
  });
});
