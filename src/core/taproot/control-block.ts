import { ecc } from '../keys/ecc.ts';
import { tapBranchHash, tapLeafHash, tapTweakHash } from './leaf-hash.ts';
import { MAX_TREE_DEPTH } from './script-tree.ts';

const HEADER_SIZE = 33;
const NODE_SIZE = 32;

export interface ControlBlock {
  readonly leafVersion: number;
  readonly parity: 0 | 1;
  /** x-only, 32 bytes. */
  readonly internalKey: Uint8Array;
  /** Siblings from the leaf up. */
  readonly path: readonly Uint8Array[];
}

/** BIP341: leaf version with the output key's parity, internal key, path. */
export function serializeControlBlock({ leafVersion, parity, internalKey, path }: ControlBlock): Buffer {
  return Buffer.concat([Uint8Array.of(leafVersion | parity), internalKey, ...path]);
}

/** null where the length is not 33 + 32·m, m from 0 to 128. */
export function parseControlBlock(bytes: Uint8Array): ControlBlock | null {
  const nodes = (bytes.length - HEADER_SIZE) / NODE_SIZE;
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > MAX_TREE_DEPTH) return null;
  const first = bytes[0] as number;
  return {
    leafVersion: first & 0xfe,
    parity: (first & 1) as 0 | 1,
    internalKey: bytes.subarray(1, HEADER_SIZE),
    path: Array.from({ length: nodes }, (_, node) =>
      bytes.subarray(HEADER_SIZE + node * NODE_SIZE, HEADER_SIZE + (node + 1) * NODE_SIZE),
    ),
  };
}

/** The root that a leaf's hash and its siblings lead to. */
export const rootOfPath = (leafHash: Uint8Array, path: readonly Uint8Array[]): Uint8Array =>
  path.reduce<Uint8Array>((hash, sibling) => tapBranchHash(hash, sibling), leafHash);

export type ControlBlockProblem =
  | 'control_block_size'
  | 'internal_key_not_on_curve'
  | 'output_key_mismatch'
  | 'parity_mismatch';

export interface ControlBlockCheck {
  /** null where it shows that the script is in the output's tree. */
  readonly problem: ControlBlockProblem | null;
  /** null where its size is wrong. */
  readonly block: ControlBlock | null;
  readonly leafHash: Buffer | null;
  readonly merkleRoot: Uint8Array | null;
}

/** Whether a control block proves that the output key commits to the script (BIP341, rules for the script path). */
export function checkControlBlock(bytes: Uint8Array, script: Uint8Array, outputKey: Uint8Array): ControlBlockCheck {
  const block = parseControlBlock(bytes);
  if (block === null) return { problem: 'control_block_size', block, leafHash: null, merkleRoot: null };
  const leafHash = tapLeafHash(script, block.leafVersion);
  const merkleRoot = rootOfPath(leafHash, block.path);
  return { problem: commitmentProblem(block, merkleRoot, outputKey), block, leafHash, merkleRoot };
}

function commitmentProblem(
  { internalKey, parity }: ControlBlock,
  merkleRoot: Uint8Array,
  outputKey: Uint8Array,
): ControlBlockProblem | null {
  if (!ecc.isXOnlyPoint(internalKey)) return 'internal_key_not_on_curve';
  const tweaked = ecc.xOnlyPointAddTweak(internalKey, tapTweakHash(internalKey, merkleRoot));
  if (tweaked === null || Buffer.compare(tweaked.xOnlyPubkey, outputKey) !== 0) return 'output_key_mismatch';
  return tweaked.parity === parity ? null : 'parity_mismatch';
}
