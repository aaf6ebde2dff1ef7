import { address } from 'bitcoinjs-lib';
import { type Network, networkParameters } from '../network.ts';
import { p2tr } from '../scripts/output-scripts.ts';
import { serializeControlBlock } from './control-block.ts';
import { type PlacedLeaf, placeLeaves, type TapTree } from './script-tree.ts';
import { type TweakedKey, tweakPublicKey } from './tweak.ts';

export interface SpendableLeaf extends PlacedLeaf {
  /** What a spend by this leaf ends its witness with. */
  readonly controlBlock: Buffer;
}

export interface TaprootOutput extends TweakedKey {
  readonly internalKey: Uint8Array;
  /** null: by the key alone. */
  readonly merkleRoot: Buffer | null;
  /** OP_1 and the output key. */
  readonly scriptPubKey: Buffer;
  /** From left to right; empty without a tree. */
  readonly leaves: readonly SpendableLeaf[];
}

/**
 * The output that an internal key (x-only, 32 bytes) and a script tree make (BIP341).
 * Throws `invalid_key`, and `invalid_script` where the tree is too deep.
 */
export function taprootOutput(internalKey: Uint8Array, tree: TapTree | null): TaprootOutput {
  const { merkleRoot, leaves } = tree === null ? { merkleRoot: null, leaves: [] } : placeLeaves(tree);
  const tweaked = tweakPublicKey(internalKey, merkleRoot);
  const { parity } = tweaked;
  return {
    ...tweaked,
    internalKey,
    merkleRoot,
    scriptPubKey: p2tr(tweaked.outputKey),
    leaves: leaves.map((leaf) => ({ ...leaf, controlBlock: serializeControlBlock({ ...leaf, parity, internalKey }) })),
  };
}

export const taprootAddress = (outputKey: Uint8Array, network: Network): string =>
  address.toBech32(outputKey, 1, networkParameters(network).bech32);
