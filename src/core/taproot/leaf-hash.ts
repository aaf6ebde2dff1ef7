import { compactSize } from '../blocks/compact-size.ts';
import { taggedHash } from '../hashes.ts';

/** A leaf version that nobody names is BIP342's tapscript. */
export const TAPSCRIPT_LEAF_VERSION = 0xc0;

const leafTagged = taggedHash('TapLeaf');
const branchTagged = taggedHash('TapBranch');
const tweakTagged = taggedHash('TapTweak');

/** BIP341: tagged hash of leaf version, the script's length as a compact size, script. 32 bytes. */
export const tapLeafHash = (script: Uint8Array, leafVersion: number = TAPSCRIPT_LEAF_VERSION): Buffer =>
  leafTagged(Buffer.of(leafVersion), compactSize(script.length), script);

/** BIP341: tagged hash of the two child hashes, the lexicographically smaller one first. 32 bytes. */
export const tapBranchHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  Buffer.compare(left, right) <= 0 ? branchTagged(left, right) : branchTagged(right, left);

/** BIP341: the scalar that is added to the x-only internal key; `merkleRoot` null where the output has no script path. 32 bytes. */
export const tapTweakHash = (internalKey: Uint8Array, merkleRoot: Uint8Array | null): Buffer =>
  merkleRoot ? tweakTagged(internalKey, merkleRoot) : tweakTagged(internalKey);
