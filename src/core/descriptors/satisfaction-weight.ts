/** What spending costs at the most: Bitcoin Core's MaxSatisfactionWeight, signatures at their longest. */
import { compactSizeLength } from '../blocks/compact-size.ts';
import type { DescriptorNode, InnerNode, TreeNode } from './descriptor-node.ts';
import { innerScript } from './descriptor-scripts.ts';
import { type LockTest, witnessSizes } from './miniscript-size.ts';

const SIGNATURE = 72;
/** Outpoint, sequence and the length of an empty scriptSig. */
const BARE_INPUT_WEIGHT = 4 * (36 + 4 + 1);
/** By the key: one item of 64 bytes with its length. */
const TAPROOT_KEY_PATH = 1 + 64;
/** BIP341's point without known private key, x-only: taproot outputs with it are spent by their scripts. */
export const NUMS_POINT = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';

const ALL_OPEN: LockTest = () => true;

/**
 * Weight units of a whole input: outpoint, sequence, scriptSig and witness with their lengths, by the dearest of the ways whose time
 * locks are open. null where there is none, or the descriptor does not tell how it is spent. Of tr() by its key, and by the dearest leaf
 * where nobody has that.
 */
export function inputWeight(node: DescriptorNode, isOpen: LockTest = ALL_OPEN): number | null {
  const parts = satisfaction(node, isOpen);
  if (parts === null) return null;
  const { scriptSig, witness } = parts;
  const lengths = 4 * (compactSizeLength(scriptSig) - 1);
  return BARE_INPUT_WEIGHT + lengths + 4 * scriptSig + witness;
}

/** Bytes of scriptSig, and of the witness with its count of items (0 where there is none). */
function satisfaction(node: DescriptorNode, isOpen: LockTest): { scriptSig: number; witness: number } | null {
  switch (node.type) {
    case 'addr':
    case 'raw':
      return null;
    case 'tr':
      if (node.tree !== null && node.key.text === NUMS_POINT) return dearestLeaf(node.tree, isOpen);
      return { scriptSig: 0, witness: 1 + TAPROOT_KEY_PATH };
    case 'rawtr':
      return { scriptSig: 0, witness: 1 + TAPROOT_KEY_PATH };
    case 'wpkh':
      return { scriptSig: 0, witness: 1 + 1 + SIGNATURE + 1 + 33 };
    case 'combo':
      return { scriptSig: 1 + SIGNATURE + 1 + node.key.publicKeyAt(0).length, witness: 0 };
    case 'wsh':
      return witnessOf(node.inner, 0, isOpen);
    case 'sh':
      if (node.inner.type === 'wpkh') return { scriptSig: 23, witness: 1 + 1 + SIGNATURE + 1 + 33 };
      if (node.inner.type === 'wsh') return witnessOf(node.inner.inner, 35, isOpen);
      return legacy(node.inner, innerScript(node.inner, 0).length);
    default:
      return legacy(node, null);
  }
}

function witnessOf(
  inner: InnerNode,
  scriptSig: number,
  isOpen: LockTest,
): { scriptSig: number; witness: number } | null {
  const items = itemBytes(inner, false, isOpen);
  if (items === null) return null;
  const script = innerScript(inner, 0).length;
  return { scriptSig, witness: 1 + items + compactSizeLength(script) + script };
}

function dearestLeaf(tree: TreeNode, isOpen: LockTest): { scriptSig: number; witness: number } | null {
  const weigh = (node: TreeNode, depth: number): number => {
    if ('branches' in node) return Math.max(...node.branches.map((branch) => weigh(branch, depth + 1)));
    const items = itemBytes(node.leaf, true, isOpen);
    if (items === null) return 0;
    const script = innerScript(node.leaf, 0, true).length;
    const controlBlock = 33 + 32 * depth;
    return 1 + items + compactSizeLength(script) + script + compactSizeLength(controlBlock) + controlBlock;
  };
  const witness = weigh(tree, 0);
  return witness === 0 ? null : { scriptSig: 0, witness };
}

function legacy(inner: InnerNode, redeemScript: number | null): { scriptSig: number; witness: number } | null {
  const items = itemBytes(inner, false, ALL_OPEN);
  if (items === null) return null;
  const push = redeemScript === null ? 0 : redeemScript + (redeemScript <= 75 ? 1 : redeemScript <= 255 ? 2 : 3);
  return { scriptSig: items + push, witness: 0 };
}

/** Witness bytes that a leaf takes at the most, its script and control block left out. */
function itemBytes(inner: InnerNode, tapscript: boolean, isOpen: LockTest): number | null {
  const signature = 1 + (tapscript ? 65 : SIGNATURE);
  switch (inner.type) {
    case 'pk':
      return signature;
    case 'pkh':
      return signature + 1 + inner.key.publicKeyAt(0).length;
    case 'multi':
    case 'sortedmulti':
      return 1 + inner.required * signature;
    case 'multi_a':
    case 'sortedmulti_a':
      return inner.required * signature + inner.keys.length - inner.required;
    case 'miniscript':
      return witnessSizes(inner.root, inner.tapscript, isOpen).satisfy;
  }
}
