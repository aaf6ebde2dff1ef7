import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { createSignatureHasher } from '../../../src/core/scripts/signature-hash.ts';
import { schnorrSign } from '../../../src/core/taproot/bip340.ts';
import { checkControlBlock } from '../../../src/core/taproot/control-block.ts';
import { type TapTree, tapLeaf } from '../../../src/core/taproot/script-tree.ts';
import { taprootAddress, taprootOutput } from '../../../src/core/taproot/taproot-output.ts';
import { tweakPrivateKey } from '../../../src/core/taproot/tweak.ts';
import { type WalletTree, walletVectors } from './taproot-vectors.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'hex');
const hex = (value: Uint8Array | null): string | null => value && Buffer.from(value).toString('hex');
const vectors = walletVectors();

const isBranch = (tree: WalletTree): tree is readonly [WalletTree, WalletTree] => Array.isArray(tree);
const treeOf = (tree: WalletTree): TapTree =>
  isBranch(tree) ? [treeOf(tree[0]), treeOf(tree[1])] : tapLeaf(bytes(tree.script), tree.leafVersion);
/** Ids of the leaves from left to right: the vectors list hashes and control blocks by id. */
const idsOf = (tree: WalletTree | null): number[] =>
  tree === null ? [] : isBranch(tree) ? [...idsOf(tree[0]), ...idsOf(tree[1])] : [tree.id];

describe('BIP341 wallet vectors', () => {
  if (vectors === null) {
    it.skip('outputs and key path spending (the folder ../shared/vectors is not here)', () => {});
    return;
  }
  const [spending] = vectors.keyPathSpending;
  it('are all there', () => {
    expect(vectors.scriptPubKey).toHaveLength(7);
    expect(spending.inputSpending).toHaveLength(7);
  });

  it.each(vectors.scriptPubKey)('output $expected.bip350Address', ({ given, intermediary, expected }) => {
    const output = taprootOutput(bytes(given.internalPubkey), given.scriptTree && treeOf(given.scriptTree));
    expect(hex(output.merkleRoot)).toBe(intermediary.merkleRoot);
    expect(hex(output.tweak)).toBe(intermediary.tweak);
    expect(hex(output.outputKey)).toBe(intermediary.tweakedPubkey);
    expect(hex(output.scriptPubKey)).toBe(expected.scriptPubKey);
    expect(taprootAddress(output.outputKey, 'mainnet')).toBe(expected.bip350Address);
    const ids = idsOf(given.scriptTree);
    expect(output.leaves.map(({ leafHash }) => hex(leafHash))).toEqual(ids.map((id) => intermediary.leafHashes?.[id]));
    expect(output.leaves.map(({ controlBlock }) => hex(controlBlock))).toEqual(
      ids.map((id) => expected.scriptPathControlBlocks?.[id]),
    );
    for (const { controlBlock, script } of output.leaves) {
      expect(checkControlBlock(controlBlock, script, output.outputKey).problem).toBeNull();
    }
  });

  const hasher = createSignatureHasher(
    parseTransaction(bytes(spending.given.rawUnsignedTx)),
    spending.given.utxosSpent.map((utxo) => ({ ...utxo, amountSats: BigInt(utxo.amountSats) })),
  );
  it.each(spending.inputSpending)('spends input $given.txinIndex by its key', ({ given, intermediary, expected }) => {
    const privateKey = bytes(given.internalPrivkey);
    expect(hex(ecc.xOnlyPointFromScalar(privateKey))).toBe(intermediary.internalPubkey);
    const tweaked = tweakPrivateKey(privateKey, given.merkleRoot === null ? null : bytes(given.merkleRoot));
    expect(hex(tweaked)).toBe(intermediary.tweakedPrivkey);
    expect(hex(privateKey)).toBe(given.internalPrivkey);
    const hash = hasher.taproot(given.txinIndex, given.hashType);
    expect(hex(hash)).toBe(intermediary.sigHash);
    const signature = hex(schnorrSign(hash, tweaked, new Uint8Array(32)));
    const suffix = given.hashType === 0 ? '' : given.hashType.toString(16).padStart(2, '0');
    expect([signature + suffix]).toEqual(expected.witness);
  });
});
