/** What spending costs at the most: Bitcoin Core's MaxSatisfactionWeight, signatures at their longest. */
import { compactSizeLength } from '../policy/dust.ts';
import type { DescriptorNode, InnerNode } from './descriptor-node.ts';
import { innerScript } from './descriptor-scripts.ts';
import { witnessSizes } from './miniscript-size.ts';

const SIGNATURE = 72;
/** Outpoint, sequence and the length of an empty scriptSig. */
const BARE_INPUT_WEIGHT = 4 * (36 + 4 + 1);
/** By the key: one item of 64 bytes with its length. */
const TAPROOT_KEY_PATH = 1 + 64;

/**
 * Weight units of a whole input: outpoint, sequence, scriptSig and witness with their lengths. null where the descriptor does not
 * tell how it is spent. Of tr() by its key.
 */
export function inputWeight(node: DescriptorNode): number | null {
  const parts = satisfaction(node);
  if (parts === null) return null;
  const { scriptSig, witness } = parts;
  const lengths = 4 * (compactSizeLength(scriptSig) - 1);
  return BARE_INPUT_WEIGHT + lengths + 4 * scriptSig + witness;
}

/** Bytes of scriptSig, and of the witness with its count of items (0 where there is none). */
function satisfaction(node: DescriptorNode): { scriptSig: number; witness: number } | null {
  switch (node.type) {
    case 'addr':
    case 'raw':
      return null;
    case 'rawtr':
    case 'tr':
      return { scriptSig: 0, witness: 1 + TAPROOT_KEY_PATH };
    case 'wpkh':
      return { scriptSig: 0, witness: 1 + 1 + SIGNATURE + 1 + 33 };
    case 'combo':
      return { scriptSig: 1 + SIGNATURE + 1 + node.key.publicKeyAt(0).length, witness: 0 };
    case 'wsh':
      return witnessOf(node.inner, 0);
    case 'sh':
      if (node.inner.type === 'wpkh') return { scriptSig: 23, witness: 1 + 1 + SIGNATURE + 1 + 33 };
      if (node.inner.type === 'wsh') return witnessOf(node.inner.inner, 35);
      return legacy(node.inner, innerScript(node.inner, 0).length);
    default:
      return legacy(node, null);
  }
}

function witnessOf(inner: InnerNode, scriptSig: number): { scriptSig: number; witness: number } | null {
  const items = itemBytes(inner);
  if (items === null) return null;
  const script = innerScript(inner, 0).length;
  return { scriptSig, witness: 1 + items + compactSizeLength(script) + script };
}

function legacy(inner: InnerNode, redeemScript: number | null): { scriptSig: number; witness: number } | null {
  const items = itemBytes(inner);
  if (items === null) return null;
  const push = redeemScript === null ? 0 : redeemScript + (redeemScript <= 75 ? 1 : redeemScript <= 255 ? 2 : 3);
  return { scriptSig: items + push, witness: 0 };
}

/** Witness bytes that a leaf takes at the most, its script and control block left out. */
export function itemBytes(inner: InnerNode, tapscript = false): number | null {
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
      return witnessSizes(inner.root, inner.tapscript).satisfy;
  }
}
